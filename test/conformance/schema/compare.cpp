// Reads the lines of generate.mjs and validates every pair with Parley; differences that no known reason explains are
// printed and fail the run. It also holds Parley to its own word: a document is accepted exactly if nothing is
// explained.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <string>

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "mutants.hpp"
#include "schema/program.hpp"

using namespace parley;

namespace {

struct Counts {
  std::size_t pairs = 0, accepted = 0, different = 0, excused = 0, mutants = 0;
  std::map<std::string, std::size_t> known;
};

void print_difference(json::Value line, json::Value instance, std::string_view what) {
  std::cout << what << "\n  schema   " << json::to_text(line.find("schema")) << "\n  instance "
            << json::to_text(instance) << "\n";
}

// Every mutant of an accepted message is refused at the place it was made for.
bool check_mutants(json::Value line, json::Value instance, const schema::Program& program,
                   const schema::Registry& registry, Counts& counts) {
  const auto mutants =
      schema::mutants_of(json::to_text(line.find("schema")), instance, registry, *line.find("base").if_string());
  if (!mutants) return false;
  bool good = true;
  for (const schema::Mutant& mutant : *mutants) {
    ++counts.mutants;
    const auto document = json::Document::parse(mutant.json);
    const auto problems =
        document ? program.explain(document->root(), {.problems_max = 100}) : std::vector<base::Problem>();
    if (std::any_of(problems.begin(), problems.end(), [&](const base::Problem& problem) {
          return problem.instance == mutant.instance && problem.schema == mutant.schema;
        }))
      continue;
    std::cout << "no problem at " << mutant.instance << " by " << mutant.schema << " but "
              << (problems.empty() ? "none" : problems[0].instance + " by " + problems[0].schema) << "\n  mutant "
              << mutant.json << "\n";
    good = false;
  }
  return good;
}

bool compare_line(json::Value line, Counts& counts) {
  schema::Registry registry;
  for (const auto [uri, document] : line.find("documents").members())
    if (const auto added = registry.add(uri, json::to_text(document)); !added)
      std::cout << uri << ": " << added.error().message << " at " << added.error().where << "\n";
  const auto program = schema::compile(json::to_text(line.find("schema")), registry,
                                       {.base_uri = std::string(line.find("base").if_string().value_or(""))});
  if (!program) {
    std::cout << "refused by Parley: " << program.error().message << " at " << program.error().where << "\n  schema   "
              << json::to_text(line.find("schema")) << "\n";
    return false;
  }
  bool good = true;
  std::size_t i = 0;
  for (const json::Value instance : line.find("instances").elements()) {
    const bool valid = line.find("valid").element(i++).as_bool();
    const bool accepted = program->accepts(instance);
    ++counts.pairs;
    counts.excused += bool(line.find("known"));
    counts.accepted += accepted;
    if (accepted != program->explain(instance).empty()) {
      print_difference(line, instance, "accepting and explaining differ");
      good = false;
    }
    if (accepted && line.find("base")) good = check_mutants(line, instance, *program, registry, counts) && good;
    if (accepted == valid) continue;
    if (const auto reason = line.find("known").if_string()) {
      ++counts.known[std::string(*reason)];
      continue;
    }
    ++counts.different;
    print_difference(line, instance,
                     accepted ? "accepted by Parley, refused by ajv" : "refused by Parley, accepted by ajv");
    good = false;
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: schema_compare FILE\n";
    return 2;
  }
  std::ifstream file(argv[1]);
  json::Parser parser;
  Counts counts;
  bool good = true;
  for (std::string line; std::getline(file, line);) {
    const auto document = parser.parse(line, {.bytes = 64 << 20});
    if (!document) {
      std::cerr << "unreadable line: " << document.error().message << "\n";
      return 2;
    }
    good = compare_line(*document, counts) && good;
  }
  std::cout << counts.pairs << " pairs, " << counts.accepted << " accepted, " << counts.different
            << " unexplained differences\n"
            << counts.excused << " pairs are of schemas that ajv is known to get wrong\n"
            << counts.mutants << " mutants of the profiles' messages\n";
  for (const auto& [reason, count] : counts.known) std::cout << count << " differences: " << reason << "\n";
  // No mutant: the profiles were left out, or none of their messages is accepted.
  return good && counts.pairs > 0 && counts.mutants > 0 ? 0 : 1;
}
