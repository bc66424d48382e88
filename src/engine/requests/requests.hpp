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
#include "engine/by_agent.hpp"
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
  std::vector<AgentNumber> waiting;  // rising: who was asked and has not answered; nobody where it reached nobody
  bool reply_by = false;             // its sender's own deadline: unmet, the message bounces (BEY-01)
  bool asks = true;                  // it is answered for good; else its sender wants to hear, and it may be more
  About about{};
  absl::btree_map<AgentNumber, AskedAgain> again{};

  std::uint32_t sends_to(AgentNumber agent) const;
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
  const absl::btree_set<Offset>& of(AgentNumber asker) const { return by_asker_.of(asker); }
  // The first few that wait for this agent.
  std::vector<Offset> awaited_from(AgentNumber agent, std::size_t most) const;
  bool is_awaited_from(AgentNumber agent, Offset offset) const;
  const Request* find(Offset offset) const;
  Request* find(Offset offset);

  // The newest whose message has this id and that waits for the agent. One id may be of several messages: in some
  // profiles it is another at each recipient (R7), and a forgotten one may come again (R8).
  std::optional<Offset> find(std::string_view id, AgentNumber awaited) const;

  void add(Offset offset, Request request);
  // Nothing more is awaited from this agent. Whether anybody else is waited for.
  bool settle(Offset offset, AgentNumber agent);
  void close(Offset offset);

  template <class Archive>
  void archive(Archive& a) {
    a(open_);
    if constexpr (Archive::loads)
      for (const auto& [offset, request] : open_) index(offset, request);
  }

 private:
  static constexpr std::size_t looks_max = 1'000;  // D11

  void index(Offset offset, const Request& request);

  absl::btree_map<Offset, Request> open_;
  absl::btree_set<std::pair<IdKey, Offset>> by_id_;
  OffsetsByAgent by_asker_;
  std::size_t with_reply_by_ = 0;
  absl::btree_set<std::pair<AgentNumber, Offset>> by_awaited_;
};

}  // namespace parley::engine
