// `parley send`: native messages from files or standard input, one or many, each accepted or refused on its own.
#include <iterator>
#include <ostream>

#include "cli/contents.hpp"
#include "cli/errors.hpp"
#include "cli/natives.hpp"
#include "cli/online.hpp"
#include "cli/verbs.hpp"
#include "json/writer.hpp"
#include "sdk/cpp/error_text.hpp"

namespace parley::cli {
namespace {

struct SendOptions {
  Online online;
  std::vector<std::string> files;
  bool ndjson = false;
  std::string idempotency_key;
  std::string evidence;  // file
  sdk::SendOptions beside;
};

using Outcomes = std::vector<base::Result<sdk::Sent>>;

// Requests of as much as the server takes at once, each as the file has it: lines, or an array.
std::vector<std::string> requests_of(const std::vector<std::string>& messages, bool ndjson) {
  constexpr std::size_t messages_max = 1'000, bytes_max = 7 << 20;
  std::vector<std::string> requests;
  std::size_t count = messages_max;
  for (const std::string& message : messages) {
    if (count >= messages_max || requests.back().size() + message.size() > bytes_max) {
      if (!ndjson && !requests.empty()) requests.back() += ']';
      requests.emplace_back(ndjson ? "" : "[");
      count = 0;
    }
    if (count++ > 0) requests.back() += ndjson ? '\n' : ',';
    requests.back() += message;
  }
  if (!ndjson && !requests.empty()) requests.back() += ']';
  return requests;
}

// One outcome each, in order; where a request fails as a whole, what comes after it is not sent.
Outcomes send_many(sdk::Workspace& workspace, const SendOptions& options, const std::vector<std::string>& requests,
                   bool ndjson) {
  Outcomes outcomes;
  for (const std::string& request : requests) {
    auto some = workspace.send_many(request, ndjson, options.idempotency_key, options.beside);
    if (!some) {
      if (!outcomes.empty()) some.error().message += "; it and those after it have no answer";
      outcomes.emplace_back(std::unexpected(std::move(some).error()));
      break;
    }
    outcomes.insert(outcomes.end(), std::make_move_iterator(some->begin()), std::make_move_iterator(some->end()));
  }
  return outcomes;
}

Outcomes send_text(sdk::Workspace& workspace, const SendOptions& options, const std::string& file,
                   const std::string& text) {
  const bool ndjson = options.ndjson || is_ndjson(file);
  const Natives natives = natives_in(text, ndjson);
  if (natives.messages.empty()) return {no_message(file)};
  if (natives.messages.size() > 1) return send_many(workspace, options, requests_of(natives.messages, ndjson), ndjson);
  Outcomes outcomes;
  outcomes.push_back(workspace.send(natives.messages.front(), options.idempotency_key, options.beside));
  return outcomes;
}

// What became of a file: one that cannot be read is one outcome like any other, so that those of the files before it
// are not lost.
Outcomes send_file(sdk::Workspace& workspace, const SendOptions& options, const std::string& file,
                   const base::Result<std::string>& text) {
  if (text) return send_text(workspace, options, file, *text);
  Outcomes unread;
  unread.emplace_back(std::unexpected(text.error()));
  return unread;
}

// Which of a file's messages an error is about.
void name_message(base::Error& error, const std::string& file, std::size_t number) {
  const std::string message = (file == "-" ? "standard input" : file) + ", message " + std::to_string(number);
  error.where = error.where.empty() ? message : message + ": " + error.where;
}

void write_json(json::Writer& out, const base::Result<sdk::Sent>& outcome) {
  if (!outcome) {
    out.raw(sdk::to_json(outcome.error()));
    return;
  }
  out.begin_object().member("message_id", outcome->message_id).member("offset", outcome->offset);
  out.member("status", outcome->duplicate ? "duplicate" : "accepted");
  sdk::write_problems(out.key("warnings"), outcome->warnings);
  out.end_object();
}

void print_text(const Context& context, const base::Result<sdk::Sent>& outcome) {
  const Terminal& terminal = context.terminal;
  if (!outcome) return print_error(context, outcome.error());
  terminal.out << coloured(outcome->duplicate ? "duplicate " : "accepted  ",
                           outcome->duplicate ? Colour::yellow : Colour::green, terminal.out_is_tty)
               << printable(outcome->message_id) << "  offset " << outcome->offset << '\n';
  for (const auto& warning : outcome->warnings) terminal.out << warning_text(warning, terminal.out_is_tty);
}

// BEY-05: what `parley review run-checks --sign` wrote, for one message.
base::Result<std::string> evidence_in(const std::string& file, std::size_t messages) {
  if (file.empty()) return std::string();
  if (messages > 1) return misuse("--evidence goes with one message", "Send the message that it is about alone.");
  PARLEY_TRY(std::string text, contents_of(file));
  while (text.ends_with('\n')) text.pop_back();
  if (text.empty() || text.find_first_of("\r\n") != text.npos)
    return base::fail(base::ErrorCode::BAD_REQUEST, file + " holds no evidence", "--evidence",
                      "Name the file that `parley review run-checks --sign` wrote.");
  return text;
}

base::Result<Exit> send(Context& context, SendOptions& options) {
  if (!options.beside.to.empty() && options.beside.supersedes.empty())
    return misuse("--superseded-to says whose message --supersedes means, and there is no --supersedes");
  const std::vector<std::string> files = options.files.empty() ? std::vector<std::string>{"-"} : options.files;
  PARLEY_TRY(options.beside.evidence, evidence_in(options.evidence, files.size()));
  PARLEY_TRY(auto server, connect(options.online));
  sdk::Workspace workspace(server.client, server.workspace);
  std::vector<base::Result<std::string>> texts;
  texts.reserve(files.size());
  for (const auto& file : files) texts.push_back(contents_of(file));

  std::string text;
  json::Writer out(text);
  Exit exit = Exit::done;
  std::size_t count = 0;
  out.begin_array();
  for (std::size_t i = 0; i < files.size(); ++i) {
    auto outcomes = send_file(workspace, options, files[i], texts[i]);
    const std::size_t before = count;
    for (auto& outcome : outcomes) {
      ++count;
      if (!outcome && exit != Exit::unreachable) exit = exit_of(outcome.error());
      if (!outcome && outcomes.size() > 1) name_message(outcome.error(), files[i], count - before);
      if (context.json)
        write_json(out, outcome);
      else
        print_text(context, outcome);
    }
  }
  out.end_array();
  // One message in, one object out; many give an array.
  if (context.json) print_json(context.terminal, count == 1 ? text.substr(1, text.size() - 2) : text);
  return exit;
}

}  // namespace

Verb send_verb() {
  auto options = std::make_shared<SendOptions>();
  return {
      .name = "send",
      .summary = "Send native messages from files or standard input",
      .examples = {"parley send --as architect-main task.json",
                   "cat tasks.ndjson | parley send --as architect-main --ndjson"},
      .options =
          std::vector<Option>{
              {"file", "JSON message, JSON array or NDJSON; - or none: standard input", &options->files},
              {"--ndjson", "one message a line (known by the names .ndjson and .jsonl)", &options->ndjson},
              {"--idempotency-key ID", "id of a message that has none of its own", &options->idempotency_key},
              {"--supersedes MESSAGE_ID", "id of your earlier message that this one replaces",
               &options->beside.supersedes},
              {"--superseded-to NAME", "recipient of that message, if several share the id", &options->beside.to},
              {"--reply-by DATE-TIME", "RFC 3339 time by which an answer is wanted; without one the message bounces",
               &options->beside.reply_by},
              {"--evidence FILE", "file that `parley review run-checks --sign` wrote, for the result of that review",
               &options->evidence}} +
          agent_options(options->online),
      .run = [options](Context& context) { return send(context, *options); },
  };
}

}  // namespace parley::cli
