// Mailboxes: looked into, taken from, settled; and what is dead in them.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "broker/port/call.hpp"
#include "broker/port/delivery.hpp"
#include "broker/port/settlement.hpp"

namespace parley::broker {

struct TakeRequest {
  std::uint32_t max = 1;
  base::Duration lease{};    // 0: the workspace's default
  std::string_view take_id;  // empty: none
  bool only_again = false;   // what was given under the take_id before, or nothing
};

struct CheckRequest {
  std::span<const std::string_view> delivery_ids;
  std::span<const std::string_view> message_ids;
};

class Mailboxes {
 public:
  virtual ~Mailboxes() = default;

  virtual base::Result<Answer> inbox(const Caller&, std::string_view workspace, std::string_view agent,
                                     const Page&) = 0;
  virtual base::Result<std::vector<Delivery>> take(const Caller&, std::string_view workspace, std::string_view agent,
                                                   const TakeRequest&) = 0;
  virtual base::Result<std::vector<Settled>> settle(const Caller&, std::string_view workspace, std::string_view agent,
                                                    const SettleRequest&) = 0;
  // Whether what an agent has got is still to be acted upon (BEY-03), all at one moment.
  virtual base::Result<Answer> check(const Caller&, std::string_view workspace, std::string_view agent,
                                     const CheckRequest&) = 0;

  virtual base::Result<Answer> dead_letters(const Caller&, std::string_view workspace, const Page&) = 0;
  // `delivery_id` as the list of dead letters gives it.
  virtual base::Result<Answer> redrive(const Caller&, std::string_view workspace, std::string_view delivery_id) = 0;
  virtual base::Result<Answer> discard(const Caller&, std::string_view workspace, std::string_view delivery_id) = 0;
};

}  // namespace parley::broker
