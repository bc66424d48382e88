// What ingress costs for a collab task_assignment of 1 KB, as a whole and by its parts. The text is parsed before.
#include <benchmark/benchmark.h>

#include <array>
#include <string>
#include <vector>

#include "base/hash.hpp"
#include "base/hash_each.hpp"
#include "envelope/lane.hpp"
#include "ingress/canonical.hpp"
#include "ingress/check.hpp"
#include "json/parser.hpp"
#include "profile/reading.hpp"
#include "profile/rulesets.hpp"

namespace {

using namespace parley;

// 1,024 bytes, compact as clients send it.
std::string message() {
  std::string text =
      R"({"message_id":"c9754236-4374-4338-a814-c0e83408d504","timestamp":"2026-02-03T09:00:00Z","sequence_number":1,)"
      R"("from_agent":{"agent_id":"architect-main","agent_type":"architect"},)"
      R"("to_agent":{"agent_id":"developer-01","agent_type":"developer","instance_id":"inst-001"},)"
      R"("message_type":"task_assignment","correlation_id":"corr-settings","payload":{"task":{"task_id":"task-settings-loader",)"
      R"("task_description":"","context":{"specs":[{"path":"docs/specs/settings.md","reason":"what a settings file may say"}],)"
      R"("reference_files":[{"path":"src/settings/loader.cpp","reason":"where the loader lives","sections":["load","merge"]}]},)"
      R"("constraints":{"scope":["src/settings/**"],"testing_required":true,"must_not_break":["reload on SIGHUP"]},)"
      R"("acceptance_criteria":["an unknown key is an error","tests pass"]},"priority":"high","deadline":"2026-02-03T12:00:00Z","max_iterations":3}})";
  text.insert(text.find("\"task_description\":\"") + 20, std::string(1024 - text.size(), 'x'));
  return text;
}

struct Fixture {
  profile::RulesetPtr rules = profile::built_in().find("collab");
  std::string bytes = message();
  json::Document document = *json::Document::parse(bytes);
  ingress::Options options = [] {
    ingress::Options o;
    o.sender = "architect-main";
    o.now = *base::parse_rfc3339("2026-02-03T09:00:01Z");
    return o;
  }();
  const profile::TypeReading& type() const {
    return rules->reading->types[rules->type_named("task_assignment")->value];
  }
};

const Fixture& fixture() {
  static const Fixture f;
  return f;
}

void check(benchmark::State& state) {
  const Fixture& f = fixture();
  ingress::Checked checked;
  for (auto _ : state) {
    if (!ingress::check({f.bytes, f.document.root()}, *f.rules, f.options, checked)) state.SkipWithError("refused");
    benchmark::DoNotOptimize(checked);
  }
}
BENCHMARK(check);

void schema_accepts(benchmark::State& state) {
  const Fixture& f = fixture();
  const auto& program = f.rules->reading->programs[f.type().program];
  for (auto _ : state) benchmark::DoNotOptimize(program.accepts(f.document.root()));
}
BENCHMARK(schema_accepts);

void find_places(benchmark::State& state) {
  const Fixture& f = fixture();
  const auto& places = f.rules->reading->places[f.type().places];
  for (auto _ : state) {
    const ingress::Found found(places, f.document.root());
    benchmark::DoNotOptimize(found.values().data());
  }
}
BENCHMARK(find_places);

void canonicalise(benchmark::State& state) {
  const Fixture& f = fixture();
  const ingress::Found found(f.rules->reading->places[f.type().places], f.document.root());
  ingress::Checked checked;
  checked.type = *f.rules->type_named("task_assignment");
  for (auto _ : state) {
    ingress::canonicalise(found, *f.rules, f.options, checked);
    benchmark::DoNotOptimize(checked);
  }
}
BENCHMARK(canonicalise);

void content_hash(benchmark::State& state) {
  const Fixture& f = fixture();
  for (auto _ : state) benchmark::DoNotOptimize(base::sha256(f.bytes));
}
BENCHMARK(content_hash);

void content_hash_of_64(benchmark::State& state) {
  const Fixture& f = fixture();
  std::array<base::Digest, 64> digests;
  std::vector<base::ToHash> texts;
  for (base::Digest& digest : digests) texts.push_back({f.bytes, &digest});
  for (auto _ : state) {
    base::sha256_each(texts);
    benchmark::DoNotOptimize(digests);
  }
}
BENCHMARK(content_hash_of_64);

void lane(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(envelope::lane_of(envelope::task_key_of("task-settings-loader")));
}
BENCHMARK(lane);

void parse(benchmark::State& state) {
  const Fixture& f = fixture();
  json::Parser parser;
  for (auto _ : state) benchmark::DoNotOptimize(parser.parse(f.bytes));
}
BENCHMARK(parse);

}  // namespace

BENCHMARK_MAIN();
