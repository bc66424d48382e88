// Parsing and validating a realistic message of about 1 KB: what each accepted message costs at the door.
// Peers (JSON.parse + ajv, RapidJSON) are measured beside it by `./dev bench peers`.
#include <benchmark/benchmark.h>

#include <cstring>
#include <string>
#include <vector>

#include "json/parser.hpp"
#include "schema/program.hpp"

namespace parley {
namespace {

constexpr std::string_view schema_text = R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "required": ["id", "type", "version", "from", "to", "timestamp", "priority", "payload"],
  "properties": {
    "id": {"$ref": "#/$defs/uuid"},
    "type": {"enum": ["task.request", "task.result", "task.progress", "review.request", "review.result", "handoff"]},
    "version": {"type": "string", "pattern": "^[0-9]+\\.[0-9]+\\.[0-9]+$"},
    "from": {"$ref": "#/$defs/agent"},
    "to": {"type": "array", "items": {"$ref": "#/$defs/agent"}, "minItems": 1, "maxItems": 100, "uniqueItems": true},
    "timestamp": {"type": "string", "minLength": 20, "maxLength": 32},
    "correlation_id": {"$ref": "#/$defs/uuid"},
    "priority": {"enum": ["low", "normal", "high", "urgent"]},
    "ttl_ms": {"type": "integer", "minimum": 0, "maximum": 86400000},
    "payload": {
      "type": "object",
      "required": ["task_id", "title", "description", "inputs"],
      "properties": {
        "task_id": {"$ref": "#/$defs/uuid"},
        "title": {"type": "string", "minLength": 1, "maxLength": 200},
        "description": {"type": "string", "maxLength": 10000},
        "inputs": {
          "type": "array",
          "items": {
            "type": "object",
            "required": ["name", "value"],
            "properties": {
              "name": {"type": "string", "minLength": 1, "maxLength": 64},
              "value": {"type": ["string", "number", "boolean", "null"]},
              "weight": {"type": "number", "minimum": 0, "maximum": 1}
            },
            "additionalProperties": false
          }
        },
        "deadline": {"type": "string"},
        "budget": {
          "type": "object",
          "properties": {"tokens": {"type": "integer", "minimum": 0}, "usd": {"type": "number", "minimum": 0}},
          "additionalProperties": false
        },
        "tags": {"type": "array", "items": {"type": "string", "maxLength": 32}, "maxItems": 20}
      },
      "additionalProperties": false
    },
    "metadata": {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}}
  },
  "additionalProperties": false,
  "$defs": {
    "uuid": {"type": "string", "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"},
    "agent": {"type": "string", "pattern": "^[a-z0-9][a-z0-9._-]{0,63}$"}
  }
})json";

constexpr std::string_view message_text = R"json({
  "id": "6f1f3bd0-6b0e-4e6a-9d0c-0f6f6a7b1c2d",
  "type": "task.request",
  "version": "1.2.0",
  "from": "planner-1",
  "to": ["coder-7", "reviewer.main"],
  "timestamp": "2026-11-21T21:48:34.123456Z",
  "correlation_id": "0b7d6c3e-1a2b-4c3d-8e9f-a0b1c2d3e4f5",
  "priority": "high",
  "ttl_ms": 3600000,
  "payload": {
    "task_id": "5b2c9a10-77aa-4f1e-8d7e-3c2b1a0f9e8d",
    "title": "Add pagination to the audit endpoint",
    "description": "The endpoint returns everything at once. Take `after` and `limit`, answer {items, next}, and keep the order stable while rows are added. See the reference for cursors.",
    "inputs": [
      {"name": "file", "value": "src/audit/list.cpp", "weight": 0.75},
      {"name": "lines", "value": 120},
      {"name": "strict", "value": true, "weight": 0.1},
      {"name": "owner", "value": null}
    ],
    "deadline": "2026-11-22T09:00:00Z",
    "budget": {"tokens": 120000, "usd": 1.5},
    "tags": ["api", "pagination", "audit"]
  },
  "metadata": {"trace": "4bf92f3577b34da6a3ce929d0e0e4736", "attempt": 1, "dry_run": false}
})json";

void copy_message(benchmark::State& state) {
  std::string copy(2048, ' ');
  for (auto _ : state) {
    std::memcpy(copy.data(), message_text.data(), message_text.size());
    benchmark::DoNotOptimize(copy.data());
  }
}

void parse(benchmark::State& state) {
  json::Parser parser;
  for (auto _ : state) benchmark::DoNotOptimize(parser.parse(message_text));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * message_text.size()));
}

void validate(benchmark::State& state) {
  json::Parser parser;
  const json::Value message = *parser.parse(message_text);
  const schema::Program program = *schema::compile(schema_text);
  for (auto _ : state) {
    if (!program.accepts(message)) state.SkipWithError("refused");
  }
}

void parse_and_validate(benchmark::State& state) {
  json::Parser parser;
  const schema::Program program = *schema::compile(schema_text);
  for (auto _ : state) {
    const auto message = parser.parse(message_text);
    if (!message || !program.accepts(*message)) state.SkipWithError("refused");
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * message_text.size()));
}

// A WebSocket frame of 64 messages: parsed once, each message cut out.
std::string frame() {
  std::string text = R"({"id":1,"op":"send","messages":[)";
  for (int i = 0; i < 64; ++i) text.append(i ? "," : "").append(message_text);
  return text + "]}";
}

void parse_frame(benchmark::State& state) {
  const std::string text = frame();
  json::Parser parser;
  for (auto _ : state) benchmark::DoNotOptimize(parser.parse(text));
  state.SetItemsProcessed(state.iterations() * 64);
}

void slice_frame(benchmark::State& state) {
  const std::string text = frame();
  json::Parser parser;
  const json::Value messages = parser.parse(text)->find("messages");
  std::vector<std::string_view> slices;
  for (auto _ : state) {
    parser.slices(messages, slices);
    benchmark::DoNotOptimize(slices.data());
  }
  state.SetItemsProcessed(state.iterations() * 64);
}

void compile_schema(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(schema::compile(schema_text));
}

BENCHMARK(copy_message);
BENCHMARK(parse);
BENCHMARK(validate);
BENCHMARK(parse_and_validate);
BENCHMARK(parse_frame);
BENCHMARK(slice_frame);
BENCHMARK(compile_schema);

}  // namespace
}  // namespace parley

BENCHMARK_MAIN();
