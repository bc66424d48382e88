// `parley validate`: is this message one the server would accept? Offline.
#include "cli/validate.hpp"

#include <ostream>

#include "cli/contents.hpp"
#include "cli/errors.hpp"
#include "cli/natives.hpp"
#include "cli/verbs.hpp"
#include "json/writer.hpp"
#include "sdk/cpp/error_text.hpp"

namespace parley::cli {
namespace {

struct ValidateOptions {
  std::vector<std::string> files;
  std::string profile;
  bool ndjson = false;
  bool lenient = false;
};

void write_verdict(json::Writer& out, std::string_view name, const std::optional<base::Error>& refusal) {
  out.key(name);
  if (refusal)
    out.raw(sdk::to_json(*refusal));
  else
    out.string("accepted");
}

std::string to_json(const std::string& file, const Assessment& assessment) {
  std::string text;
  json::Writer out(text);
  out.begin_object().member("file", file).member("profile", assessment.profile).member("type", assessment.type);
  out.member("kind", assessment.kind);
  write_verdict(out, "strict", assessment.strict);
  write_verdict(out, "lenient", assessment.lenient);
  sdk::write_problems(out.key("warnings"), assessment.warnings);
  out.end_object();
  return text;
}

std::string to_json(const std::string& file, const base::Error& unread) {
  std::string text;
  json::Writer out(text);
  sdk::write_error(out.begin_object().member("file", file).key("error"), unread);
  out.end_object();
  return text;
}

void print_text(const Context& context, const std::string& file, const Assessment& assessment) {
  const Terminal& terminal = context.terminal;
  const bool tty = terminal.out_is_tty;
  const auto verdict = [tty](const std::optional<base::Error>& refusal) {
    return refusal ? coloured("refused", Colour::red, tty) : coloured("accepted", Colour::green, tty);
  };
  terminal.out << coloured(printable(file), Colour::strong, tty) << "  " << printable(assessment.profile) << " "
               << printable(assessment.type) << " (" << assessment.kind << ")  strict " << verdict(assessment.strict)
               << ", lenient " << verdict(assessment.lenient) << '\n';
  for (const auto& warning : assessment.warnings) terminal.out << warning_text(warning, tty);
  if (assessment.strict) terminal.out << error_text(*assessment.strict, tty);
  const bool differs =
      assessment.lenient && assessment.strict && assessment.lenient->message != assessment.strict->message;
  if (differs) terminal.out << "lenient, too:\n" << error_text(*assessment.lenient, tty);
}

// One of the messages that were named, and what is made of it.
struct Assessed {
  std::string where;
  base::Result<Assessment> outcome;
};

std::vector<Assessed> assess_file(const std::string& file, const ValidateOptions& options) {
  const auto text = contents_of(file);
  if (!text) return {{file, std::unexpected(text.error())}};
  const Natives natives = natives_in(*text, options.ndjson || is_ndjson(file));
  if (natives.messages.empty()) return {{file, no_message(file)}};
  std::vector<Assessed> all;
  for (const std::string& message : natives.messages) {
    const std::string where = natives.many ? file + ", message " + std::to_string(all.size() + 1) : file;
    all.push_back({where, assess(message, options.profile)});
    if (auto& outcome = all.back().outcome; !outcome && outcome.error().where.empty()) outcome.error().where = where;
  }
  return all;
}

// False: refused.
bool tell(Context& context, const ValidateOptions& options, const Assessed& assessed, json::Writer& out) {
  const auto& [where, outcome] = assessed;
  if (context.json)
    out.raw(outcome ? to_json(where, *outcome) : to_json(where, outcome.error()));
  else if (outcome)
    print_text(context, where, *outcome);
  else
    context.terminal.out << coloured(printable(where), Colour::strong, context.terminal.out_is_tty) << '\n'
                         << error_text(outcome.error(), context.terminal.out_is_tty);
  return outcome && !(options.lenient ? outcome->lenient : outcome->strict);
}

base::Result<Exit> validate(Context& context, const ValidateOptions& options) {
  Exit exit = Exit::done;
  std::size_t count = 0;
  std::string text;
  json::Writer out(text);
  out.begin_array();
  for (const auto& file : options.files)
    for (const Assessed& assessed : assess_file(file, options)) {
      ++count;
      if (!tell(context, options, assessed, out)) exit = Exit::refused;
    }
  out.end_array();
  // One message in, one object out; many give an array.
  if (context.json) print_json(context.terminal, count == 1 ? text.substr(1, text.size() - 2) : text);
  return exit;
}

}  // namespace

Verb validate_verb() {
  auto options = std::make_shared<ValidateOptions>();
  return {.name = "validate",
          .summary = "Check messages as a server would, without one",
          .examples = {"parley validate task.json", "parley validate --profile mesh --json message.json"},
          .options = {{"file", "JSON message, JSON array or NDJSON; - is standard input", &options->files, true},
                      {"--ndjson", "one message a line (known by the names .ndjson and .jsonl)", &options->ndjson},
                      {"--profile NAME", "the protocol (default: found by the content)", &options->profile},
                      {"--lenient", "exit 0 also where only lenient validation accepts it", &options->lenient}},
          .run = [options](Context& context) { return validate(context, *options); }};
}

}  // namespace parley::cli
