// What the server says in the profile's words is a message of the profile: filled in, its type's schema accepts it; and
// every {name} in it is known.
#include <algorithm>

#include "json/writer.hpp"
#include "profile/lint/lint_rules.hpp"
#include "profile/said.hpp"

namespace parley::profile::lint_rules {
namespace {

constexpr std::size_t problems_of_a_message = 20;

// What a message that something is said about holds: an example's id, and the action it proposes.
struct Asked {
  std::string id, action;
  json::Document document;
};

envelope::Kind asked_kind(Occasion occasion) {
  const std::string_view name = occasion_names[static_cast<std::size_t>(occasion)];
  if (name.starts_with("help.")) return envelope::Kind::help_request;
  if (name.starts_with("approval.")) return envelope::Kind::approval_request;
  if (name.starts_with("review.")) return envelope::Kind::review_request;
  if (occasion == Occasion::task_offer_over) return envelope::Kind::task_handoff;
  return name.starts_with("task.") ? envelope::Kind::task_assign : envelope::Kind::request;
}

Asked asked(const Subject& subject, envelope::Kind kind) {
  const Reading& reading = subject.reading();
  for (const auto& [path, bytes] : subject.files) {
    if (!path.starts_with("examples/")) continue;
    const auto document = json::Document::parse(bytes);
    const auto word = document ? reading.type_at.resolve(document->root()).if_string() : std::nullopt;
    const auto type = word ? subject.rules.type_named(*word) : std::nullopt;
    if (!type || subject.rules.type(*type).kind != kind) continue;
    const TypeReading& of_type = subject.type(type->value);
    const auto text_at = [&](Slot slot) {
      const json::Value value = json::Pointer::parse(subject.pointer(type->value, slot))->resolve(document->root());
      return value.is_string() ? std::string(value.as_string()) : value ? json::to_text(value) : std::string();
    };
    Asked found{text_at(of_type.envelope.id), {}, {}};
    for (const FieldSlot& field : of_type.fields)
      if (field.name == "action") found.action = text_at(field.slot);
    found.document = json::Document::parse(bytes).value();
    return found;
  }
  return {};
}

// Any of the profile's roles.
std::string role_of(const Subject& subject, std::size_t which) {
  const auto& roles = subject.rules.roles;
  return roles.empty() ? "worker" : roles[std::min(which, roles.size() - 1)];
}

std::vector<Filling> fillings(const Subject& subject, Occasion occasion, const Asked& about) {
  return {{"uuid", "b7f2c1de-5a0e-4c7e-9d55-0a8f3c1d2e4f"},
          {"number", "17", true},
          {"seconds", "1790000000"},
          {"time", "2026-09-21T14:13:20Z"},
          {"to", "agent-1"},
          {"to_type", role_of(subject, 0)},
          {"from", "agent-2"},
          {"from_type", role_of(subject, 1)},
          {"error", "timeout"},
          {"task", "task-1"},
          {"request", about.id},
          {"silent", "agent-2"},
          {"text", "No answer came."},
          {"by", "person-1"},
          {"decision", occasion == Occasion::approval_decided ? "modify" : "reject"},
          {"rationale", "It is better so."},
          {"action", about.action, true},
          {"cleanup", "true", true},
          {"retries", "1", true},
          {"order", {}, false, about.document.root()},
          {"attempts", R"([{"attempt_number":1,"outcome":"changes_requested","feedback":"A test is missing."}])", true},
          {"changes", R"([{"change_id":"c","priority":"must_fix","related_findings":["f"],"description":"Test it."}])",
           true},
          {"deadline", "2026-09-21T15:13:20Z"}};
}

void check_names(json::Value value, const std::string& at, Problems& problems) {
  for (const auto [name, content] : value.members()) check_names(content, at + '/' + std::string(name), problems);
  for (const json::Value element : value.elements()) check_names(element, at, problems);
  std::string_view text = value.if_string().value_or("");
  while (true) {
    const std::size_t open = text.find('{'), close = text.find('}', open);
    if (open == std::string_view::npos || close == std::string_view::npos) return;
    const std::string_view name = text.substr(open + 1, std::min(close, text.find(':', open)) - open - 1);
    if (std::find(filling_names.begin(), filling_names.end(), name) == filling_names.end())
      problems.add("profile.json", at, "says", "There is nothing to fill {" + std::string(name) + "} with");
    text.remove_prefix(close + 1);
  }
}

}  // namespace

void said_messages(const Subject& subject, Problems& problems) {
  const Reading& reading = subject.reading();
  for (std::size_t i = 0; i < occasion_names.size(); ++i) {
    const auto& said = subject.rules.says[i];
    if (!said) continue;
    const std::string at = "/says/" + std::string(occasion_names[i]) + "/message";
    check_names(reading.description.root().find("says").find(occasion_names[i]).find("message"), at, problems);
    const auto occasion = static_cast<Occasion>(i);
    const Asked about = asked(subject, asked_kind(occasion));
    const auto message =
        json::Document::parse(say(subject.rules, occasion, fillings(subject, occasion, about)).message);
    const schema::Program& program = reading.programs[reading.types[said->type.value].program];
    if (!program.accepts(message->root()))
      problems.add(at, program.explain(message->root(), {problems_of_a_message, false}));
    if (reading.type_at.resolve(message->root()).if_string() != subject.rules.type(said->type).name)
      problems.add("profile.json", at, "says", "The message is of another type than `type` says");
  }
}

}  // namespace parley::profile::lint_rules
