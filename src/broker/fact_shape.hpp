// What a fact is to those who look at it from outside: what the log calls it, whom and which messages it is about,
// whose mailboxes change with it. Said once for each, by one switch that leaves none out. Value type; its spans are the
// event's.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "event/events.pb.h"

namespace parley::broker {

struct FactShape {
  std::string_view word = {};
  std::uint32_t agent = 0;   // that it is about; 0: none, or several
  std::uint32_t person = 0;  // likewise

  std::span<const std::uint64_t> offsets = {};  // of the messages that it is about; or
  std::optional<std::uint64_t> offset = {};     // of the one
  std::span<const std::uint64_t> messages() const { return offset ? std::span(&*offset, 1) : offsets; }

  bool mail = false;                            // the agent's mailbox changes; and
  std::span<const std::uint32_t> mail_of = {};  // those of others
  std::uint32_t helper = 0;                     // to whom what was asked goes on; 0: to nobody
  bool ends_task = false;
  template <class Visit>
  void visit_mailboxes(const Visit& visit) const {
    if (mail) visit(agent);
    for (const std::uint32_t other : mail_of) visit(other);
    if (helper != 0) visit(helper);
  }
};

FactShape shape_of(const event::Event& event);

}  // namespace parley::broker
