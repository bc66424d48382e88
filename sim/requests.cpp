#include "sim/requests.hpp"

#include <algorithm>

#include "base/time.hpp"
#include "envelope/kind.hpp"
#include "sim/fields.hpp"
#include "sim/tasks.hpp"
#include "sim/time_missed.hpp"

namespace parley::sim {

using envelope::Kind;

namespace {

// By what else a profile's messages name the one that they answer.
bool replies(const event::MessageAccepted& message, const std::string& id) {
  if (message.correlation() == id) return true;
  const std::string quoted = '"' + id + '"';
  return field(message, "message") == quoted || field(message, "request") == quoted;
}

// The end of a task whose order wants a reply; a delegation's id is its task's (R38).
bool ends(const event::MessageAccepted& message, const std::string& task, const std::string& id) {
  const auto kind = static_cast<Kind>(message.kind());
  if (kind != Kind::task_complete && kind != Kind::task_fail) return false;
  return !message.task().empty() && (message.task() == task || message.task() == id);
}

// R18: on an error, whose agent waits for it.
bool decides(const event::MessageAccepted& message) {
  return field(message, "action") == R"("error_decision")";
}

// BEY-01: a question is no reply to one.
bool asks_back(const event::MessageAccepted& message) {
  const auto kind = static_cast<Kind>(message.kind());
  return kind == Kind::request || kind == Kind::help_request || kind == Kind::status_query;
}

}  // namespace

RequestChronicle::Asked* RequestChronicle::asked(const Place& place) {
  const auto at = open_.find(place);
  findings_.require(at != open_.end(), place, "PIP-08: of a request that is not open");
  return at == open_.end() ? nullptr : &at->second;
}

// Through whomever: but for the request that it asks back about, and is itself awaited for.
bool RequestChronicle::waits_for_itself(std::uint32_t workspace, const Asked& request,
                                        const std::string& asked_back) const {
  std::set<std::uint32_t> reached;
  for (const std::uint32_t agent : request.waiting)
    if (agent != request.asker && !request.never_got.contains(agent)) reached.insert(agent);  // one can answer oneself
  for (bool grew = true; grew && !reached.contains(request.asker);) {
    grew = false;
    for (const auto& [place, other] : open_) {
      if (other.reply_by || place.first != workspace || !reached.contains(other.asker)) continue;
      if (!asked_back.empty() && other.id == asked_back && other.waiting.contains(request.asker)) continue;
      for (const std::uint32_t agent : other.waiting)
        if (!other.never_got.contains(agent)) grew |= reached.insert(agent).second;
    }
  }
  return reached.contains(request.asker);
}

void RequestChronicle::lost(const Place& place, std::uint32_t agent) {
  const auto at = open_.find(place);
  if (at == open_.end()) return;
  at->second.never_got.insert(agent);
  if (!at->second.reply_by) return;
  at->second.waiting.erase(agent);
  if (at->second.waiting.empty()) open_.erase(at);
}

void RequestChronicle::comes_again(const Place& place, std::uint32_t agent) {
  if (const auto at = open_.find(place); at != open_.end()) at->second.never_got.erase(agent);
}

// BEY-01: nobody is to act upon its order any more.
void RequestChronicle::end_order(std::uint32_t workspace, const std::string& task, std::uint32_t state) {
  const auto order = orders_.find({workspace, task});
  if (state == static_cast<std::uint32_t>(TaskChronicle::State::aborted) && order != orders_.end())
    open_.erase(Place{workspace, order->second});
}

void RequestChronicle::fold(std::uint32_t workspace, std::uint64_t offset, const event::MessageAccepted& message,
                            base::Instant at) {
  const bool is_order = message.kind() == static_cast<std::uint32_t>(Kind::task_assign) && message.has_task_moved();
  if (is_order)  // a delegation's id is its task's (R38)
    orders_[{workspace, message.task().empty() ? message.message_id() : message.task()}] = offset;
  if (message.answer_timeout() > 0) {
    const Place place{workspace, offset};
    const base::Duration timeout(message.answer_timeout());
    findings_.require(message.reply_by() || message.kind() == static_cast<std::uint32_t>(Kind::request), place,
                      "PIP-08: an answer to no request");
    findings_.require(base::instant_of(message.answer_due()) == at + timeout, place,
                      "MSH-03: the time does not begin now");
    const auto& to = message.recipients();
    Asked request{message.message_id(), message.sender(),   {to.begin(), to.end()}, timeout,
                  at + timeout,         message.reply_by(), message.task(),         is_order};
    for (const std::uint32_t agent : message.asked_in_vain()) {
      findings_.require(!request.reply_by && std::ranges::count(message.bounced(), agent) == 1, place,
                        "PIP-08: asked in vain where it did not bounce");
      request.waiting.insert(agent);
      request.never_got.insert(agent);
    }
    const bool waits = !request.reply_by && !decides(message);
    const bool for_itself = waits && waits_for_itself(workspace, request, message.reply_to());
    findings_.require(!for_itself, place, "BEY-04: its asker waits for itself");
    open_[place] = std::move(request);
  }
  if (message.answers() > 0) {
    const Place place{workspace, message.answers()};
    Asked* const request = asked(place);
    if (!request) return;
    const bool names_it =
        message.reply_to() == request->id ||
        (request->reply_by && (replies(message, request->id) || ends(message, request->task, request->id)));
    const bool is_question = asks_back(message) && !decides(message);
    findings_.require(!request->reply_by || !is_question, place, "BEY-01: replied to by a question");
    findings_.require(names_it, place, "PIP-08: answered by a message that is no answer to it");
    // HND-02: who has the task now, in the place of whom its order was sent to.
    const bool in_place =
        request->is_order && ends(message, request->task, request->id) && !request->waiting.contains(message.sender());
    if (in_place)
      request->waiting.clear();
    else
      findings_.require(request->waiting.erase(message.sender()) == 1, place, "PIP-08: answered by who is not awaited");
    const auto& to = message.recipients();
    findings_.require(std::binary_search(to.begin(), to.end(), request->asker), place,
                      "PIP-08: its asker gets no answer");
    findings_.require(!request->reply_by || request->due > at, place, "BEY-01: a reply that came too late counts");
    sightings_.saw(request->reply_by ? Sighting::reply_came : Sighting::request_answered);
    if (request->waiting.empty()) open_.erase(place);
  }
  if (message.has_task_moved()) end_order(workspace, message.task(), message.task_moved().state());
  if (message.has_postpones()) {
    const Place place{workspace, message.postpones().request()};
    if (Asked* const request = asked(place)) {
      findings_.require(
          message.kind() == static_cast<std::uint32_t>(Kind::error_report) && message.reply_to() == request->id, place,
          "MSH-11: asked again after what is no error under it");
      findings_.require(message.answers() == 0, place, "MSH-11: answered, and asked again");
    }
    postpone(workspace, message.postpones(), at);
  }
  if (message.extends() > 0) {
    const Place place{workspace, message.extends()};
    Asked* const request = asked(place);
    if (!request) return;
    findings_.require(message.reply_to() == request->id, place, "MSH-03: extended by a message that is not under it");
    findings_.require(request->waiting.contains(message.sender()), place, "MSH-03: extended by who is not awaited");
    request->due = base::instant_of(message.answer_due());
    findings_.require(request->due == at + request->timeout, place, "MSH-03: not the whole time anew");
    sightings_.saw(Sighting::request_extended);
  }
}

// MSH-11: 3 sends at most, after 1 s and 2 s, of errors that may pass.
void RequestChronicle::postpone(std::uint32_t workspace, const event::RequestPostponed& event, base::Instant at) {
  const Place place{workspace, event.request()};
  Asked* const request = asked(place);
  if (!request) return;
  for (const std::uint32_t agent : event.agents()) {
    findings_.require(request->waiting.contains(agent), place, "MSH-11: who is not awaited is asked again");
    std::uint32_t& sends = request->sends[agent];
    ++sends;
    findings_.require(sends <= 2, place, "MSH-11: sent more than three times");
    const auto wait = std::chrono::seconds(sends);
    findings_.require(base::instant_of(event.again_at()) == at + wait, place,
                      "MSH-11: another wait than 1 s, then 2 s");
    request->again[agent] = base::instant_of(event.again_at());
  }
  request->due = base::instant_of(event.due());
  findings_.require(request->due == base::instant_of(event.again_at()) + request->timeout, place,
                    "MSH-03: not the whole time");
}

void RequestChronicle::fold(const event::Event& event, base::Instant at) {
  using event::Event;
  const std::uint32_t workspace = event.workspace();
  switch (event.fact_case()) {
    case Event::kMessageAccepted:
      return fold(workspace, event.offset(), event.message_accepted(), at);
    case Event::kMessageReleased:  // from then on it means what it says
      return fold(workspace, event.message_released().message(), event.message_released().as(), at);
    case Event::kRequestTimedOut: {
      const auto& over = event.request_timed_out();
      const Place place{workspace, over.request()};
      if (over.bounces() && !is_open(place)) return;  // nothing was awaited any more
      Asked* const request = asked(place);
      if (!request) return;
      findings_.require(request->due <= at, place, "MSH-03: timed out before its time");
      const std::set<std::uint32_t> silent(over.silent().begin(), over.silent().end());
      findings_.require(request->reply_by == over.bounces(), place, "BEY-01: bounced without a time to reply by");
      findings_.require(over.bounces() ? std::ranges::includes(silent, request->waiting) : silent == request->waiting,
                        place, "PIP-08: others are named silent than have not answered");
      if (!over.bounces()) sightings_.saw(Sighting::request_timed_out);
      open_.erase(place);
      return;
    }
    case Event::kTaskMoved:
      return end_order(workspace, event.task_moved().id(), event.task_moved().state());
    case Event::kMessageTakenBack:
      open_.erase(Place{workspace, event.message_taken_back().message()});
      return;
    case Event::kRequestGivenUp: {
      const auto& left = event.request_given_up();
      const Place place{workspace, left.request()};
      Asked* const request = asked(place);
      if (!request) return;
      for (const std::uint32_t agent : left.agents()) {
        findings_.require(removed_.contains({workspace, agent}), place, "PIP-08: given up of an agent that is there");
        findings_.require(request->waiting.erase(agent) == 1, place, "PIP-08: given up of who is not awaited");
      }
      findings_.require(left.bounces() == request->reply_by, place, "BEY-01: given up as what it is not");
      sightings_.saw(Sighting::request_given_up);
      if (request->waiting.empty()) open_.erase(place);
      return;
    }
    case Event::kRequestPostponed:
      return postpone(workspace, event.request_postponed(), at);
    case Event::kRequestAskedAgain: {
      const Place place{workspace, event.request_asked_again().request()};
      Asked* const request = asked(place);
      if (!request) return;
      const auto again = request->again.find(event.request_asked_again().agent());
      const bool wanted = again != request->again.end() && again->second != base::Instant{};
      findings_.require(wanted && again->second <= at, place, "MSH-11: asked again before its time");
      if (wanted) again->second = {};
      sightings_.saw(Sighting::request_asked_again);
      return;
    }
    case Event::kAgentRemoved:
      removed_.insert({workspace, event.agent_removed().number()});
      std::erase_if(open_, [&](const auto& one) {
        return one.first.first == workspace && one.second.asker == event.agent_removed().number();
      });
      return;
    case Event::kServerStarted:
    case Event::kTimeSkipped:
      for (auto& [place, request] : open_) {
        for (auto& [agent, again] : request.again)
          if (again != base::Instant{}) again += time_missed(event);
        if (!request.reply_by) request.due += time_missed(event);
      }
      return;
    default:
      return;
  }
}

}  // namespace parley::sim
