#include "sim/errors.hpp"

#include <algorithm>

#include "envelope/kind.hpp"
#include "sim/texts.hpp"

namespace parley::sim {
namespace {

constexpr std::uint32_t undecided = 1, last_decision = 4;
constexpr std::ptrdiff_t most_of_one = 100;
constexpr std::string_view deciding_role = "orchestration";

}  // namespace

ErrorWord error_word(json::Value message) {
  ErrorWord word;
  word.to = text_at(message, "/to_agent");
  word.id = text_at(message, "/data/error_message_id");
  if (word.id.empty()) word.id = text_at(message, "/in_response_to");
  return word;
}

void ErrorChronicle::report(const Place& place, const event::MessageAccepted& message) {
  const event::ErrorMoved& moved = message.error_moved();
  findings_.require(moved.agent() == message.sender(), place, "PIP-11: an agent waits for what another has reported");
  findings_.require(moved.status() == (moved.blocked().empty() ? "ERROR" : "BLOCKED"), place, "PIP-11: another status");
  findings_.require(count_of(place.first, message.sender()) < most_of_one, place,
                    "D11: more errors of one agent wait than may");
  waiting_[place] = {message.sender(), message.message_id()};
  sightings_.saw(Sighting::error_reported);
}

void ErrorChronicle::decide(const Place& place, const event::MessageAccepted& message) {
  findings_.require(message.kind() == static_cast<std::uint32_t>(envelope::Kind::request), place,
                    "R18: decided by no request");
  findings_.require(roles_[{place.first, message.sender()}] == deciding_role, place, "PIP-11: decided by who may not");
  for (const std::uint64_t error : message.error_moved().errors()) {
    const auto known = waiting_.find({place.first, error});
    if (known == waiting_.end()) {
      findings_.require(false, {place.first, error}, "PIP-11: decided, and does not wait");
      continue;
    }
    const auto& to = message.recipients();
    findings_.require(
        known->second.agent == message.sender() || std::binary_search(to.begin(), to.end(), known->second.agent), place,
        "PIP-11: who waits does not hear of it");
    waiting_.erase(known);
    sightings_.saw(Sighting::error_decided);
  }
}

std::ptrdiff_t ErrorChronicle::count_of(std::uint32_t workspace, std::uint32_t agent) const {
  return std::ranges::count_if(
      waiting_, [&](const auto& one) { return one.first.first == workspace && one.second.agent == agent; });
}

bool ErrorChronicle::waits(std::uint32_t workspace, std::uint32_t agent, const std::string& id) const {
  return std::ranges::any_of(waiting_, [&](const auto& one) {
    return one.first.first == workspace && one.second.agent == agent && (id.empty() || one.second.id == id);
  });
}

void ErrorChronicle::refused(std::uint32_t workspace, std::uint64_t head, ErrorWord word) {
  workspaces_[workspace].refused.add(head, std::move(word));
}

bool ErrorChronicle::is_right(std::uint32_t number, const Workspace& workspace, const ErrorWord& word) const {
  if (word.code == base::ErrorCode::ERRORS_FULL) return count_of(number, word.sender) >= most_of_one;
  const auto role = roles_.find({number, word.sender});
  const bool decides = role != roles_.end() && role->second == deciding_role;
  if (word.code == base::ErrorCode::ERROR_NOT_YOURS) return !decides;
  const auto to = workspace.agents.find(word.to);
  if (word.to == "all" || to == workspace.agents.end()) return true;  // whom it reaches is not judged here
  const bool on_own = !word.id.empty() && waits(number, word.sender, word.id);
  return !waits(number, to->second, word.id) && !on_own;
}

void ErrorChronicle::judge_refusals(std::uint32_t number, Workspace& workspace) {
  workspace.refused.judge(workspace.head, [&](const ErrorWord& word) {
    findings_.require(is_right(number, workspace, word), {number, workspace.head},
                      "PIP-11: refused as " + std::string(base::info(word.code).name) + ", and was right");
    sightings_.saw(word.code == base::ErrorCode::ERROR_NOT_YOURS ? Sighting::error_not_yours_refused
                                                                 : Sighting::error_unknown_refused);
  });
}

void ErrorChronicle::remove(std::uint32_t workspace, std::uint32_t agent) {
  std::erase_if(waiting_, [&](const auto& one) { return one.first.first == workspace && one.second.agent == agent; });
  std::erase_if(workspaces_[workspace].agents, [&](const auto& one) { return one.second == agent; });
}

void ErrorChronicle::fold(const event::Event& event) {
  using event::Event;
  const std::uint32_t number = event.workspace();
  if (event.has_server_started())  // what was refused behind this was decided on what is lost
    for (auto& [each, workspace] : workspaces_) {
      judge_refusals(each, workspace);
      workspace.refused.clear();
    }
  if (number == 0) return;
  Workspace& workspace = workspaces_[number];
  judge_refusals(number, workspace);
  workspace.head = event.offset();
  switch (event.fact_case()) {
    case Event::kAgentRegistered:
      workspace.agents[event.agent_registered().agent_id()] = event.agent_registered().number();
      roles_[{number, event.agent_registered().number()}] = event.agent_registered().properties().agent_type();
      return;
    case Event::kAgentChanged:
      roles_[{number, event.agent_changed().number()}] = event.agent_changed().properties().agent_type();
      return;
    case Event::kAgentRemoved:
      return remove(number, event.agent_removed().number());
    case Event::kMessageAccepted:
      return fold({number, event.offset()}, event.message_accepted());
    case Event::kMessageReleased:
      return fold({number, event.message_released().message()}, event.message_released().as());
    case Event::kMessageTakenBack:
      if (waiting_.erase({number, event.message_taken_back().message()}) > 0)
        sightings_.saw(Sighting::error_taken_back);
      return;
    default:
      return;
  }
}

void ErrorChronicle::fold(const Place& place, const event::MessageAccepted& message) {
  if (!message.has_error_moved()) return;
  const event::ErrorMoved& moved = message.error_moved();
  findings_.require(moved.state() >= undecided && moved.state() <= last_decision, place, "PIP-11: no such state");
  if (moved.state() > undecided) return decide(place, message);
  if (moved.errors_size() == 0) return report(place, message);
  for (const std::uint64_t error : moved.errors())
    findings_.require(waiting_.contains({place.first, error}), place, "PIP-11: passed on, and does not wait");
  sightings_.saw(Sighting::error_passed_on);
}

}  // namespace parley::sim
