// Parsing and validating a realistic message of about 1 KB: what each accepted message costs at the door; beside it
// RapidJSON, whose validator sits in its parser; schema/ajv.mjs does the same with JSON.parse and ajv (architecture,
// Budgets).
#include <benchmark/benchmark.h>
#include <rapidjson/reader.h>
#include <rapidjson/schema.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "json/parser.hpp"
#include "schema/program.hpp"

namespace parley {
namespace {

std::string file(const char* name) {
  std::ifstream file(std::string(PARLEY_BENCH_FOLDER "/schema/") + name);
  std::string text{std::istreambuf_iterator(file), {}};
  if (text.empty()) std::abort();
  text.pop_back();  // the file's last line break
  return text;
}

const std::string schema_text = file("schema.json"), message_text = file("message.json");

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

// RapidJSON in one pass, without a document; UTF-8 checked, as we do. Draft 4, whose words the schema keeps to but for
// $defs, which it would not find. Its own regular expressions take a hundred times as long as everything else: it is
// also measured on a schema without patterns, where it does less than we do.
enum class Patterns : std::uint8_t { kept, left_out };

class Rapid {
 public:
  explicit Rapid(Patterns patterns) : schema_(parsed(patterns)), validator_(schema_) {}

  bool accepts(std::string_view text) {
    validator_.Reset();
    rapidjson::MemoryStream bytes(text.data(), text.size());
    return reader_.Parse<rapidjson::kParseValidateEncodingFlag>(bytes, validator_) && validator_.IsValid();
  }

 private:
  static rapidjson::Document parsed(Patterns patterns) {
    std::string text = schema_text;
    for (std::size_t at = 0; (at = text.find("$defs", at)) != text.npos;) text.replace(at, 5, "definitions");
    rapidjson::Document document;
    document.Parse(text.data(), text.size());
    if (patterns == Patterns::left_out) leave_out_patterns(document);
    return document;
  }
  static void leave_out_patterns(rapidjson::Value& schema) {
    if (!schema.IsObject()) return;
    schema.RemoveMember("pattern");
    for (auto& member : schema.GetObject()) leave_out_patterns(member.value);
  }

  rapidjson::SchemaDocument schema_;
  rapidjson::SchemaValidator validator_;
  rapidjson::Reader reader_;
};

void rapidjson_in_one_pass(benchmark::State& state, Patterns patterns) {
  Rapid rapid(patterns);
  std::string broken = message_text;
  if (patterns == Patterns::kept)
    broken.replace(broken.find("coder-7"), 7, "Coder-7");
  else
    broken.replace(broken.find("\"high\""), 6, "\"tall\"");
  if (rapid.accepts(broken)) return state.SkipWithError("a broken message was accepted");
  for (auto _ : state) {
    if (!rapid.accepts(message_text)) state.SkipWithError("refused");
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
BENCHMARK_CAPTURE(rapidjson_in_one_pass, with_patterns, Patterns::kept);
BENCHMARK_CAPTURE(rapidjson_in_one_pass, without_patterns, Patterns::left_out);
BENCHMARK(parse_frame);
BENCHMARK(slice_frame);
BENCHMARK(compile_schema);

}  // namespace
}  // namespace parley

BENCHMARK_MAIN();
