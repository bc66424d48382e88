#include "cli/answer_wait.hpp"

#include <ostream>

#include "base/quoted.hpp"
#include "cli/errors.hpp"
#include "json/writer.hpp"
#include "sdk/cpp/error_text.hpp"

namespace parley::cli {
namespace {

using base::Duration;
using base::ErrorCode;
using base::listed;

std::string text_of(json::Value object, std::string_view member) {
  return std::string(object.find(member).if_string().value_or(""));
}

bool names(json::Value list, std::uint64_t offset) {
  for (const json::Value one : list.elements())
    if (one.if_uint() == offset) return true;
  return false;
}

}  // namespace

void AnswerWait::begin(json::Value receipts) {
  begun_ = true;
  for (const json::Value receipt : receipts.elements())
    if (text_of(receipt, "why") != "mailbox_full") awaited_.push_back(text_of(receipt, "recipient"));
  if (awaited_.empty()) end("gone", ErrorCode::NOT_FOUND, "the request reached nobody", "Look who is there first.");
}

base::Result<> AnswerWait::look_at_own(json::Value entry) const {
  if (entry.find("answer_due") || entry.find("held")) return {};
  return base::fail(ErrorCode::BAD_REQUEST,
                    "message '" + sent_.message_id + "' of type '" + text_of(entry, "type") +
                        "' was accepted, and asks for no answer",
                    "file", "Send what asks for nothing with `parley send`; `parley schema` says what asks.");
}

void AnswerWait::look_at(json::Value entry) {
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

void AnswerWait::give_up(Duration after) {
  end("gave_up", ErrorCode::REQUEST_TIMEOUT,
      "no answer came from " + listed(awaited_) + " in " + base::to_text(after) + "; the server still awaits it",
      "Run it again with the same message: it goes on waiting.");
}

Exit AnswerWait::print() const {
  const bool done = !ended_ && !failed_;
  if (context_.json)
    print_json(context_.terminal, summary());
  else if (ended_)
    print_error(context_, *ended_);
  return done ? Exit::done : Exit::refused;
}

std::vector<std::string> AnswerWait::take_read() {
  std::vector<std::string> ids;
  for (const std::uint64_t offset : std::exchange(read_, {})) ids.push_back(std::to_string(offset) + "-0");
  return ids;
}

void AnswerWait::end(std::string_view outcome, ErrorCode code, std::string message, std::string hint) {
  outcome_ = outcome;
  ended_.emplace();
  ended_->code = code;
  ended_->message = std::move(message);
  ended_->where = sent_.message_id;
  ended_->hint = std::move(hint);
}

void AnswerWait::show(std::ostream& out, bool tty, std::string_view what, json::Value entry) const {
  if (context_.json) return;
  out << coloured(what, Colour::faint, tty) << " from "
      << coloured(printable(text_of(entry, "from")), Colour::strong, tty) << "  offset "
      << cell_of(entry.find("offset")) << "  " << cell_of(entry.find("type")) << '\n'
      << printable_json(json::to_text(entry.find("message"), 2)) << '\n';
  out.flush();
}

void AnswerWait::answered(json::Value entry) {
  show(context_.terminal.out, context_.terminal.out_is_tty, "answer", entry);
  if (text_of(entry, "kind") == "error.report") {
    failed_ = true;
    outcome_ = "failed";
  }
  answers_.push_back(json::to_text(entry));
  read_.push_back(entry.find("offset").if_uint().value_or(0));
  std::erase(awaited_, text_of(entry, "from"));
}

void AnswerWait::went_on(json::Value entry) {
  show(context_.terminal.err, context_.terminal.err_is_tty, "progress", entry);
  progress_.push_back(json::to_text(entry));
  read_.push_back(entry.find("offset").if_uint().value_or(0));
}

void AnswerWait::noticed(json::Value entry) {
  const json::Value notice = entry.find("notice");
  const std::string what = text_of(notice, "notice");
  bool of_it = false;
  for (const json::Value message : notice.find("messages").elements())
    of_it |= message.find("offset").if_uint() == sent_.offset;
  if (!of_it || !(what == "bounced" || what == "expired" || what == "dead")) return;
  if (notice.find("count").if_uint() == 1) read_.push_back(entry.find("offset").if_uint().value_or(0));
  lose(notice.find("recipients"), "the request ended unread at ", ": " + printable(text_of(notice, "reason")));
}

void AnswerWait::lose(json::Value agents, const std::string& before, const std::string& how) {
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

std::string AnswerWait::summary() const {
  std::string text;
  json::Writer out(text);
  out.begin_object().member("outcome", outcome_).member("message_id", sent_.message_id);
  out.member("offset", sent_.offset);
  for (const auto& [name, list] : {std::pair("answers", &answers_), std::pair("progress", &progress_)}) {
    out.key(name).begin_array();
    for (const std::string& entry : *list) out.raw(entry);
    out.end_array();
  }
  if (const auto& error = ended_ ? ended_ : lost_) sdk::write_error(out.key("error"), *error);
  out.end_object();
  return text;
}

}  // namespace parley::cli
