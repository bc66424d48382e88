// Errors that wait (PIP-11): agents of 001 report their own, those that are blocked too, pass others' on and take
// theirs back; the orchestrator decides, now and then somebody else tries to: about what waits, what was decided or
// taken back before, all that one has, and past who waits. Whether it was right to accept or refuse it the chronicle
// judges by itself (errors.hpp).
#include "sim/texts.hpp"
#include "sim/workload.hpp"

namespace parley::sim {
namespace {

constexpr std::string_view profile = "pipeline", decider = "orchestrator-agent";
constexpr std::size_t remembered_errors = 12;

}  // namespace

std::string Workload::some_agent_of_001() {
  std::string_view id;
  while (id.empty())
    if (const CastMember& member = dice_.among(natives_.cast()); member.profile == profile) id = member.agent_id;
  return std::string(id);
}

// One that waits; now and then one that did.
std::optional<Workload::SeenError> Workload::some_error(const engine::Workspace& here, const std::string& space) {
  std::vector<SeenError> all;
  if (here.errors.all().empty() || dice_.one_in(3)) {
    for (const SeenError& seen : seen_errors_)
      if (seen.space == space) all.push_back(seen);
  } else {
    for (const auto& [offset, error] : here.errors.all())
      all.push_back({space, std::string(error.id.view()), here.registry.agent(error.agent).id});
  }
  if (all.empty()) return std::nullopt;
  return dice_.among(all);
}

void Workload::work_on_errors() {
  const std::string& space = dice_.among(workspaces_);
  const auto any = client_of(space, decider);
  if (!any || !clients_[*any].active()) return;
  const engine::Workspace& here =
      world_.broker().engine().state().workspace(base::WorkspaceNumber(workspace_number(clients_[*any])));
  const auto error = some_error(here, space);
  const std::uint64_t choice = dice_.below(16);
  if (!error || choice < 6) return report_error(space, error);
  if (choice == 6) return take_error_back(*error);
  seen_errors_.push_back(*error);
  if (seen_errors_.size() > remembered_errors) seen_errors_.erase(seen_errors_.begin());
  decide_error(*error);
}

void Workload::report_error(const std::string& space, const std::optional<SeenError>& other) {
  Wish wish;
  if (other && dice_.one_in(4)) wish.reply_to = other->id;
  wish.edits["/data/blocks_pipeline"] = dice_.one_in(2) ? "true" : "false";
  speak_of_errors(space, "error.plain.json", some_agent_of_001(), some_agent_of_001(), std::move(wish));
}

void Workload::decide_error(const SeenError& error) {
  static constexpr std::array<std::string_view, 3> words{"retry", "skip", "abort"};
  std::string data;
  json::Writer writer(data);
  writer.begin_object().member("request_type", std::string_view("error_decision"));
  if (!dice_.one_in(6)) writer.member("error_message_id", error.id);
  writer.member("decision", dice_.among(words)).member("reason", std::string_view("Simulated")).end_object();
  Wish wish;
  wish.edits["/data"] = data;
  wish.edits["/metadata"] = R"({"requires_response":false})";
  const std::string from = dice_.one_in(4) ? some_agent_of_001() : std::string(decider);
  const std::string to = dice_.one_in(6) ? some_agent_of_001() : error.agent;
  speak_of_errors(error.space, "request.plain.json", from, to, std::move(wish));
}

void Workload::speak_of_errors(const std::string& space, std::string_view example, const std::string& from,
                               const std::string& to, Wish wish) {
  const auto client = client_of(space, from);
  if (!client || !clients_[*client].active()) return;
  Sending sending;
  sending.example = natives_.example_named(profile, example);
  sending.client = *client;
  sending.group = ++groups_;
  wish.now = clock_.wall();
  sending.id = wish.id = natives_.fresh_id(profile, from, clock_.wall(), dice_);
  wish.edits["/from_agent"] = quoted(from);
  wish.recipients = {to};
  write(sending, wish);
  findings_.trace("send " + std::string(example) + " of errors from " + from + " to " + to + ' ' + sending.id);
  send(std::move(sending));
}

// By who reported it; R7: its id alone does not say which message it is.
void Workload::take_error_back(const SeenError& error) {
  const auto client = client_of(error.space, error.agent);
  if (!client || !clients_[*client].active()) return;
  const std::string to = some_agent_of_001();
  const auto rescinded =
      world_.broker().port().messages.rescind(*clients_[*client].caller, error.space, error.id, to, "simulated");
  findings_.trace("rescind the error " + error.id + " to " + to + (rescinded ? "" : ": " + rescinded.error().message));
}

void Workload::note_error_refusal(const Sending& sending, json::Value message, const base::Error& error) {
  using base::ErrorCode;
  const bool of_errors = error.code == ErrorCode::ERROR_UNKNOWN || error.code == ErrorCode::ERROR_NOT_YOURS ||
                         error.code == ErrorCode::ERRORS_FULL;
  if (!of_errors) return;
  const Client& client = clients_[sending.client];
  ErrorWord word = error_word(message);
  word.sender = client.caller->agent.value;
  word.code = error.code;
  const std::uint32_t number = workspace_number(client);
  const auto head = world_.broker().engine().state().workspace(base::WorkspaceNumber(number)).head;
  world_.chronicle().errors().refused(number, head.value, std::move(word));
}

}  // namespace parley::sim
