#include "print.hpp"

#include <algorithm>

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "no_result.hpp"

namespace parley::scenarios {
namespace {

std::string notice(json::Value notice) {
  std::string text = " notice " + std::string(notice.find("notice").if_string().value_or("?")) + " of";
  for (const json::Value about : notice.find("messages").elements()) text += ' ' + json::to_text(about.find("offset"));
  text += " at";
  for (const json::Value at : notice.find("recipients").elements()) text += ' ' + std::string(at.as_string());
  return text + ": " + std::string(notice.find("reason").if_string().value_or(""));
}

}  // namespace

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? std::string_view() : between).append(word);
  return text;
}

std::string print_problem(const base::Problem& problem) {
  return "  " + problem.schema + " at '" + problem.instance + "'\n";
}

std::string print(const base::Error& error) {
  const base::ErrorInfo& info = base::info(error.code);
  std::string text = "refused " + std::to_string(info.http_status) + ' ' + std::string(info.name);
  if (!error.where.empty()) text += " at " + error.where;
  text += ": " + error.message + '\n';
  if (error.retry_after.count() > 0) text += "  retry after " + base::to_text(error.retry_after) + '\n';
  if (!error.legal_next.empty()) text += "  legal: " + joined(error.legal_next) + '\n';
  for (const base::Problem& problem : error.details) text += print_problem(problem);
  return text;
}

std::string print(const broker::Sent& sent) {
  std::string text = (sent.duplicate ? "duplicate offset=" : "accepted offset=") + std::to_string(sent.offset.value);
  text += '\n';
  for (const base::Problem& problem : sent.warnings) text += print_problem(problem);
  return text;
}

std::string task_error(const broker::DeliveryDetails& details) {
  return details.task_error.empty() ? "-" : details.task_error;
}

std::string print(World& world, const std::string& workspace, const broker::Delivery& delivery,
                  const std::vector<std::string>& show) {
  const auto document = json::Document::parse(delivery.message);
  if (!document) return server_error + "DELIVERED NO JSON\n";
  static const broker::DeliveryDetails none;
  const broker::DeliveryDetails& details = delivery.details ? *delivery.details.get() : none;
  std::string text = "delivery " + delivery.delivery_id + " attempt=" + std::to_string(delivery.attempt) +
                     " priority=" + std::string(envelope::name(delivery.priority));
  text += delivery.notice ? notice(document->root()) : ' ' + world.type_of(document->root());
  if (delivery.by_server && !delivery.notice) text += " of the server";
  for (const std::string& at : show)
    text += ' ' + (at == "task_error" ? task_error(details) : json::to_text(document->root().at_pointer(at)));
  if (details.reply_by) text += " reply_by=" + base::to_rfc3339(*details.reply_by);
  if (delivery.task_epoch > 1) text += " task_epoch=" + std::to_string(delivery.task_epoch);
  if (details.task_deadline) text += " task_deadline=" + base::to_rfc3339(*details.task_deadline);
  if (details.task_timeout > base::Duration{}) text += " task_timeout=" + base::to_text(details.task_timeout);
  if (details.supersedes != base::Offset{}) text += " in place of " + std::to_string(details.supersedes.value);
  if (!delivery.lease_until) text += " final";
  if (!details.pending.empty()) text += " pending: " + joined(details.pending);
  text += '\n';
  for (const base::Problem& problem : details.warnings) text += print_problem(problem);
  const bool changed =  // by a human, and it says so
      std::ranges::any_of(details.warnings, [](const base::Problem& p) { return p.schema == "CHANGED"; });
  if (!delivery.by_server && !changed && !world.as_sent(workspace, delivery.offset, delivery.message))
    text += server_error + "NOT THE BYTES THAT WERE SENT (R4)\n";
  return text;
}

}  // namespace parley::scenarios
