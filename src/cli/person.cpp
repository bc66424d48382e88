// `parley person`: register, list, change and remove people; renew their tokens.
#include "cli/registration.hpp"
#include "cli/verbs.hpp"
#include "json/writer.hpp"

namespace parley::cli {
namespace {

struct PersonOptions {
  Online online;
  Part part;
  std::string id;
  std::vector<std::string> roles;
  std::string public_key;
  base::Duration grace{};
};

std::string body_of(const PersonOptions& options, bool with_id) {
  std::string text;
  json::Writer out(text);
  out.begin_object();
  if (with_id) out.member("person_id", options.id);
  if (!options.roles.empty()) write_texts(out, "roles", options.roles);
  if (!options.public_key.empty()) out.member("public_key", options.public_key);
  out.end_object();
  return text;
}

std::vector<Option> properties(PersonOptions& options, bool roles_required) {
  return {
      {"person_id", "their id", &options.id, true},
      {"--role ROLE", "maintainer, moderator, approver or observer; may be repeated", &options.roles, roles_required},
      {"--public-key KEY", "key that private messages to them will be sealed to", &options.public_key}};
}

}  // namespace

Verb person_verb() {
  auto options = std::make_shared<PersonOptions>();
  const auto common = workspace_options(options->online);
  const Option id{"person_id", "the person", &options->id, true};
  return {
      .name = "person",
      .summary = "Register, list, change and remove people; renew their tokens",
      .examples = {"parley person add ada --role approver"},
      .verbs = {
          {.name = "add",
           .summary = "Register a person and keep their token",
           .examples = {"parley person add ada --role maintainer --role approver"},
           .options = properties(*options, true) + common,
           .run =
               [options](Context& context) {
                 return register_one(context, options->online, "people", options->id, body_of(*options, true));
               }},
          {.name = "list",
           .summary = "List the people",
           .options = part_options(options->part) + common,
           .run =
               [options](Context& context) { return show_list(context, options->online, {"people"}, options->part); }},
          {.name = "change",
           .summary = "Change a person's roles or key",
           .options = properties(*options, false) + common,
           .run =
               [options](Context& context) {
                 return change_one(context, options->online, "people", options->id, body_of(*options, false));
               }},
          {.name = "remove",
           .summary = "Remove a person",
           .options = std::vector<Option>{id} + common,
           .run = [options](Context& context) { return remove_one(context, options->online, "people", options->id); }},
          {.name = "token",
           .summary = "Replace a person's token",
           .options =
               std::vector<Option>{id, {"--grace", "how long the old one stays valid", &options->grace}} + common,
           .run = [options](Context& context) {
             return rotate_token(context, options->online, "people", options->id, options->grace);
           }}}};
}

}  // namespace parley::cli
