#include "engine/requests/deadlock.hpp"

#include <absl/container/btree_set.h>

#include <span>
#include <vector>

#include "base/quoted.hpp"
#include "engine/help/follow.hpp"
#include "engine/requests/follow.hpp"
#include "engine/tasks/refusal.hpp"

namespace parley::engine {
namespace {

constexpr std::size_t deadlock_looks = 10'000;  // agents and requests a search (D11)
constexpr std::size_t named_max = 16;           // of a cycle

// Who must answer what before the new request is answered.
struct Answer {
  AgentNumber agent;
  Offset request;    // also one for help; 0: the new one
  std::size_t from;  // whose agent waits for it; of the new one's answers nobody's but the asker's
};

// `about`: what the new request is asked about.
class Search {
 public:
  Search(const Workspace& workspace, AgentNumber asker, const About& about)
      : workspace_(workspace), asker_(asker), about_(about) {}

  // Whether one of these answers only once the asker has answered another, however far; or the asker asks itself alone.
  bool closes(std::span<const AgentNumber> asked) {
    if (asked.size() == 1 && asked.front() == asker_) {
      answers_.push_back({asker_, {}, 0});
      return true;
    }
    for (const AgentNumber agent : asked)
      if (agent != asker_) reach({agent, {}, 0});  // in a list of others: it can answer while it waits for them
    for (std::size_t at = 0; at < answers_.size() && looks_ > 0; ++at)
      if (follow(at)) return true;
    return false;
  }

  // "'c' would wait for 'a', who waits for 'b' (request 'x'), who waits for 'c' (request 'y')".
  std::string cycle() const {
    std::string text;
    const Answer* answer = &answers_.back();
    for (std::size_t named = 1; answer->request != Offset{} && named < named_max; ++named) {
      text = ", who waits for '" + name(answer->agent) + "' (request " + id_of(answer->request) + ")" + text;
      answer = &answers_[answer->from];
    }
    const std::string whom = answer->agent == asker_ ? "itself" : "'" + name(answer->agent) + "'";
    return "'" + name(asker_) + "' would wait for " + whom + text;
  }

 private:
  const std::string& name(AgentNumber agent) const { return workspace_.registry.agent(agent).id; }
  std::string id_of(Offset offset) const {
    const Request* const request = workspace_.requests.find(offset);
    return base::quoted((request ? request->id : workspace_.help.at(offset).id).view());
  }
  const About& about(Offset offset) const {
    if (offset == Offset{}) return about_;
    const Request* const request = workspace_.requests.find(offset);
    return request ? request->about : workspace_.help.at(offset).about;
  }
  // Who is asked about a request of its own answers while it waits, but for what it asked so that it can answer.
  bool can_wait(const Answer& answer, const About& waits) const {
    const bool asked_back = about(answer.request).asker == answer.agent;
    return !asked_back || (answer.request != Offset{} && waits.request == answer.request);
  }

  // Whether it closes a ring: the asker's own, which must wait for the new request. It is the last one then.
  bool reach(const Answer& answer) {
    if (!reached_.insert({answer.agent, answer.request}).second) return false;
    answers_.push_back(answer);
    return answer.agent == asker_ && can_wait(answer, about_);
  }
  bool follow(std::size_t at) {
    const Answer answer = answers_[at];
    if (about(answer.request).asker != answer.agent && !stopped_.insert(answer.agent).second) return false;
    for (const Offset offset : workspace_.requests.of(answer.agent)) {
      if (looks_ == 0) return false;
      --looks_;
      const Request& request = *workspace_.requests.find(offset);
      if (request.reply_by || !can_wait(answer, request.about)) continue;  // a time to reply by is no wait
      for (const AgentNumber awaited : request.waiting) {
        if (looks_ > 0) --looks_;
        if (!can_answer(offset, awaited)) continue;
        if (reach({awaited, offset, at})) return true;
      }
    }
    for (const Offset offset : workspace_.help.of(answer.agent)) {
      if (looks_ == 0) return false;
      --looks_;
      const Help& help = workspace_.help.at(offset);
      const bool awaited = help.state == HelpState::asked && !has_reply_by(offset);
      if (awaited && can_wait(answer, help.about) && reach({help.helper(), offset, at})) return true;
    }
    return false;
  }
  // It has reached it, or will.
  bool can_answer(Offset request, AgentNumber awaited) const {
    const Message* const message = workspace_.messages.find(request);
    const Receipt* const receipt = message ? message->receipt_of(awaited) : nullptr;
    return !receipt || open(receipt->state) || taken(receipt->state) || receipt->state == ReceiptState::held;
  }
  bool has_reply_by(Offset offset) const {
    const Request* const request = workspace_.requests.find(offset);
    return request && request->reply_by;
  }

  const Workspace& workspace_;
  const AgentNumber asker_;
  const About about_;
  std::size_t looks_ = deadlock_looks;
  std::vector<Answer> answers_;  // in the order they were reached
  absl::btree_set<std::pair<AgentNumber, Offset>> reached_;
  absl::btree_set<AgentNumber> stopped_;  // by whatever they wait for
};

// A decision on an error lets its agent go on, whatever answer it wants.
bool decides(const AcceptMessage& command) {
  return command.ruleset.errors && !envelope::field(command.envelope, "decision").empty();
}

bool waits(const AcceptMessage& command) {
  return !decides(command) && command.reply_by == Instant{} && (awaits_answer(command) || asks_for_help(command));
}

About about_of(const AcceptMessage& command, const Workspace& workspace) {
  return about_of(workspace, command.sender, command.envelope.reply_to, command.envelope.correlation);
}

}  // namespace

About about_of(const Workspace& workspace, AgentNumber sender, std::string_view reply_to,
               std::string_view correlation) {
  if (const auto request = workspace.requests.find(reply_to, sender))
    return {*request, workspace.requests.find(*request)->asker};
  const auto offset = workspace.help.find(reply_to.empty() ? correlation : reply_to);
  if (!offset) return {};
  const Help& help = workspace.help.at(*offset);
  if (help.over() || help.helper() != sender) return {};
  return {*offset, help.asker};
}

bool waits_for_asker(const Workspace& workspace, AgentNumber helper, const Help& help) {
  return Search(workspace, help.asker, help.about).closes({&helper, 1});
}

bool closes_ring(const AcceptMessage& command, const Workspace& workspace, AgentNumber asked) {
  return waits(command) && Search(workspace, command.sender, about_of(command, workspace)).closes({&asked, 1});
}

base::Result<> check_deadlock(const AcceptMessage& command, const Workspace& workspace, const Recipients& recipients) {
  if (!waits(command)) return {};
  Search search(workspace, command.sender, about_of(command, workspace));
  if (!search.closes(recipients.open)) return {};
  const bool asks_itself = recipients.open.size() == 1 && recipients.open.front() == command.sender;
  auto error = base::fail(base::ErrorCode::WAIT_CYCLE, search.cycle(), "recipients",
                          asks_itself ? "Ask another; or note it in a message that awaits no answer." : "");
  error.error().legal_next = types_of(command.ruleset, {envelope::Kind::response, envelope::Kind::help_reply},
                                      workspace.registry.agent(command.sender));
  return error;
}

}  // namespace parley::engine
