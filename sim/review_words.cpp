// Reviews, so that runs come deep into them: a task of 000 is brought to its end, its review is asked for and answered,
// with what a runner has signed beside it (BEY-05), or what none has: one whose key was revoked or is unknown, of
// another review, of another day, or against what the result says. Whether it was right to believe it the chronicle
// judges by itself (runners.hpp).
#include "base/signing_key.hpp"
#include "envelope/statement.hpp"
#include "json/writer.hpp"
#include "sim/workload.hpp"

namespace parley::sim {
namespace {

using namespace std::chrono_literals;
using engine::TaskState;

constexpr std::string_view reviewing = "collab";
constexpr std::size_t remembered_keys = 8;

// The nearer to a verdict the better.
int rank_of(TaskState state) {
  switch (state) {
    case TaskState::in_review:
      return 4;
    case TaskState::changes_requested:
    case TaskState::completed:
      return 3;
    case TaskState::active:
    case TaskState::stalled:
      return 2;
    case TaskState::assigned:
      return 1;
    default:
      return 0;
  }
}

}  // namespace

void Workload::work_on_a_review() {
  const std::string& space = dice_.among(workspaces_);
  const auto any = client_of(space, "architect-main");
  if (!any || !clients_[*any].active()) return;
  const std::uint32_t number = workspace_number(clients_[*any]);
  const engine::Workspace& here = world_.broker().engine().state().workspace(base::WorkspaceNumber(number));
  std::vector<std::string> nearest;
  int best = 1;
  for (const auto& [offset, task] : here.tasks.all()) {
    const int rank = rank_of(task->state);
    if (here.registry.agent(task->assigner).properties.profile != reviewing || rank < best) continue;
    if (std::exchange(best, rank) < rank) nearest.clear();
    nearest.emplace_back(task->id.view());
  }
  const bool anew = nearest.empty() || dice_.one_in(8);
  say_of_task(reviewing, space, anew ? some_task(number, reviewing) : dice_.among(nearest), true);
}

// Of its workspace, as somebody would have it: mostly one that counts.
const Workload::RunnerKey* Workload::some_key(const std::string& space) {
  std::vector<const RunnerKey*> all;
  const auto number = world_.broker().engine().state().find_workspace(space);
  if (!number) return nullptr;
  const engine::Runners& runners = world_.broker().engine().state().workspace(*number).runners;
  for (const RunnerKey& key : runner_keys_) {
    const engine::Runner* const runner = runners.find(key.runner);
    const bool counts = runner && !runner->revoked() && runner->key == key.made.public_half();
    if (key.space == space && (counts || dice_.one_in(6))) all.push_back(&key);
  }
  return all.empty() ? nullptr : dice_.among(all);
}

void Workload::sign(Sending& sending, const std::string& space, const std::string& task, const std::string& review,
                    bool custom) {
  const RunnerKey* const key = some_key(space);
  if (!key || dice_.one_in(4)) return;
  envelope::Statement statement;
  statement.runner = dice_.one_in(10) ? "runner-9" : key->runner;
  statement.workspace = dice_.one_in(16) ? "elsewhere" : space;
  statement.task = dice_.one_in(16) ? task + "-other" : task;
  statement.review = dice_.one_in(16) ? review + "-other" : review;
  statement.at = clock_.wall() - (dice_.one_in(12) ? 30h : 1min);
  statement.tree = base::sha256(sending.id);
  const bool as_claimed = !dice_.one_in(10), as_asked = !dice_.one_in(10);
  statement.checks.push_back({"tests", "ctest", false, 0, as_claimed ? 0 : 1});
  if (custom)
    statement.checks.push_back({"page-matches-table", as_asked ? "./dev check settings" : "true", true, 0, 0});
  const auto token = envelope::sign(statement, key->made);
  if (!token) return findings_.wrong("BEY-05: a statement cannot be signed: " + token.error().message);
  sending.evidence = *token;
  world_.chronicle().runners().signed_with(
      *token, {statement.runner, statement.workspace, statement.task, statement.review, key->made.public_half(),
               statement.at, statement.tree, as_claimed && (as_asked || !custom)});
  if (!dice_.one_in(12)) return;
  char& byte = sending.evidence[dice_.below(sending.evidence.size() / 2)];
  byte = byte == 'A' ? 'B' : 'A';
}

void Workload::tend_runners() {
  const std::string& space = dice_.among(workspaces_);
  const auto number = world_.broker().engine().state().find_workspace(space);
  if (!number) return;
  const std::string runner = "runner-" + std::to_string(dice_.below(3));
  const engine::Runner* const known = world_.broker().engine().state().workspace(*number).runners.find(runner);
  if (known && !known->revoked() && dice_.one_in(3)) return revoke_runner(space, runner);
  std::array<std::uint8_t, 32> seed{};
  for (std::uint8_t& byte : seed) byte = static_cast<std::uint8_t>(dice_.next());
  runner_keys_.push_back({space, runner, base::SigningKey::of_seed(seed)});
  if (runner_keys_.size() > remembered_keys) runner_keys_.erase(runner_keys_.begin());
  // Now and then one that was registered before.
  const RunnerKey& key = dice_.one_in(6) ? dice_.among(runner_keys_) : runner_keys_.back();
  register_runner(key, dice_.one_in(4));
}

void Workload::register_runner(const RunnerKey& key, bool short_lived) {
  const auto number = world_.broker().engine().state().find_workspace(key.space);
  const engine::Runner* const known = world_.broker().engine().state().workspace(*number).runners.find(key.runner);
  const bool taken = known && !known->revoked();
  std::string body;
  json::Writer writer(body);
  writer.begin_object().member("runner_id", key.runner).member("public_key", base::to_text(key.made.public_half()));
  if (short_lived) writer.member("valid_until", base::to_rfc3339(clock_.wall() + dice_.between(1s, 60s)));
  writer.end_object();
  const auto document = json::Document::parse(body);
  const auto made = world_.broker().port().registry.register_runner(admin_, key.space, document->root());
  findings_.trace("register " + key.runner + " in " + key.space + (made ? "" : ": " + made.error().message));
  if (made && made->status == 201 && taken) findings_.wrong("BEY-05: a runner's key was replaced");
  if (made || for_want_of_room(made.error())) return;
  using base::ErrorCode;
  const ErrorCode code = made.error().code;
  const bool right = code == ErrorCode::CONFLICT || code == ErrorCode::RUNNER_REVOKED ||
                     (short_lived && code == ErrorCode::BAD_REQUEST);
  if (!right) findings_.wrong("BEY-05: a runner is not registered: " + made.error().message);
}

void Workload::revoke_runner(const std::string& space, const std::string& runner) {
  const auto done = world_.broker().port().registry.revoke_runner(admin_, space, runner);
  findings_.trace("revoke " + runner + " in " + space + (done ? "" : ": " + done.error().message));
  if (!done && !for_want_of_room(done.error()))
    findings_.wrong("BEY-05: a runner is not revoked: " + done.error().message);
}

void Workload::note_evidence_refusal(const Sending& sending, json::Value message, const base::Error& error) {
  using base::ErrorCode;
  const ErrorCode code = error.code;
  const bool of_evidence = code == ErrorCode::EVIDENCE_MALFORMED || code == ErrorCode::EVIDENCE_FORGED ||
                           code == ErrorCode::EVIDENCE_EXPIRED || code == ErrorCode::EVIDENCE_OTHER ||
                           code == ErrorCode::RUNNER_UNKNOWN || code == ErrorCode::RUNNER_REVOKED;
  if (!of_evidence) return;
  if (sending.evidence.empty()) return findings_.wrong("BEY-05: refused for evidence that there is none of");
  const json::Value payload = message.find("payload");
  if (message.find("message_type").if_string() != "review_result") return;  // it has no place there
  const std::uint32_t number = workspace_number(clients_[sending.client]);
  const auto head = world_.broker().engine().state().workspace(base::WorkspaceNumber(number)).head;
  world_.chronicle().runners().refused(number, head.value,
                                       {sending.evidence, std::string(payload.find("task_id").if_string().value_or("")),
                                        std::string(payload.find("review_id").if_string().value_or("")), code});
}

}  // namespace parley::sim
