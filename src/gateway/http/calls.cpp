// Calls that are answered at once: which method of the broker's port each is, and what it is given.
#include <algorithm>
#include <charconv>

#include "gateway/form/form.hpp"
#include "gateway/http/answers.hpp"
#include "gateway/http/gateway.hpp"

namespace parley::gateway::http {
namespace {

using base::ErrorCode;
using broker::Answer;

std::string_view parameter(const net::http::QueryParameters& query, std::string_view name) {
  for (const auto& [key, value] : query)
    if (key == name) return value;
  return {};
}

broker::Page page_of(const net::http::QueryParameters& query) {
  broker::Page page;
  page.after = parameter(query, "after");
  const std::string_view limit = parameter(query, "limit");
  std::from_chars(limit.data(), limit.data() + limit.size(), page.limit);  // its form has been checked
  return page;
}

int status_of(std::span<const broker::Settled> settled) {  // surface table
  const auto all = [&](broker::Settled one) {
    return std::all_of(settled.begin(), settled.end(), [one](broker::Settled s) { return s == one; });
  };
  return all(broker::Settled::done) ? 200 : all(broker::Settled::superseded) ? 409 : 207;
}

}  // namespace

base::Result<Answer> Gateway::answer(const Request& request, Body body) {
  static const broker::Caller nobody;
  const broker::Caller& caller = request.caller ? *request.caller : nobody;
  const auto& at = request.match.parameters;
  const broker::Page page = page_of(request.query);
  switch (request.match.route->call) {
    case Call::create_workspace:
      return broker_.create_workspace(caller, body);
    case Call::list_workspaces:
      return broker_.workspaces(caller, page);
    case Call::get_workspace:
      return broker_.workspace(caller, at[0]);
    case Call::change_workspace:
      return broker_.change_workspace(caller, at[0], body);
    case Call::register_agent:
      return broker_.register_agent(caller, at[0], body);
    case Call::list_agents:
      return broker_.agents(caller, at[0], page);
    case Call::get_agent:
      return broker_.agent(caller, at[0], at[1]);
    case Call::change_agent:
      return broker_.change_agent(caller, at[0], at[1], body);
    case Call::remove_agent:
      return broker_.remove_agent(caller, at[0], at[1]);
    case Call::allocate:
      return broker_.allocate(caller, at[0], at[1], at[2], body);
    case Call::register_person:
      return broker_.register_person(caller, at[0], body);
    case Call::list_people:
      return broker_.people(caller, at[0], page);
    case Call::change_person:
      return broker_.change_person(caller, at[0], at[1], body);
    case Call::remove_person:
      return broker_.remove_person(caller, at[0], at[1]);
    case Call::register_runner:
      return broker_.register_runner(caller, at[0], body);
    case Call::list_runners:
      return broker_.runners(caller, at[0], page);
    case Call::revoke_runner:
      return broker_.revoke_runner(caller, at[0], at[1]);
    case Call::rotate_agent_token:
    case Call::rotate_person_token: {
      PARLEY_TRY(const auto grace, form::duration_member(body, "grace"));
      const bool agent = request.match.route->call == Call::rotate_agent_token;
      return broker_.rotate_token(caller, at[0], agent ? "agents" : "people", at[1], grace.value_or(base::Duration{}));
    }
    case Call::get_message:
      return broker_.message(caller, at[0], at[1], parameter(request.query, "to"));
    case Call::rescind_message:
      return broker_.rescind(caller, at[0], at[1], parameter(request.query, "to"),
                             body.find("reason").if_string().value_or(""));
    case Call::list_records:
      return broker_.records(caller, at[0], parameter(request.query, "task"), parameter(request.query, "agent"), page);
    case Call::list_tasks:
      return broker_.tasks(caller, at[0], parameter(request.query, "state"), parameter(request.query, "agent"), page);
    case Call::get_task:
      return broker_.task(caller, at[0], at[1]);
    case Call::check_task:
      return broker_.check_task(caller, at[0], at[1], body.find("epoch").if_uint().value_or(0));
    case Call::list_dependencies:
      return broker_.dependencies(caller, at[0], at[1]);
    case Call::set_dependencies:
      return broker_.set_dependencies(caller, at[0], at[1], body);
    case Call::extend_task:
      return broker_.extend_task(caller, at[0], at[1], body);
    case Call::report_task_error:
      return broker_.report_task_error(caller, at[0], at[1], body);
    case Call::abort_task:
      return broker_.abort_task(caller, at[0], at[1], body);
    case Call::list_findings:
      return broker_.findings(caller, at[0], at[1]);
    case Call::list_reviews:
      return broker_.reviews(caller, at[0], parameter(request.query, "state"), parameter(request.query, "task"), page);
    case Call::get_review:
      return broker_.review(caller, at[0], at[1]);
    case Call::list_help:
      return broker_.help_requests(caller, at[0], parameter(request.query, "state"), parameter(request.query, "agent"),
                                   page);
    case Call::get_help:
      return broker_.help_request(caller, at[0], at[1]);
    case Call::list_collaborations:
      return broker_.collaborations(caller, at[0], parameter(request.query, "state"), parameter(request.query, "agent"),
                                    page);
    case Call::get_collaboration:
      return broker_.collaboration(caller, at[0], at[1]);
    case Call::list_approvals:
      return broker_.approvals(caller, at[0], parameter(request.query, "state"), page);
    case Call::get_approval:
      return broker_.approval(caller, at[0], at[1]);
    case Call::decide_approval:
      return broker_.decide_approval(caller, at[0], at[1], body);
    case Call::look_into_inbox:
      return broker_.inbox(caller, at[0], at[1], page);
    case Call::ack:
      return settle(request,
                    body.find("acted").if_bool().value_or(false) ? broker::Settlement::act : broker::Settlement::ack,
                    body);
    case Call::act:
      return settle(request, broker::Settlement::act, body);
    case Call::nack:
      return settle(request, broker::Settlement::nack, body);
    case Call::extend:
      return settle(request, broker::Settlement::extend, body);
    case Call::check_deliveries:
      return check(request, body);
    case Call::list_dead_letters:
      return broker_.dead_letters(caller, at[0], page);
    case Call::redrive:
      return broker_.redrive(caller, at[0], at[1]);
    case Call::discard:
      return broker_.discard(caller, at[0], at[1]);
    case Call::limits:
      return broker_.limits();
    case Call::healthz:
      return Answer{200, R"({"status":"ok"})"};
    case Call::readyz: {
      std::string reason = broker_.not_ready();
      if (reason.empty()) reason = not_ready();
      if (!reason.empty()) return base::fail(ErrorCode::OVERLOADED, reason);
      return Answer{200, R"({"status":"ready"})"};
    }
    case Call::send_messages:
    case Call::supersede_message:
    case Call::take:
    case Call::read_log:
    case Call::await_tasks:
    case Call::stream:
    case Call::metrics:
    case Call::openapi:
      break;  // answered elsewhere
  }
  return base::fail(ErrorCode::INTERNAL, "the route has no call");
}

base::Result<Answer> Gateway::check(const Request& request, Body body) {
  std::vector<std::string_view> deliveries, messages;
  for (const json::Value id : body.find("delivery_ids").elements()) deliveries.push_back(id.as_string());
  for (const json::Value id : body.find("message_ids").elements()) messages.push_back(id.as_string());
  const auto& at = request.match.parameters;
  return broker_.check(*request.caller, at[0], at[1], {deliveries, messages});
}

base::Result<Answer> Gateway::settle(const Request& request, broker::Settlement what, Body body) {
  std::vector<std::string_view> ids;
  for (const json::Value id : body.find("delivery_ids").elements()) ids.push_back(id.as_string());
  broker::SettleRequest asked;
  asked.what = what;
  asked.delivery_ids = ids;
  asked.reason = body.find("reason").if_string().value_or("");
  asked.code = body.find("code").if_string().value_or("");
  PARLEY_TRY(asked.delay, form::duration_member(body, "delay"));
  PARLEY_TRY(asked.lease, form::lease_member(body));
  const auto& at = request.match.parameters;
  PARLEY_TRY(const std::vector<broker::Settled> settled, broker_.settle(*request.caller, at[0], at[1], asked));

  Answer answer{status_of(settled), {}};
  json::Writer writer(answer.json);
  writer.begin_object();
  if (answer.status == 409) {
    writer.key("error");
    form::write_error(writer,
                      {ErrorCode::SUPERSEDED, "the leases of these deliveries are over", {}, "/delivery_ids", {}, {}});
  }
  writer.key("results");
  form::write_settled(writer, ids, settled);
  writer.end_object();
  return answer;
}

}  // namespace parley::gateway::http
