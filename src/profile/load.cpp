#include "profile/load.hpp"

#include <algorithm>

#include "profile/loading.hpp"

namespace parley::profile {
namespace {

void load_records(Loading& loading) {
  std::size_t number = 0;
  for (const json::Value record : loading.root.find("records").elements())
    loading.reading->records.emplace_back(
        text_of(record.find("name")),
        loading.program_of(record.find("schema"), "/records/" + std::to_string(number++) + "/schema"));
}

// The type itself, or the variant that its message is, as it stands before anything is filled in.
TypeIndex form_of(const Loading& loading, TypeIndex type, json::Value message) {
  const Reading& reading = *loading.reading;
  const Places& places = reading.places[reading.types[type.value].places];
  std::vector<json::Value> found(places.size());
  places.read(message, found);
  return reading.form_of(type, found);
}

void load_says(Loading& loading) {
  for (const auto [occasion, stated] : loading.root.find("says").members()) {
    const std::string at = "/says/" + std::string(occasion);
    const auto known = occasion_named(occasion);
    const auto type = loading.rules->type_named(stated.find("type").as_string());
    if (!type) loading.problem(at + "/type", "says", "The profile has no type of this name");
    if (!known || !type) continue;
    loading.rules->says[static_cast<std::size_t>(*known)] = {
        form_of(loading, *type, stated.find("message")),
        certain(envelope::priority_named(stated.find("priority").as_string()))};
  }
  const auto says = [&](Occasion occasion) {
    return loading.rules->says[static_cast<std::size_t>(occasion)].has_value();
  };
  const auto& requests = loading.rules->requests;
  if (requests && !(says(Occasion::request_timed_out) && says(Occasion::request_given_up)))
    loading.problem("/says", "says",
                    "Who awaits an answer is told when there is none: say `request.timed_out` and `request.given_up`");
  if (requests && !requests->escalates_to.empty() && !says(Occasion::request_escalated))
    loading.problem("/says", "says", "`escalates_to` is told by `request.escalated`");
  if (loading.rules->approvals && !(says(Occasion::approval_decided) && says(Occasion::approval_lapsed)))
    loading.problem("/says", "says", "Who asks is told: say `approval.decided` and `approval.lapsed`");
  if (loading.rules->reviews && !(says(Occasion::review_lapsed) && says(Occasion::review_escalated)))
    loading.problem("/says", "says",
                    "Who asks for a review is told its end: say `review.lapsed` and `review.escalated`");
  if (loading.rules->errors && !says(Occasion::agent_waits))
    loading.problem("/says", "says", "Who awaits an answer of an agent that waits itself is told by `agent.waits`");
  if (loading.rules->health && !loading.rules->health->tells.empty() && !says(Occasion::agent_silent))
    loading.problem("/says", "says", "The role in `health` that `tells` names is told by `agent.silent`");
}

}  // namespace

std::string text_of(json::Value value) {
  return std::string(value.if_string().value_or(std::string_view()));
}

std::vector<std::string> texts_of(json::Value list) {
  std::vector<std::string> texts;
  for (const json::Value item : list.elements()) texts.emplace_back(item.as_string());
  return texts;
}

Loading::Loading(const Files& files, json::Document description) : schemas(files) {
  reading->description = std::move(description);
  root = reading->description.root();
}

std::size_t Loading::program_of(json::Value file, const std::string& at) {
  const std::string path = text_of(file);
  const auto known = std::find(reading->schema_files.begin(), reading->schema_files.end(), path);
  if (known != reading->schema_files.end()) return static_cast<std::size_t>(known - reading->schema_files.begin());
  auto program = schemas.compile(path);
  if (!program) {
    problem(at, "schema", path + ": " + program.error().message + " at " + program.error().where);
    return 0;
  }
  reading->schema_files.push_back(path);
  reading->programs.push_back(std::move(*program));
  return reading->programs.size() - 1;
}

base::Result<RulesetPtr> load(const Files& files) {
  Problems problems;
  const auto file = files.find(description_file);
  if (file == files.end()) {
    problems.add(description_file, "", "file", "The folder has no profile.json");
    return problems.refusal("");
  }
  auto description = json::Document::parse(file->second);
  if (!description) {
    problems.add(description_file, description.error().where, "json", description.error().message);
    return problems.refusal("");
  }
  problems.add(description_file, explain_profile(description->root()));
  if (!problems.empty()) return problems.refusal(text_of(description->root().find("name")));

  Loading loading(files, std::move(*description));
  load_policies(loading);
  load_types(loading);
  load_records(loading);
  load_says(loading);
  if (!loading.problems.empty()) return loading.problems.refusal(loading.rules->name);
  loading.rules->reading = std::move(loading.reading);
  return loading.rules;
}

}  // namespace parley::profile
