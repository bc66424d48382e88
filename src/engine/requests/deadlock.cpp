#include "engine/requests/deadlock.hpp"

#include <absl/container/btree_map.h>

#include <algorithm>
#include <span>

#include "base/excerpt.hpp"
#include "engine/help/follow.hpp"
#include "engine/requests/follow.hpp"

namespace parley::engine {
namespace {

constexpr std::size_t looks_max = 10'000;  // agents and requests a search (D11)
constexpr std::size_t named_max = 16;      // of a cycle

// How the search came to an agent: from whom, by which request of theirs, also one for help; both 0 for who is asked
// now.
struct Way {
  AgentNumber from;
  Offset request;
};

// `left_out`: a request that waits for nothing that the new one needs.
class Search {
 public:
  Search(const Workspace& workspace, AgentNumber asker, std::optional<Offset> left_out)
      : workspace_(workspace), asker_(asker), left_out_(left_out) {}

  // Whether the asker is among those whom these wait for, however far.
  bool closes(std::span<const AgentNumber> asked) {
    for (const AgentNumber agent : asked)
      if (agent != asker_) reach(agent, {});  // what one asks of oneself one can answer
    for (std::size_t at = 0; at < reached_.size() && looks_ > 0; ++at)
      if (follow(reached_[at])) return true;
    return false;
  }

  // "'c' would wait for 'a', who waits for 'b' (request 'x'), who waits for 'c' (request 'y')".
  std::string cycle() const {
    std::string text;
    AgentNumber agent = asker_;
    for (std::size_t named = 0; named < named_max; ++named) {
      const Way& way = ways_.at(agent);
      if (way.from == AgentNumber{}) break;
      const Request* const request = workspace_.requests.find(way.request);
      const base::PackedText& id = request ? request->id : workspace_.help.at(way.request).id;
      text = ", who waits for '" + name(agent) + "' (request '" + base::excerpt(id.view(), 128) + "')" + text;
      agent = way.from;
    }
    return "'" + name(asker_) + "' would wait for '" + name(agent) + "'" + text;
  }

 private:
  const std::string& name(AgentNumber agent) const { return workspace_.registry.agent(agent).id; }

  void reach(AgentNumber agent, Way way) {
    if (ways_.emplace(agent, way).second) reached_.push_back(agent);
  }
  bool follow(AgentNumber agent) {
    for (const Offset offset : workspace_.requests.of(agent)) {
      if (looks_ == 0) return false;
      --looks_;
      const Request& request = *workspace_.requests.find(offset);
      if (offset == left_out_ || request.reply_by) continue;  // who wants to hear by a time does not wait for it
      for (const AgentNumber awaited : request.waiting) {
        reach(awaited, {agent, offset});
        if (awaited == asker_) return true;
        if (looks_ > 0) --looks_;
      }
    }
    for (const Offset offset : workspace_.help.of(agent)) {
      if (looks_ == 0) return false;
      --looks_;
      const Help& help = workspace_.help.at(offset);
      if (offset == left_out_ || help.state != HelpState::asked) continue;
      reach(help.helper(), {agent, offset});
      if (help.helper() == asker_) return true;
    }
    return false;
  }

  const Workspace& workspace_;
  const AgentNumber asker_;
  const std::optional<Offset> left_out_;
  std::size_t looks_ = looks_max;
  std::vector<AgentNumber> reached_;  // in the order they were
  absl::btree_map<AgentNumber, Way> ways_;
};

bool waits(const AcceptMessage& command) {
  return command.reply_by == Instant{} && (awaits_answer(command) || asks_for_help(command));
}

// The request that this one is about, and whose it is: to ask that one back is to wait for what its answer needs.
struct Named {
  Offset request;
  AgentNumber asker;
};

std::optional<Named> named_by(const AcceptMessage& command, const Workspace& workspace) {
  const envelope::Envelope& envelope = command.envelope;
  if (const auto request = workspace.requests.find(envelope.reply_to, command.sender))
    return Named{*request, workspace.requests.find(*request)->asker};
  const auto offset = workspace.help.find(envelope.reply_to.empty() ? envelope.correlation : envelope.reply_to);
  if (!offset) return std::nullopt;
  const Help& help = workspace.help.at(*offset);
  if (help.over() || help.helper() != command.sender) return std::nullopt;
  return Named{*offset, help.asker};
}

// The ring that the message would close; empty: none.
std::string ring_of(const AcceptMessage& command, const Workspace& workspace, std::vector<AgentNumber> asked) {
  const auto named = named_by(command, workspace);
  const auto is_back = [&](AgentNumber agent) { return named && agent == named->asker; };
  const auto others = std::ranges::stable_partition(asked, is_back);
  Search back(workspace, command.sender, named ? std::optional(named->request) : std::nullopt);
  if (back.closes({asked.begin(), others.begin()})) return back.cycle();
  Search search(workspace, command.sender, std::nullopt);
  return search.closes(others) ? search.cycle() : std::string();
}

}  // namespace

bool waits_for(const Workspace& workspace, AgentNumber asked, AgentNumber asker) {
  return Search(workspace, asker, std::nullopt).closes({&asked, 1});
}

bool closes_ring(const AcceptMessage& command, const Workspace& workspace, AgentNumber asked) {
  return waits(command) && !ring_of(command, workspace, {asked}).empty();
}

base::Result<> check_deadlock(const AcceptMessage& command, const Workspace& workspace, const Recipients& recipients) {
  if (!waits(command)) return {};
  std::string ring = ring_of(command, workspace, recipients.open);
  if (ring.empty()) return {};
  return base::fail(base::ErrorCode::WAIT_CYCLE, std::move(ring), "recipients");
}

}  // namespace parley::engine
