// What shows a profile's rules has the form that docs/internals/profile-format.md gives it. Whether a message is
// refused as its file says is ingress's to find: the conformance tests ask it.
#include "profile/lint/lint_rules.hpp"
#include "profile/schemas.hpp"

namespace parley::profile::lint_rules {
namespace {

constexpr std::string_view refusals_folder = "refusals/", warnings_folder = "warnings/", ending = ".json";
constexpr std::string_view story_file = "story.json";

void check_form(const std::string& path, json::Value stated, bool is_refusal, Problems& problems) {
  const auto wrong = [&](std::string_view place, std::string message) {
    problems.add(path, place, "stated_forms", std::move(message));
  };
  const std::size_t slash = path.find('/') + 1;
  const std::string rule = path.substr(slash, path.size() - slash - ending.size());
  if (stated.find("rule").if_string() != rule) wrong("/rule", "The rule is not named as its file: " + rule);
  if (!stated.find("sender").is_string()) wrong("/sender", "There is no `sender`");
  if (!stated.find("message")) wrong("/message", "There is no `message`");
  const json::Value expect = stated.find("expect");
  if (!expect.is_object()) return wrong("/expect", "There is no `expect`");
  if (is_refusal && !expect.find("code").is_string()) wrong("/expect/code", "A refusal has a code");
  if (!is_refusal && expect.find("code")) wrong("/expect/code", "A warning has no code");
}

}  // namespace

void stated_forms(const Subject& subject, Problems& problems) {
  for (const auto& [path, bytes] : subject.files) {
    const bool is_refusal = path.starts_with(refusals_folder);
    const bool is_case = (is_refusal || path.starts_with(warnings_folder)) && path.ends_with(ending);
    if (!is_case && path != story_file) continue;
    const auto document = json::Document::parse(bytes);
    if (!document)
      problems.add(path, document.error().where, "stated_forms", document.error().message);
    else if (is_case)
      check_form(path, document->root(), is_refusal, problems);
    else
      problems.add(path, explain_story(document->root()));
  }
}

}  // namespace parley::profile::lint_rules
