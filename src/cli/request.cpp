// `parley request`: sends a message that asks for an answer and waits for it (PIP-08, MSH-03). It reads the log, not
// the mailbox: what else is there stays for whoever takes it, and after a restart of the server, or its own, it goes on
// where it was. What it has printed it acknowledges.
#include <algorithm>

#include "base/clock.hpp"
#include "cli/answer_wait.hpp"
#include "cli/contents.hpp"
#include "cli/errors.hpp"
#include "cli/online.hpp"
#include "cli/verbs.hpp"
#include "json/parser.hpp"

namespace parley::cli {
namespace {

using base::Duration;
using base::ErrorCode;

struct RequestOptions {
  Online online;
  std::string file, idempotency_key;
  std::optional<Duration> timeout;
  bool keep = false;
};

base::Result<std::string> one_message(const std::string& file) {
  PARLEY_TRY(std::string text, contents_of(file.empty() ? "-" : file));
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && text[first] == '{') return text;
  return base::fail(ErrorCode::BAD_REQUEST, "a request is one message, a JSON object", file,
                    "Send several with `parley send`.");
}

// Of one id there may be several messages, each to another (R7): `to` of the log's entry says whose.
base::Result<> begin(Connected& server, const sdk::Sent& sent, json::Value own, AnswerWait& wait) {
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
void acknowledge(sdk::Workspace& workspace, const RequestOptions& options, AnswerWait& wait) {
  const auto ids = wait.take_read();
  if (options.keep || ids.empty()) return;
  const std::vector<std::string_view> views(ids.begin(), ids.end());
  static_cast<void>(workspace.settle(sdk::Settlement::ack, options.online.wanted.agent, views));
}

// All of a page, and only then the end of it: what the server says of the end stands behind it.
base::Result<> look_at_page(Connected& server, const sdk::Sent& sent, json::Value items, AnswerWait& wait) {
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
  AnswerWait wait(context, sent);
  std::uint64_t from = sent.offset;
  while (!wait.over()) {
    const Duration left = options.timeout ? start + *options.timeout - clock.monotonic() : poll_time;
    const auto page = log_page(server, from, 100, std::clamp(left, Duration{}, poll_time));
    if (page) from = std::max(from, page->root().find("next").if_uint().value_or(0));
    auto looked = page ? look_at_page(server, sent, page->root().find("items"), wait)
                       : base::Result<>(std::unexpected(page.error()));
    if (!looked && !is_passing(looked.error())) return std::unexpected(looked.error());
    if (!looked && !wait.begun()) from = sent.offset;
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
