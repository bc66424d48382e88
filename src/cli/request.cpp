// `parley request`: sends a message that asks for an answer and waits for it (PIP-08, MSH-03). It reads the log, not
// the mailbox: what else is there stays for whoever takes it, and after a restart of the server, or its own, it goes on
// where it was. What it has printed it acknowledges.
#include <algorithm>
#include <ostream>

#include "base/clock.hpp"
#include "base/quoted.hpp"
#include "cli/contents.hpp"
#include "cli/errors.hpp"
#include "cli/online.hpp"
#include "cli/verbs.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "sdk/cpp/error_text.hpp"

namespace parley::cli {
namespace {

using base::Duration;
using base::ErrorCode;
using base::listed;

struct RequestOptions {
  Online online;
  std::string file, idempotency_key;
  std::optional<Duration> timeout;
  bool keep = false;
};

std::string text_of(json::Value object, std::string_view member) {
  return std::string(object.find(member).if_string().value_or(""));
}

bool names(json::Value list, std::uint64_t offset) {
  for (const json::Value one : list.elements())
    if (one.if_uint() == offset) return true;
  return false;
}

// How the wait stands; what the log says moves it.
class Wait {
 public:
  Wait(Context& context, const sdk::Sent& sent) : context_(context), sent_(sent) {}

  bool over() const { return ended_ || (begun_ && awaited_.empty()); }
  bool begun() const { return begun_; }
  void begin(json::Value receipts) {
    begun_ = true;
    for (const json::Value receipt : receipts.elements())
      if (text_of(receipt, "why") != "mailbox_full") awaited_.push_back(text_of(receipt, "recipient"));
    if (awaited_.empty()) end("gone", ErrorCode::NOT_FOUND, "the request reached nobody", "Look who is there first.");
  }

  // The log's entry of the message itself. Error: nobody would answer it.
  base::Result<> look_at_own(json::Value entry) const {
    if (entry.find("answer_due") || entry.find("held")) return {};
    return base::fail(ErrorCode::BAD_REQUEST,
                      "message '" + sent_.message_id + "' of type '" + text_of(entry, "type") +
                          "' was accepted, and asks for no answer",
                      "file", "Send what asks for nothing with `parley send`; `parley schema` says what asks.");
  }

  void look_at(json::Value entry) {
    const std::string_view event = entry.find("event").if_string().value_or("");
    const bool of_it = names(entry.find("messages"), sent_.offset);
    if (entry.find("answers").if_uint() == sent_.offset) return answered(entry);
    if (entry.find("extends").if_uint() == sent_.offset) return went_on(entry);
    if (entry.find("asks_again").if_uint() == sent_.offset) return went_on(entry);  // an error that may pass
    if (event == "notice") return noticed(entry);
    const bool told = event == "message" && text_of(entry, "from") == "parley";
    if (told && text_of(entry, "reply_to") == sent_.message_id)
      return read_.push_back(entry.find("offset").if_uint().value_or(0));
    if (!of_it) return;
    if (event == "withheld") end("withheld", ErrorCode::CONFLICT, "a human has rejected the request", {});
    if (event == "request_timed_out")
      end("timed_out", ErrorCode::REQUEST_TIMEOUT, "no answer came from " + listed(awaited_) + " in its time",
          "Ask again under a new id, or ask somebody else.");
    if (event == "taken_back") end("taken_back", ErrorCode::TAKEN_BACK, "the request was taken back by its sender", {});
    if (event == "request_given_up") lose(entry.find("silent"), {}, " was removed before it answered");
  }

  void give_up(Duration after) {
    end("gave_up", ErrorCode::REQUEST_TIMEOUT,
        "no answer came from " + listed(awaited_) + " in " + base::to_text(after) + "; the server still awaits it",
        "Run it again with the same message: it goes on waiting.");
  }

  Exit print() const {
    const bool done = !ended_ && !failed_;
    if (context_.json)
      print_json(context_.terminal, summary());
    else if (ended_)
      print_error(context_, *ended_);
    return done ? Exit::done : Exit::refused;
  }

  std::vector<std::string> take_read() {  // delivery ids of what was never offered
    std::vector<std::string> ids;
    for (const std::uint64_t offset : std::exchange(read_, {})) ids.push_back(std::to_string(offset) + "-0");
    return ids;
  }

 private:
  void end(std::string_view outcome, ErrorCode code, std::string message, std::string hint) {
    outcome_ = outcome;
    ended_.emplace();
    ended_->code = code;
    ended_->message = std::move(message);
    ended_->where = sent_.message_id;
    ended_->hint = std::move(hint);
  }

  void show(std::ostream& out, bool tty, std::string_view what, json::Value entry) const {
    if (context_.json) return;
    out << coloured(what, Colour::faint, tty) << " from "
        << coloured(printable(text_of(entry, "from")), Colour::strong, tty) << "  offset "
        << cell_of(entry.find("offset")) << "  " << cell_of(entry.find("type")) << '\n'
        << printable_json(json::to_text(entry.find("message"), 2)) << '\n';
    out.flush();
  }

  void answered(json::Value entry) {
    show(context_.terminal.out, context_.terminal.out_is_tty, "answer", entry);
    if (text_of(entry, "kind") == "error.report") {
      failed_ = true;
      outcome_ = "failed";
    }
    answers_.push_back(json::to_text(entry));
    read_.push_back(entry.find("offset").if_uint().value_or(0));
    std::erase(awaited_, text_of(entry, "from"));
  }

  void went_on(json::Value entry) {
    show(context_.terminal.err, context_.terminal.err_is_tty, "progress", entry);
    progress_.push_back(json::to_text(entry));
    read_.push_back(entry.find("offset").if_uint().value_or(0));
  }

  // It was never read there: it bounced, its time was over, or its attempts were spent.
  void noticed(json::Value entry) {
    const json::Value notice = entry.find("notice");
    const std::string what = text_of(notice, "notice");
    bool of_it = false;
    for (const json::Value message : notice.find("messages").elements())
      of_it |= message.find("offset").if_uint() == sent_.offset;
    if (!of_it || !(what == "bounced" || what == "expired" || what == "dead")) return;
    if (notice.find("count").if_uint() == 1) read_.push_back(entry.find("offset").if_uint().value_or(0));
    lose(notice.find("recipients"), "the request ended unread at ", ": " + printable(text_of(notice, "reason")));
  }

  // Those of them that were still awaited.
  void lose(json::Value agents, const std::string& before, const std::string& how) {
    std::vector<std::string> gone;
    for (const json::Value agent : agents.elements())
      if (std::erase(awaited_, agent.if_string().value_or("")) > 0) gone.emplace_back(*agent.if_string());
    if (gone.empty()) return;
    end("gone", ErrorCode::NOT_FOUND, before + listed(gone) + how, "Ask somebody else.");
    if (awaited_.empty()) return;
    lost_ = std::exchange(ended_, std::nullopt);  // the others are still awaited
    failed_ = true;
    if (!context_.json) print_error(context_, *lost_);
  }

  std::string summary() const {
    std::string text;
    json::Writer out(text);
    out.begin_object().member("outcome", outcome_).member("message_id", sent_.message_id);
    out.member("offset", sent_.offset);
    for (const auto& [name, list] : {std::pair("answers", &answers_), std::pair("progress", &progress_)}) {
      out.key(name).begin_array();
      for (const std::string& entry : *list) out.raw(entry);
      out.end_array();
    }
    if (const auto& error = ended_ ? ended_ : lost_) {
      const auto written = json::Document::parse(sdk::to_json(*error));
      out.key("error").value(written->root().find("error"));
    }
    out.end_object();
    return text;
  }

  Context& context_;
  const sdk::Sent& sent_;
  bool begun_ = false, failed_ = false;
  std::string_view outcome_ = "answered";
  std::vector<std::string> awaited_;             // who has not answered yet
  std::vector<std::string> answers_, progress_;  // entries of the log
  std::vector<std::uint64_t> read_;              // offsets of what was shown
  std::optional<base::Error> ended_, lost_;
};

base::Result<std::string> one_message(const std::string& file) {
  PARLEY_TRY(std::string text, contents_of(file.empty() ? "-" : file));
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && text[first] == '{') return text;
  return base::fail(ErrorCode::BAD_REQUEST, "a request is one message, a JSON object", file,
                    "Send several with `parley send`.");
}

// A page of the log, or its end.
class Log {
 public:
  Log(Connected& server, std::uint64_t from) : server_(server), from_(from) {}

  base::Result<json::Document> next(Duration wait) {
    sdk::CallOptions call;
    call.timeout += wait;
    PARLEY_TRY(const auto reply, server_.client.get(sdk::path_of(server_.workspace, {"log"}) + "?from=" +
                                                        std::to_string(from_) + "&max=100&wait=" + base::to_text(wait),
                                                    call));
    PARLEY_TRY(auto document, json::Document::parse(reply.body, answer_limits));
    from_ = std::max(from_, document.root().find("next").if_uint().value_or(0));
    return document;
  }

 private:
  Connected& server_;
  std::uint64_t from_;
};

// Of one id there may be several messages, each to another (R7): `to` of the log's entry says whose.
base::Result<> begin(Connected& server, const sdk::Sent& sent, json::Value own, Wait& wait) {
  const json::Value to = own.find("to");
  std::string path = sdk::path_of(server.workspace, {"messages", sent.message_id});
  if (to.size() == 1 && to.element(0).if_string() != "*")
    path += "?to=" + sdk::escape(to.element(0).if_string().value_or(""));
  PARLEY_TRY(const auto reply, server.client.get(path));
  PARLEY_TRY(const auto document, json::Document::parse(reply.body, answer_limits));
  wait.begin(document.root().find("receipts"));
  return {};
}

// Where a session has taken it meanwhile it is that session's to acknowledge.
void acknowledge(sdk::Workspace& workspace, const RequestOptions& options, Wait& wait) {
  const auto ids = wait.take_read();
  if (options.keep || ids.empty()) return;
  const std::vector<std::string_view> views(ids.begin(), ids.end());
  static_cast<void>(workspace.settle(sdk::Settlement::ack, options.online.wanted.agent, views));
}

// All of a page, and only then the end of it: what the server says of the end stands behind it.
base::Result<> look_at_page(Connected& server, const sdk::Sent& sent, json::Value items, Wait& wait) {
  for (const json::Value entry : items.elements()) {
    if (entry.find("offset").if_uint() != sent.offset) {
      wait.look_at(entry);
      continue;
    }
    PARLEY_CHECK(wait.look_at_own(entry));
    if (!wait.begun()) PARLEY_CHECK(begin(server, sent, entry, wait));
  }
  return {};
}

base::Result<Exit> request(Context& context, const RequestOptions& options) {
  PARLEY_TRY(const std::string native, one_message(options.file));
  PARLEY_TRY(auto server, connect(options.online));
  sdk::Workspace workspace(server.client, server.workspace);
  PARLEY_TRY(const sdk::Sent sent, workspace.send(native, options.idempotency_key));

  base::SystemClock clock;
  const Duration start = clock.monotonic();
  Wait wait(context, sent);
  std::optional<Log> log(std::in_place, server, sent.offset);
  while (!wait.over()) {
    const Duration left = options.timeout ? start + *options.timeout - clock.monotonic() : poll_time;
    const auto page = log->next(std::clamp(left, Duration{}, poll_time));
    auto looked = page ? look_at_page(server, sent, page->root().find("items"), wait)
                       : base::Result<>(std::unexpected(page.error()));
    if (!looked && !is_passing(looked.error())) return std::unexpected(looked.error());
    if (!looked && !wait.begun()) log.emplace(server, sent.offset);
    if (!wait.over() && left <= Duration{}) wait.give_up(*options.timeout);
    if (!looked && !wait.over()) reconnect(options.online, server);
    if (context.json) continue;  // printed at the end
    if (!flush(context.terminal)) return Exit::refused;
    if (looked) acknowledge(workspace, options, wait);
  }
  const Exit exit = wait.print();
  if (!flush(context.terminal)) return Exit::refused;
  acknowledge(workspace, options, wait);
  return exit;
}

}  // namespace

Verb request_verb() {
  auto options = std::make_shared<RequestOptions>();
  return {
      .name = "request",
      .summary = "Send a message that asks for an answer, wait for it and print it",
      .examples = {"parley request --as orchestrator-agent question.json",
                   "parley request --as orchestrator-agent question.json --json --timeout 10m"},
      .options =
          std::vector<Option>{
              {"file", "JSON message; - or none: standard input", &options->file},
              {"--timeout", "give up after this long (default: when the server does)", &options->timeout},
              {"--keep", "leave the answer in the mailbox as well", &options->keep},
              {"--idempotency-key ID", "id of a message that has none of its own", &options->idempotency_key}} +
          agent_options(options->online),
      .run = [options](Context& context) { return request(context, *options); },
  };
}

}  // namespace parley::cli
