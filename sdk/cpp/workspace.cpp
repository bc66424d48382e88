// Bodies written, answers read; all rules are the server's.
#include "sdk/cpp/workspace.hpp"

#include <utility>

#include "json/writer.hpp"
#include "sdk/cpp/error_text.hpp"
#include "sdk/cpp/settle_members.hpp"

namespace parley::sdk {
namespace {

constexpr json::Limits answer_limits{.bytes = 256 << 20, .elements = 10'000'000};

base::Result<json::Document> read_answer(std::string_view body) {
  auto document = json::Document::parse(body, answer_limits);
  if (!document)
    return base::fail(base::ErrorCode::INTERNAL, "the server's answer is no JSON: " + document.error().message);
  return document;
}

base::Result<Sent> read_sent(json::Value value) {
  if (const auto error = value.find("error")) return std::unexpected(read_error(error, 422));
  if (!value.find("message_id").is_string())
    return base::fail(base::ErrorCode::INTERNAL, "the server's answer tells the outcome of no message");
  Sent sent;
  sent.message_id = value.find("message_id").if_string().value_or("");
  sent.offset = value.find("offset").if_uint().value_or(0);
  sent.duplicate = value.find("status").if_string() == "duplicate";
  sent.warnings = read_problems(value.find("warnings"));
  return sent;
}

std::string messages_path(const std::string& workspace, const SendOptions& beside) {
  std::string path = beside.supersedes.empty() ? path_of(workspace, {"messages"})
                                               : path_of(workspace, {"messages", beside.supersedes, "supersede"});
  char before = '?';
  for (const auto& [name, value] : {std::pair("to", &beside.to), std::pair("reply_by", &beside.reply_by)})
    if (!value->empty()) path += std::exchange(before, '&') + std::string(name) + '=' + escape(*value);
  return path;
}

CallOptions sending(std::string_view idempotency_key, const SendOptions& beside) {
  CallOptions options;
  if (!idempotency_key.empty()) options.headers.emplace_back("Idempotency-Key", idempotency_key);
  if (!beside.evidence.empty()) options.headers.emplace_back("Parley-Evidence", beside.evidence);
  return options;
}

}  // namespace

std::string_view name(Settlement what) {
  switch (what) {
    case Settlement::ack:
      return "ack";
    case Settlement::acted:
      return "acted";
    case Settlement::nack:
      return "nack";
    case Settlement::extend:
      break;
  }
  return "extend";
}

void write_settle_members(json::Writer& out, std::span<const std::string_view> delivery_ids,
                          const SettleOptions& options) {
  out.key("delivery_ids").begin_array();
  for (const auto id : delivery_ids) out.string(id);
  out.end_array();
  if (options.delay) out.member("delay", base::to_text(*options.delay));
  if (!options.reason.empty()) out.member("reason", options.reason);
  if (!options.code.empty()) out.member("code", options.code);
  if (options.lease.count() > 0) out.member("lease", base::to_text(options.lease));
}

base::Result<Taken> Taken::read(std::string body) {
  Taken taken(std::move(body));
  PARLEY_TRY(const auto deliveries, taken.reader_.read(taken.body_));
  taken.deliveries_ = deliveries.value_or(Deliveries{});
  return taken;
}

base::Result<Sent> Workspace::send(std::string_view native, std::string_view idempotency_key,
                                   const SendOptions& beside) {
  PARLEY_TRY(const Reply reply, client_->post(messages_path(name_, beside), native, sending(idempotency_key, beside)));
  PARLEY_TRY(const auto document, read_answer(reply.body));
  const json::Value root = document.root();
  if (root.is_array() && root.size() == 1) return read_sent(*root.elements().begin());
  return read_sent(root);
}

base::Result<std::vector<base::Result<Sent>>> Workspace::send_many(std::string_view natives, bool ndjson,
                                                                   std::string_view idempotency_key,
                                                                   const SendOptions& beside) {
  CallOptions options = sending(idempotency_key, beside);
  options.timeout = std::chrono::minutes(5);
  if (ndjson) options.content_type = "application/x-ndjson";
  PARLEY_TRY(const Reply reply, client_->post(messages_path(name_, beside), natives, options));
  PARLEY_TRY(const auto document, read_answer(reply.body));
  const json::Value root = document.root();
  std::vector<base::Result<Sent>> outcomes;
  for (const auto one : (root.is_array() ? root : root.find("results")).elements()) outcomes.push_back(read_sent(one));
  return outcomes;
}

base::Result<Reply> Workspace::rescind(std::string_view message_id, std::string_view to, std::string_view reason) {
  std::string path = path_of(name_, {"messages", message_id, "rescind"});
  if (!to.empty()) path += "?to=" + escape(to);
  std::string body;
  json::Writer out(body);
  out.begin_object();
  if (!reason.empty()) out.member("reason", reason);
  out.end_object();
  return client_->post(path, body);
}

base::Result<Reply> Workspace::check(std::string_view agent, std::span<const std::string_view> delivery_ids,
                                     std::span<const std::string_view> message_ids) {
  std::string body;
  json::Writer out(body);
  out.begin_object();
  for (const auto& [name, ids] : {std::pair("delivery_ids", delivery_ids), std::pair("message_ids", message_ids)}) {
    if (ids.empty()) continue;
    out.key(name).begin_array();
    for (const auto id : ids) out.string(id);
    out.end_array();
  }
  out.end_object();
  return client_->post(path_of(name_, {"agents", agent, "inbox", "check"}), body);
}

base::Result<Taken> Workspace::take(std::string_view agent, const TakeOptions& options) {
  std::string body;
  json::Writer out(body);
  out.begin_object().member("max", options.max);
  if (options.wait.count() > 0) out.member("wait", base::to_text(options.wait));
  if (options.lease.count() > 0) out.member("lease", base::to_text(options.lease));
  if (!options.take_id.empty()) out.member("take_id", options.take_id);
  out.end_object();
  CallOptions call;
  call.timeout += options.wait;
  PARLEY_TRY(Reply reply, client_->post(path_of(name_, {"agents", agent, "inbox", "take"}), body, call));
  return Taken::read(std::move(reply.body));
}

base::Result<std::vector<Settled>> Workspace::settle(Settlement what, std::string_view agent,
                                                     std::span<const std::string_view> delivery_ids,
                                                     const SettleOptions& options) {
  std::string body;
  json::Writer out(body);
  out.begin_object();
  write_settle_members(out, delivery_ids, options);
  out.end_object();
  PARLEY_TRY(const Reply reply, client_->post(path_of(name_, {"agents", agent, "inbox", sdk::name(what)}), body));
  PARLEY_TRY(const auto document, read_answer(reply.body));
  std::vector<Settled> results;
  for (const auto one : document.root().find("results").elements())
    results.push_back({std::string(one.find("delivery_id").if_string().value_or("")),
                       std::string(one.find("status").if_string().value_or(""))});
  return results;
}

base::Result<Reply> Workspace::wait_for_tasks(std::span<const std::string> task_ids, std::string_view until,
                                              base::Duration at_most) {
  std::string body;
  json::Writer out(body);
  out.begin_object().key("task_ids").begin_array();
  for (const std::string& id : task_ids) out.string(id);
  out.end_array().member("mode", until).member("timeout", base::to_text(at_most)).end_object();
  CallOptions call;
  call.timeout += at_most;
  return client_->post(path_of(name_, {"tasks", "wait"}), body, call);
}

}  // namespace parley::sdk
