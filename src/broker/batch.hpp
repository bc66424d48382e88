// What is in a Batch: the messages of one sender, each with what ingress made of it under the terms it was read by.
// Internal to the broker.
#pragma once
#include <optional>

#include <vector>

#include "base/clock.hpp"
#include "base/hash_each.hpp"
#include "broker/block.hpp"
#include "broker/port/sending.hpp"
#include "engine/messages/message.hpp"
#include "ingress/check.hpp"
#include "profile/ruleset.hpp"

namespace parley::broker {

// How a sender's messages are read: by its registration and its workspace, both of which may change.
struct Terms {
  const profile::Ruleset* ruleset = nullptr;  // null: nobody may send
  ingress::Validation validation = ingress::Validation::strict;
  friend bool operator==(const Terms&, const Terms&) = default;
};

struct Incoming {
  Native native;
  Terms terms;                         // those it was prepared under; without a ruleset: not yet
  std::optional<base::Error> refusal;  // what ingress had against it; else
  ingress::Checked checked;            // and
  engine::IdKey id_key{};
  std::optional<std::uint32_t> gist;  // of what it says, where it was made ahead
  base::Duration took{};

  void prepare(const Terms& under, ingress::Options options);  // whose validation is the terms'
};

struct Batch::State {
  base::Clock* clock = nullptr;
  Terms terms;                      // of the time it was begun, or its sender was last admitted
  std::uint64_t admitted_at = 0;    // of Core::admissions(); 0: not yet
  base::WorkspaceNumber workspace;  // to which
  std::string workspace_name;
  base::Instant now;
  std::string sender;
  bool has_heard = false;  // the sender: what it says may come of that (BEY-04)
  std::string idempotency_key;
  std::vector<Incoming> messages;  // as many as it ever had, for their memory
  std::size_t count = 0;
  std::vector<base::ToHash> hashed;          // for its memory
  SharedBytes shared;                        // the bytes of what was prepared ahead
  std::optional<base::Duration> clock_read;  // when the message before was decided

  void make_gists();
  void hash_contents();
  void lay_down();
};

}  // namespace parley::broker
