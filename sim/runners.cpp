#include "sim/runners.hpp"

#include <algorithm>

#include "base/time.hpp"
#include "envelope/kind.hpp"
#include "sim/fields.hpp"

namespace parley::sim {
namespace {

using namespace std::chrono_literals;

constexpr base::Duration believed_for = 24h;
constexpr std::uint32_t unsigned_missing = 1;  // as journaled

}  // namespace

// A key is one runner's, once; an id gets another key when its old one is revoked.
void RunnerChronicle::register_runner(Workspace& workspace, const Place& place, const event::RunnerRegistered& event) {
  const auto known = workspace.runners.find(event.runner_id());
  findings_.require(known == workspace.runners.end() || known->second.revoked, place,
                    "BEY-05: a runner got another key while its own counts");
  findings_.require(workspace.keys.insert(event.key()).second, place, "BEY-05: a key was registered a second time");
  Runner runner;
  findings_.require(event.key().size() == runner.key.size(), place, "BEY-05: a key of another length");
  if (event.key().size() == runner.key.size()) std::copy(event.key().begin(), event.key().end(), runner.key.begin());
  runner.until = base::instant_of(event.valid_until());
  workspace.runners[event.runner_id()] = runner;
}

std::string RunnerChronicle::fault_of(const Workspace& workspace, const std::string& token, std::string_view task,
                                      std::string_view review, base::Instant at) const {
  const auto known = signed_.find(token);
  if (known == signed_.end()) return "nobody signed it";
  const Signing& signing = known->second;
  const auto runner = workspace.runners.find(signing.runner);
  if (runner == workspace.runners.end()) return "its runner is not registered";
  if (runner->second.revoked) return "its runner's key was revoked";
  if (runner->second.until != base::Instant{} && runner->second.until <= at) return "its runner's key is too old";
  if (runner->second.key != signing.key) return "another signed it";
  if (signing.at < at - believed_for || signing.at > at + believed_for) return "it is of another day";
  if (signing.workspace != workspace.name || signing.task != task || signing.review != review)
    return "it is about something else";
  return signing.agrees ? "" : "it says something else";
}

void RunnerChronicle::judge(const Place& place, const event::MessageAccepted& message, base::Instant at) {
  const event::ReviewMoved& moved = message.review_moved();
  const bool of_result = message.kind() == static_cast<std::uint32_t>(envelope::Kind::review_result);
  findings_.require(message.evidence().empty() || of_result, place, "BEY-05: evidence of nothing");
  if (!of_result || !message.has_review_moved()) return;
  const Workspace& workspace = workspaces_[place.first];
  findings_.require(
      moved.has_attested() == !message.evidence().empty(), place,
      moved.has_attested() ? "BEY-05: shown as signed, and nobody signed" : "BEY-05: signed, and not shown so");
  const bool approves = unquoted(field(message, "verdict")) == "approved";
  findings_.require(!approves || !workspace.unsigned_is_missing || moved.has_attested(), place,
                    "COL-23: approved on nobody's word where unsigned checks are missing");
  if (!moved.has_attested()) return;
  const std::string fault =
      fault_of(workspace, message.evidence(), message.task(), unquoted(field(message, "review")), at);
  findings_.require(fault.empty(), place, "BEY-05: evidence is believed, and " + fault);
  if (!fault.empty()) return;
  const Signing& signing = signed_.at(message.evidence());
  const event::Attested& shown = moved.attested();
  const bool same = shown.runner() == signing.runner && base::instant_of(shown.at()) == signing.at &&
                    std::ranges::equal(shown.tree(), signing.tree,
                                       [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
  findings_.require(same, place, "BEY-05: what is shown is not what was signed");
  attested_[{place.first, moved.review()}] = signing.runner;
  sightings_.saw(Sighting::evidence_believed);
}

void RunnerChronicle::refused(std::uint32_t workspace, std::uint64_t head, EvidenceWord word) {
  workspaces_[workspace].refused.add(head, std::move(word));
}

void RunnerChronicle::judge_refusals(std::uint32_t number, Workspace& workspace) {
  workspace.refused.judge(workspace.head, [&](const EvidenceWord& word) {
    const std::string fault = fault_of(workspace, word.token, word.task, word.review, now_);
    const bool by_time = word.code == base::ErrorCode::EVIDENCE_EXPIRED;  // which has gone on since then
    findings_.require(by_time || !fault.empty(), {number, workspace.head},
                      "BEY-05: refused as " + std::string(base::info(word.code).name) + ", and was right");
    const bool of_runner = word.code == base::ErrorCode::RUNNER_REVOKED || word.code == base::ErrorCode::RUNNER_UNKNOWN;
    sightings_.saw(of_runner ? Sighting::runner_refused : Sighting::evidence_refused);
  });
}

void RunnerChronicle::fold(const event::Event& event, base::Instant at) {
  using event::Event;
  const std::uint32_t number = event.workspace();
  if (event.has_server_started())  // what was refused behind this was decided on what is lost
    for (auto& [each, workspace] : workspaces_) {
      judge_refusals(each, workspace);
      workspace.refused.clear();
    }
  if (event.has_workspace_created()) {
    const event::WorkspaceCreated& created = event.workspace_created();
    workspaces_[created.number()].name = created.name();
    workspaces_[created.number()].unsigned_is_missing = created.settings().unsigned_checks() == unsigned_missing;
  }
  if (number == 0) return;
  Workspace& workspace = workspaces_[number];
  judge_refusals(number, workspace);
  now_ = at;
  workspace.head = event.offset();
  const Place place{number, event.offset()};
  switch (event.fact_case()) {
    case Event::kRunnerRegistered:
      return register_runner(workspace, place, event.runner_registered());
    case Event::kRunnerRevoked:
      workspace.runners[event.runner_revoked().runner_id()].revoked = true;
      return sightings_.saw(Sighting::runner_revoked);
    case Event::kMessageAccepted:
      return judge(place, event.message_accepted(), at);
    case Event::kMessageReleased:
      return judge({number, event.message_released().message()}, event.message_released().as(), at);
    default:
      return;
  }
}

}  // namespace parley::sim
