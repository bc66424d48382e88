// A person in each workspace decides what agents ask, and what is held for people (SUP-04, SUP-05): mostly about what
// was shown, now and then about something else, or again.
#include "base/hash.hpp"
#include "json/writer.hpp"
#include "sim/workload.hpp"

namespace parley::sim {
namespace {

constexpr std::string_view person_id = "ada";

// What a person may change in what the simulated agents ask.
std::string change_of(json::Value approval) {
  if (approval.find("holds")) return R"({"next_steps":["As a person has it"]})";
  return R"({"action_type":"comment"})";
}

}  // namespace

// None: he or she was not registered, and may be now.
std::optional<broker::Caller> Workload::person_of(const std::string& space) {
  const engine::State& state = world_.broker().engine().state();
  const auto number = state.find_workspace(space);
  if (!number) return std::nullopt;
  const auto person = state.workspace(*number).registry.find_person(person_id);
  if (!person) {
    const auto body = json::Document::parse(R"({"person_id":"ada","roles":["maintainer"]})");
    const auto made = world_.broker().port().registry.register_person(admin_, space, body->root());
    if (!made && !for_want_of_room(made.error())) findings_.wrong("a person was refused: " + made.error().message);
    return std::nullopt;
  }
  broker::Caller caller;
  caller.kind = broker::Caller::Kind::person;
  caller.workspace = space;
  caller.id = person_id;
  caller.workspace_number = *number;
  caller.person = *person;
  return caller;
}

void Workload::decide_something() {
  const std::string& space = dice_.among(workspaces_);
  const auto person = person_of(space);
  if (!person) return;
  const auto list = world_.broker().port().work.approvals(*person, space, dice_.one_in(8) ? "" : "waiting", {{}, 20});
  if (!list) {
    if (world_.up()) findings_.wrong("approvals cannot be read: " + list.error().message);
    return;
  }
  const auto document = json::Document::parse(list->json);
  if (!document) return findings_.wrong("the list of approvals is no JSON");
  std::vector<json::Value> items;
  for (const json::Value item : document->root().find("items").elements()) items.push_back(item);
  if (items.empty()) return;
  decide(space, *person, dice_.among(items));
}

void Workload::decide(const std::string& space, const broker::Caller& person, json::Value approval) {
  static constexpr std::array<std::string_view, 4> words{"approve", "approve", "reject", "modify"};
  const std::string_view word = dice_.among(words);
  const bool seen = !dice_.one_in(6);
  const std::string shown(approval.find("shown").as_string());
  const std::string_view state = approval.find("state").as_string();
  const bool waits = state == "open" || state == "escalated";
  std::string body;
  json::Writer writer(body);
  writer.begin_object().member("decision", word).member("rationale", std::string_view("Simulated"));
  writer.member("shown", seen ? std::string_view(shown) : base::to_hex(base::sha256(shown)));
  if (word == "modify") writer.key("modified_action").raw(change_of(approval));
  writer.end_object();
  const auto decision = json::Document::parse(body);
  const std::string id(approval.find("approval_id").as_string());
  const auto done = world_.broker().port().work.decide_approval(person, space, id, decision->root());
  findings_.trace("decide " + id + ' ' + std::string(word) + (done ? "" : ": " + done.error().message));
  if (done && !(seen && waits)) findings_.wrong("SUP-05: a decision was taken that must be refused, of " + id);
  if (done || for_want_of_room(done.error())) return;
  using base::ErrorCode;
  const ErrorCode code = done.error().code;
  // Its time, or its task, may be over, and its turn not come.
  const bool over = !waits || code == ErrorCode::APPROVAL_LAPSED || code == ErrorCode::APPROVAL_WITHDRAWN;
  // Decision 10: what came too late for its task, or its error, cannot be let through, only rejected.
  const bool too_late = word != "reject" && (code == ErrorCode::STALE_ORDER || code == ErrorCode::OUT_OF_SEQUENCE ||
                                             code == ErrorCode::NOT_PARTY || code == ErrorCode::AGENT_UNAVAILABLE ||
                                             code == ErrorCode::ERROR_UNKNOWN || code == ErrorCode::BUDGET_EXCEEDED ||
                                             code == ErrorCode::DEPENDENCY_CYCLE || code == ErrorCode::STANDS);
  const bool right = over || too_late || (!seen && code == ErrorCode::APPROVAL_SHOWN_OTHER) ||
                     code == ErrorCode::EXPIRED || code == ErrorCode::APPROVAL_NOT_OFFERED;
  if (!right) findings_.wrong("SUP-05: a decision was refused: " + done.error().message);
}

}  // namespace parley::sim
