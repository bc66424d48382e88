// What the API answers without what differs each time a story is told: see Ending.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "cli/scenario/story.hpp"

namespace parley::cli::scenario {

// A reference to the story, which outlives it. Value type.
class Plain {
 public:
  explicit Plain(const Story& story);

  void name_offset(std::uint64_t offset, std::string_view message_id);

  // A text: ids and times named.
  std::string operator()(std::string_view text) const;
  // The value as JSON, members by name.
  std::string text(json::Value value) const;
  // Each leaf with its path below `path`.
  void each(const std::string& path, json::Value value,
            const std::function<void(const std::string& path, std::string json)>& leaf) const;

 private:
  std::string leaf_text(std::string_view key, json::Value value) const;

  std::map<std::string, std::string, std::less<>> steps_;  // message id to name
  std::map<std::uint64_t, std::string> offsets_;           // to what message_id is called
};

}  // namespace parley::cli::scenario
