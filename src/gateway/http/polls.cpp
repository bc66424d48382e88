// Calls that may wait for what is not there yet: take, log, and the end of tasks (long polls).
#include <algorithm>
#include <charconv>

#include "envelope/limits.hpp"
#include "gateway/form/form.hpp"
#include "gateway/http/answers.hpp"
#include "gateway/http/gateway.hpp"

namespace parley::gateway::http {
namespace {

constexpr base::Duration token_look = std::chrono::milliseconds(100);

template <class Number>
void read_number(const net::http::QueryParameters& query, std::string_view name, Number& into) {
  for (const auto& [key, value] : query)  // the form has been checked
    if (key == name) std::from_chars(value.data(), value.data() + value.size(), into);
}

}  // namespace

void Gateway::end_waits() {
  waits_ended_ = true;
  std::vector<RequestKey> waiting;
  for (auto& [key, request] : requests_) {
    if (request.wait != broker::WaitId{}) waiting.push_back(key);
  }
  for (const RequestKey& key : waiting) end_wait(key);
}

// Answered with nothing, and nothing is taken: who asked may be gone.
void Gateway::end_wait(RequestKey key) {
  Request& request = requests_.at(key);
  broker_.polls.cancel(std::exchange(request.wait, {}));
  if (request.match.route->call == Call::take) return finish(key, deliveries_response({}));
  request.deadline = loop_.now();
  if (request.match.route->call == Call::await_tasks) return try_tasks(key);
  try_log(key);
}

// Until its wait is done. Meanwhile its token is looked at, and before it is given anything once more, though that be
// in this turn (I4).
void Gateway::begin_wait(Request& request, broker::WaitId wait) {
  request.wait = wait;
  request.known_at.reset();
  if (!looking_) look_later();
}

void Gateway::look_later() {
  looking_ = true;
  loop_.at(loop_.now() + token_look, [this] { look_at_tokens(); });
}

// By time, and not by what revokes: a token also ends by itself, and who waits for the log is known by no agent.
void Gateway::look_at_tokens() {
  rounds_.next(requests_, [this](Request& request) { look_at_token(request); });
  looking_ = false;
  if (!requests_.empty()) look_later();
}

void Gateway::look_at_token(Request& request) {
  if (request.wait == broker::WaitId{} || broker_.gate.caller_of(request.token)) return;
  broker_.polls.cancel(request.wait);
  finish(key_of(request.id), error_response(no_longer_valid()));
}

// From now on, where calls may still wait.
void Gateway::let_wait(Request& request, base::Duration wait) {
  request.deadline = loop_.now() + (waits_ended_ ? base::Duration{} : std::min(wait, envelope::waited_max));
}

Gateway::Request* Gateway::still_asked(RequestKey key) {
  const auto at = requests_.find(key);
  if (at == requests_.end()) return nullptr;
  Request& request = at->second;
  request.wait = {};
  if (is_known_still(request)) return &request;
  finish(key, error_response(no_longer_valid()));
  return nullptr;
}

void Gateway::take(Request& request, Body body) {
  const auto wait = form::duration_member(body, "wait");
  const auto lease = form::lease_member(body);
  if (!wait || !lease) return finish(key_of(request.id), error_response(wait ? lease.error() : wait.error()));
  let_wait(request, wait->value_or(base::Duration{}));
  request.take.max = static_cast<std::uint32_t>(body.find("max").if_uint().value_or(1));
  request.take.lease = *lease;
  request.take_id = body.find("take_id").if_string().value_or("");
  try_take(key_of(request.id), broker::Woken::to_look);
}

void Gateway::try_take(RequestKey key, broker::Woken why) {
  Request* const request = still_asked(key);
  if (!request) return;
  const auto& where = request->match.parameters;
  const bool last = why == broker::Woken::to_be_given || request->deadline <= loop_.now();
  request->take.take_id = request->take_id;
  request->take.only_again = why == broker::Woken::to_be_given;
  const auto deliveries = broker_.mailboxes.take(*request->caller, where[0], where[1], request->take);
  if (!deliveries) return finish(key, error_response(deliveries.error()));
  if (last || !deliveries->empty()) return finish(key, deliveries_response(*deliveries));
  begin_wait(*request, broker_.polls.wait_for_mail(*request->caller, where[0], where[1], request->take,
                                                   request->deadline - loop_.now(),
                                                   [this, key](broker::Woken woken) { try_take(key, woken); }));
}

void Gateway::read_log(Request& request) {
  base::Duration wait{};
  for (const auto& [name, value] : request.query) {
    if (name != "wait") continue;
    const auto parsed = base::parse_duration(value);
    if (!parsed) return finish(key_of(request.id), error_response(parsed.error()));
    wait = *parsed;
  }
  let_wait(request, wait);
  read_number(request.query, "from", request.log_from);
  read_number(request.query, "max", request.log_max);
  try_log(key_of(request.id));
}

void Gateway::try_log(RequestKey key) {
  Request* const request = still_asked(key);
  if (!request) return;
  const std::string& workspace = request->match.parameters[0];
  const auto page = broker_.polls.log(*request->caller, workspace, request->log_from, request->log_max);
  if (!page) return finish(key, error_response(page.error()));
  const base::Duration left = request->deadline - loop_.now();
  if (!page->empty || left <= base::Duration{}) return finish(key, json_response(200, page->answer.json));
  // Nothing that this caller may read so far. One call looks at a bounded stretch; the next turn looks at the next.
  const bool went_on = page->next > request->log_from;
  request->log_from = std::max(request->log_from, page->next);
  begin_wait(*request, broker_.polls.wait_for_log(*request->caller, workspace, request->log_from,
                                                  went_on ? base::Duration{} : left,
                                                  [this, key](broker::Woken) { try_log(key); }));
}

void Gateway::await_tasks(Request& request, Body body) {
  const auto timeout = form::duration_member(body, "timeout");
  if (!timeout) return finish(key_of(request.id), error_response(timeout.error()));
  let_wait(request, timeout->value_or(base::Duration{}));
  for (const json::Value id : body.find("task_ids").elements()) request.tasks.task_ids.emplace_back(id.as_string());
  const std::string_view mode = body.find("mode").if_string().value_or("all");
  request.tasks.until = mode == "any"             ? broker::TaskWait::Until::any
                        : mode == "first_failure" ? broker::TaskWait::Until::first_failure
                                                  : broker::TaskWait::Until::all;
  try_tasks(key_of(request.id));
}

void Gateway::try_tasks(RequestKey key) {
  Request* const request = still_asked(key);
  if (!request) return;
  const std::string& workspace = request->match.parameters[0];
  const base::Duration left = request->deadline - loop_.now();
  const bool last = left <= base::Duration{};
  const auto awaited = broker_.work.await_tasks(*request->caller, workspace, request->tasks, last);
  if (!awaited) return finish(key, error_response(awaited.error()));
  if (awaited->done || last) return finish(key, json_response(200, awaited->answer.json));
  begin_wait(*request, broker_.polls.wait_for_tasks(*request->caller, workspace, left,
                                                    [this, key](broker::Woken) { try_tasks(key); }));
}

}  // namespace parley::gateway::http
