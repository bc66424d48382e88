// Requests whose answer is awaited (PIP-08, MSH-03): who asked, who has not answered yet, until when. The open ones
// only; what became of the others is in the log. Value types, part of the engine's state.
#pragma once
#include <absl/container/btree_map.h>

#include <optional>
#include <string>
#include <vector>

#include "base/packed_text.hpp"
#include "engine/messages/message.hpp"

namespace parley::engine {

struct Request {
  AgentNumber asker;
  IdKey key{};  // of its message
  base::PackedText id;
  std::string task;
  LaneId lane;
  base::Duration timeout{};
  Instant due;
  std::vector<AgentNumber> waiting;  // rising: who was asked and has not answered

  template <class Archive>
  void archive(Archive& a) {
    a(asker, key, id, task, lane, timeout, due, waiting);
  }
};

class Requests {
 public:
  std::size_t size() const { return open_.size(); }
  const absl::btree_map<Offset, Request>& open() const { return open_; }
  const Request* find(Offset offset) const {
    const auto at = open_.find(offset);
    return at == open_.end() ? nullptr : &at->second;
  }
  Request* find(Offset offset) { return const_cast<Request*>(std::as_const(*this).find(offset)); }
  // By the id of its message, for as long as it is open, however short ids are remembered.
  std::optional<Offset> find(const IdKey& key) const {
    const auto at = by_key_.find(key);
    return at == by_key_.end() ? std::nullopt : std::optional(at->second);
  }

  void add(Offset offset, Request request) {
    by_key_.emplace(request.key, offset);
    open_.emplace(offset, std::move(request));
  }
  void close(Offset offset) {
    const auto at = open_.find(offset);
    by_key_.erase(at->second.key);
    open_.erase(at);
  }

  template <class Archive>
  void archive(Archive& a) {
    a(open_);
    if constexpr (Archive::loads)
      for (const auto& [offset, request] : open_) by_key_.emplace(request.key, offset);
  }

 private:
  absl::btree_map<Offset, Request> open_;
  absl::btree_map<IdKey, Offset> by_key_;
};

}  // namespace parley::engine
