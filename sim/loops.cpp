#include "sim/loops.hpp"

#include <algorithm>

#include "envelope/kind.hpp"
#include "sim/fields.hpp"

namespace parley::sim {

using envelope::Kind;

namespace {

// Never held, and on nobody's account; it hands on what set it off.
bool is_free(Kind kind) {
  switch (kind) {
    case Kind::task_ack:
    case Kind::task_progress:
    case Kind::task_abort:
    case Kind::review_request:
    case Kind::review_result:
    case Kind::status_report:
    case Kind::heartbeat:
    case Kind::health_check:
    case Kind::approval_request:
    case Kind::approval_decision:
      return true;
    default:
      return false;
  }
}

// Nor is what tells an asker that work on its request goes on.
bool is_free(const event::MessageAccepted& message) {
  return is_free(static_cast<Kind>(message.kind())) || message.extends() > 0;
}

// Held for a human; not for other tasks (COL-10).
bool asks(const event::MessageAccepted& message) {
  return message.held() && message.approval_timeout() > 0;
}

}  // namespace

void LoopChronicle::set(std::uint32_t workspace, const event::Settings& settings) {
  Bounds& bounds = bounds_[workspace];
  if (settings.has_loop_hops()) bounds.hops = settings.loop_hops();
  if (settings.has_loop_rounds()) bounds.rounds = settings.loop_rounds();
  if (settings.has_loop_messages()) bounds.messages = settings.loop_messages();
  if (settings.has_risk_thresholds()) bounds.risk = settings.risk_thresholds().high();
}

// The last messages before this one, each the cause of the next, are so many times the same in the same order.
bool LoopChronicle::comes_again(std::uint32_t workspace, const Said& said, std::uint32_t rounds) {
  std::vector<Said> chain{said};
  while (chain.size() <= std::size_t{32} * (rounds + 1)) {
    const auto before = said_.find({workspace, chain.back().cause});
    if (before == said_.end()) break;
    chain.push_back(before->second);
  }
  const auto same = [&](std::size_t a, std::size_t b) {
    return chain[a].sender == chain[b].sender && chain[a].gist == chain[b].gist;
  };
  for (std::size_t period = 1; period <= 32 && period < chain.size(); ++period) {
    if (!same(0, period)) continue;
    for (std::size_t i = 0; i < period * rounds; ++i)
      if (i + period >= chain.size() || !same(i, i + period)) return false;
    return true;
  }
  return false;
}

bool LoopChronicle::over(std::uint32_t workspace, const Said& said) {
  const Bounds& bounds = bounds_[workspace];
  if (bounds.hops > 0 && said.hops > bounds.hops) return true;
  if (bounds.messages > 0 && said.root > 0 && accounts_[{workspace, said.root}] >= bounds.messages) return true;
  return bounds.rounds > 0 && comes_again(workspace, said, bounds.rounds);
}

void LoopChronicle::check_steps(const Place& place, const event::MessageAccepted& message) {
  findings_.require(message.cause() < place.second, place, "BEY-04: set off by what came later");
  const bool free = is_free(message);
  if (message.hops() == 0 && !free)
    return findings_.require(message.root() == 0, place, "BEY-04: on an account without an answer");
  // What it names, or what its sender heard after that; several may have the id (R7, R8).
  std::vector<std::uint64_t> named;
  std::vector<std::string> ids{message.reply_to(), message.correlation()};
  if (const std::string_view request = unquoted(field(message, "request")); !request.empty())  // 002, HelpResponse
    ids.emplace_back(request);
  for (const std::string& id : ids)
    if (const auto known = ids_.find({place.first, id}); known != ids_.end())
      named.insert(named.end(), known->second.begin(), known->second.end());
  findings_.require(std::ranges::any_of(named,
                                        [&](std::uint64_t offset) {
                                          return offset <= message.cause() && (!free || offset == message.cause()) &&
                                                 adds_up({place.first, offset}, message, free ? 0 : 1);
                                        }),
                    place, "BEY-04: steps and account are not those of what it names");
}

// One answer, or none, more than to what it answers, and on the same account.
bool LoopChronicle::adds_up(const Place& answered, const event::MessageAccepted& message, std::uint32_t more) const {
  const auto before = said_.find(answered);
  const bool goes_on = before != said_.end();
  const std::uint64_t root = goes_on && before->second.root > 0 ? before->second.root : answered.second;
  return message.hops() == (goes_on ? before->second.hops : 0) + more && message.root() == root;
}

// HND-13: from the workspace's threshold on an assignment is held for its own sake. The risk of one that went out
// stands in its task.
bool LoopChronicle::held_for_risk(const Place& place, const event::MessageAccepted& message) {
  const auto& from = bounds_[place.first].risk;
  const bool out = from && message.task_moved().has_risk() && message.task_moved().risk() >= *from;
  findings_.require(!out, place, "HND-13: risky, and nobody looked at it");
  return from && asks(message) && message.approval_why().starts_with("its risk is");
}

void LoopChronicle::accept(const Place& place, const event::MessageAccepted& message) {
  ids_[{place.first, message.message_id()}].push_back(place.second);
  const auto kind = static_cast<Kind>(message.kind());
  const bool for_itself =
      kind == Kind::task_complete || kind == Kind::task_fail || held_for_risk(place, message);  // SUP-04
  if (message.cause() == 0) {
    if (!for_itself) findings_.require(!asks(message), place, "BEY-04: held, and comes of nothing");
    return;
  }
  check_steps(place, message);
  const Said said{message.cause(), message.root(), message.sender(), message.hops(), message.gist()};
  if (is_free(message)) {
    said_[place] = said;
    return;
  }
  const bool is_over = over(place.first, said);
  const bool decided = message.approval_timeout() > 0;  // it asks for a human by itself
  if (is_over && message.recipients_size() > 0)
    findings_.require(decided, place, "BEY-04: over a bound, and no human looks");
  if (asks(message) && !for_itself) findings_.require(is_over, place, "BEY-04: held within the bounds");
  if (is_over && message.held()) sightings_.saw(Sighting::loop_held);
  said_[place] = said;
  if (said.root > 0) ++accounts_[{place.first, said.root}];
}

void LoopChronicle::fold(const event::Event& event) {
  using event::Event;
  const std::uint32_t workspace = event.workspace();
  switch (event.fact_case()) {
    case Event::kWorkspaceCreated:
      return set(event.workspace_created().number(), event.workspace_created().settings());
    case Event::kWorkspaceChanged:
      return set(workspace, event.workspace_changed().settings());
    case Event::kMessageAccepted:
      return accept({workspace, event.offset()}, event.message_accepted());
    case Event::kMessageReleased:
      said_.erase({workspace, event.message_released().message()});
      return;
    default:
      return;
  }
}

}  // namespace parley::sim
