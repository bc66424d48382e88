// What both kinds of producers share: messages for every recipient in turn, the schedule, the tally.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/bench/load.hpp"
#include "cli/bench/messages.hpp"

namespace parley::cli::bench {

class Sender {
 public:
  Sender(std::uint32_t producer, std::string_view agent, const std::vector<std::string>& recipients,
         const Settings& settings, Schedule schedule);

  struct Batch {
    Sheet sheet;  // its frame is for the caller to fill in
    std::span<const std::string_view> messages;
  };
  // The next `count` messages.
  Batch make(std::size_t count, Duration now);

  const Schedule& schedule() const { return schedule_; }

 private:
  std::uint32_t producer_;
  Schedule schedule_;
  std::vector<Messages> messages_;  // by recipient
  std::size_t next_ = 0;
};

// The outcomes of a sheet, in order; where there are none, `error` holds for all of it.
void take_outcomes(const Sheet& sheet, json::Value outcomes, const std::optional<base::Error>& error, Duration now,
                   Tally& tally);

}  // namespace parley::cli::bench
