// Requests whose answer is awaited (PIP-08, MSH-03): who asked, who has not answered yet, until when. The open ones
// only; what became of the others is in the log. Value types, part of the engine's state.
#pragma once
#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/packed_text.hpp"
#include "engine/messages/message.hpp"
#include "engine/requests/about.hpp"

namespace parley::engine {

// Who is asked more than once (MSH-11).
struct AskedAgain {
  std::uint32_t sends = 1;  // so far, and what is to come
  Instant at;               // when the next is; 0: it was

  template <class Archive>
  void archive(Archive& a) {
    a(sends, at);
  }
};

struct Request {
  AgentNumber asker;
  base::PackedText id;  // of its message
  std::string task;
  base::Duration timeout{};
  Instant due;
  std::vector<AgentNumber> waiting;  // rising: who was asked and has not answered
  bool reply_by = false;             // its sender's own deadline: unmet, the message bounces (BEY-01)
  bool asks = true;                  // it is answered for good; else its sender wants to hear, and it may be more
  About about{};
  absl::btree_map<AgentNumber, AskedAgain> again{};

  std::uint32_t sends_to(AgentNumber agent) const {
    const auto at = again.find(agent);
    return at == again.end() ? 1 : at->second.sends;
  }
  bool waits_for(AgentNumber agent) const { return std::binary_search(waiting.begin(), waiting.end(), agent); }

  template <class Archive>
  void archive(Archive& a) {
    a(asker, id, task, timeout, due, waiting, reply_by, asks, about, again);
  }
};

class Requests {
 public:
  std::size_t size() const { return open_.size(); }
  std::size_t with_reply_by() const { return with_reply_by_; }
  std::size_t size(AgentNumber asker) const { return of(asker).size(); }
  const absl::btree_map<Offset, Request>& open() const { return open_; }
  const absl::btree_set<Offset>& of(AgentNumber asker) const {
    static const absl::btree_set<Offset> none;
    const auto at = by_asker_.find(asker);
    return at == by_asker_.end() ? none : at->second;
  }
  // The first few that wait for this agent.
  std::vector<Offset> awaited_from(AgentNumber agent, std::size_t most) const {
    std::vector<Offset> offsets;
    for (auto at = by_awaited_.lower_bound({agent, Offset{}});
         at != by_awaited_.end() && at->first == agent && offsets.size() < most; ++at)
      offsets.push_back(at->second);
    return offsets;
  }
  bool is_awaited_from(AgentNumber agent, Offset offset) const { return by_awaited_.contains({agent, offset}); }
  const Request* find(Offset offset) const {
    const auto at = open_.find(offset);
    return at == open_.end() ? nullptr : &at->second;
  }
  Request* find(Offset offset) { return const_cast<Request*>(std::as_const(*this).find(offset)); }

  // The newest whose message has this id and that waits for the agent. One id may be of several messages: in some
  // profiles it is another at each recipient (R7), and a forgotten one may come again (R8).
  std::optional<Offset> find(std::string_view id, AgentNumber awaited) const {
    const IdKey key = id_key_of(id);
    std::size_t looks = looks_max;
    for (auto at = by_id_.lower_bound({key, Offset(UINT64_MAX)}); at != by_id_.begin() && looks > 0; --looks) {
      --at;
      if (at->first != key) break;
      if (open_.at(at->second).waits_for(awaited)) return at->second;
    }
    return std::nullopt;
  }

  void add(Offset offset, Request request) {
    index(offset, request);
    open_.emplace(offset, std::move(request));
  }
  // Nothing more is awaited from this agent. Whether anybody else is waited for.
  bool settle(Offset offset, AgentNumber agent) {
    std::vector<AgentNumber>& waiting = open_.at(offset).waiting;
    std::erase(waiting, agent);
    open_.at(offset).again.erase(agent);
    by_awaited_.erase({agent, offset});
    return !waiting.empty();
  }
  void close(Offset offset) {
    const auto at = open_.find(offset);
    for (const AgentNumber agent : at->second.waiting) by_awaited_.erase({agent, offset});
    by_id_.erase({id_key_of(at->second.id.view()), offset});
    if (at->second.reply_by) --with_reply_by_;
    const auto mine = by_asker_.find(at->second.asker);
    mine->second.erase(offset);
    if (mine->second.empty()) by_asker_.erase(mine);
    open_.erase(at);
  }

  template <class Archive>
  void archive(Archive& a) {
    a(open_);
    if constexpr (Archive::loads)
      for (const auto& [offset, request] : open_) index(offset, request);
  }

 private:
  static constexpr std::size_t looks_max = 1'000;  // D11

  void index(Offset offset, const Request& request) {
    by_id_.insert({id_key_of(request.id.view()), offset});
    by_asker_[request.asker].insert(offset);
    if (request.reply_by) ++with_reply_by_;
    for (const AgentNumber agent : request.waiting) by_awaited_.insert({agent, offset});
  }

  absl::btree_map<Offset, Request> open_;
  absl::btree_set<std::pair<IdKey, Offset>> by_id_;
  absl::btree_map<AgentNumber, absl::btree_set<Offset>> by_asker_;
  std::size_t with_reply_by_ = 0;
  absl::btree_set<std::pair<AgentNumber, Offset>> by_awaited_;
};

}  // namespace parley::engine
