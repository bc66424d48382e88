// `parley validate`: is this message one the server would accept? Offline.
#include "cli/validate.hpp"

#include <ostream>

#include "cli/contents.hpp"
#include "cli/errors.hpp"
#include "cli/verbs.hpp"
#include "json/writer.hpp"
#include "sdk/cpp/error_text.hpp"

namespace parley::cli {
namespace {

struct ValidateOptions {
  std::vector<std::string> files;
  std::string profile;
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
  out.key("warnings").begin_array();
  for (const auto& warning : assessment.warnings)
    out.begin_object()
        .member("instance", warning.instance)
        .member("schema", warning.schema)
        .member("message", warning.message)
        .end_object();
  out.end_array().end_object();
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
  for (const auto& warning : assessment.warnings)
    terminal.out << "  " << coloured("warning", Colour::yellow, tty) << "  " << printable(warning.instance) << ": "
                 << printable(warning.message) << '\n';
  if (assessment.strict) terminal.out << error_text(*assessment.strict, tty);
  const bool differs =
      assessment.lenient && assessment.strict && assessment.lenient->message != assessment.strict->message;
  if (differs) terminal.out << "lenient, too:\n" << error_text(*assessment.lenient, tty);
}

base::Result<Assessment> assess_file(const std::string& file, const std::string& profile) {
  PARLEY_TRY(const auto bytes, contents_of(file));
  auto assessment = assess(bytes, profile);
  if (!assessment && assessment.error().where.empty()) assessment.error().where = file;
  return assessment;
}

base::Result<Exit> validate(Context& context, const ValidateOptions& options) {
  bool refused = false;
  std::string text = "[";
  for (const auto& file : options.files) {
    const auto assessment = assess_file(file, options.profile);
    if (text.size() > 1) text += ',';
    if (!assessment) {
      refused = true;
      text += sdk::to_json(assessment.error());
      if (!context.json) {
        context.terminal.out << coloured(printable(file), Colour::strong, context.terminal.out_is_tty) << '\n'
                             << error_text(assessment.error(), context.terminal.out_is_tty);
      }
      continue;
    }
    refused = refused || (options.lenient ? assessment->lenient : assessment->strict).has_value();
    text += to_json(file, *assessment);
    if (!context.json) print_text(context, file, *assessment);
  }
  if (context.json) print_json(context.terminal, options.files.size() == 1 ? text.substr(1) : text + "]");
  return refused ? Exit::refused : Exit::done;
}

}  // namespace

Verb validate_verb() {
  auto options = std::make_shared<ValidateOptions>();
  return {.name = "validate",
          .summary = "Check messages as the server would, without one",
          .examples = {"parley validate task.json", "parley validate --profile mesh --json message.json"},
          .options = {{"file", "native messages; - is standard input", &options->files, true},
                      {"--profile", "the protocol (default: known by the content)", &options->profile},
                      {"--lenient", "exit 0 where lenient validation accepts it", &options->lenient}},
          .run = [options](Context& context) { return validate(context, *options); }};
}

}  // namespace parley::cli
