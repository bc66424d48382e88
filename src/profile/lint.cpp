#include "profile/lint.hpp"

#include <array>

#include "profile/lint/lint_rules.hpp"
#include "profile/load.hpp"

namespace parley::profile {
namespace {

using Rule = void (*)(const lint_rules::Subject&, Problems&);

constexpr std::array<Rule, 9> all_rules{
    lint_rules::known_files,    lint_rules::stated_forms,    lint_rules::schema_files,
    lint_rules::known_places,   lint_rules::required_fields, lint_rules::bounded_ids,
    lint_rules::priority_words, lint_rules::examples,        lint_rules::said_messages};

}  // namespace

std::string lint_rules::Subject::place_of(std::size_t type_index) const {
  std::size_t number = 0;
  for (std::size_t i = 1; i <= type_index; ++i) number += rules.types[i].variant == 0 ? 1 : 0;
  const std::string type = "/types/" + std::to_string(number);
  const std::uint16_t variant = rules.types[type_index].variant;
  return variant == 0 ? type : type + "/variants/" + std::to_string(variant - 1);
}

std::vector<base::Problem> lint(const Files& files) {
  const base::Result<RulesetPtr> loaded = load(files);
  if (!loaded) return loaded.error().details;
  const SchemaTexts texts(files);
  Problems problems;
  for (const Rule rule : all_rules) rule({files, **loaded, texts}, problems);
  return problems.all();
}

}  // namespace parley::profile
