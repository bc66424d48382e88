#include "broker/log_entries.hpp"

#include <algorithm>

#include "broker/fact_shape.hpp"
#include "broker/history.hpp"
#include "broker/shapes.hpp"

namespace parley::broker {
namespace {

using event::Event;

// Events that a call looks at: more than lie between an offset and the mark before it, so that it always gets ahead.
constexpr std::uint64_t scanned_max = 2'000;
static_assert(scanned_max > engine::positions_per_mark);

// {"kind", "id"} of who asked for it.
void write_actor(json::Writer& writer, const engine::Registry& registry, const event::Actor& actor) {
  writer.key("by").begin_object();
  if (actor.has_agent())
    writer.member("kind", std::string_view("agent")).member("id", registry.agent(base::AgentNumber(actor.agent())).id);
  else if (actor.has_person())
    writer.member("kind", std::string_view("person"))
        .member("id", registry.person(base::PersonNumber(actor.person())).id);
  else
    writer.member("kind", std::string_view("admin")).member("id", std::string_view("admin"));
  writer.end_object();
}

bool sees(const Caller& caller, const Event& event) {
  if (caller.kind != Caller::Kind::agent) return true;
  if (event.fact_case() == Event::kAgentRegistered || event.fact_case() == Event::kAgentRemoved ||
      event.fact_case() == Event::kAgentHealthChanged)
    return true;
  if (event.has_task_moved() && event.task_moved().assigner() == caller.agent.value) return true;
  if (event.has_review_moved() && event.review_moved().asker() == caller.agent.value) return true;
  if (event.has_message_taken_back()) {
    const auto& at = event.message_taken_back().agents();
    if (std::binary_search(at.begin(), at.end(), caller.agent.value)) return true;
  }
  const bool message = event.has_message_accepted() || event.has_message_released();
  if (!message) return shape_of(event).agent == caller.agent.value;
  const auto& accepted = accepted_of(event);
  const auto& to = accepted.recipients();
  if (accepted.sender() == caller.agent.value) return true;
  if (accepted.sender() == 0 && accepted.task_moved().assigner() == caller.agent.value) return true;  // in its name
  if (accepted.in_name_of() == caller.agent.value) return true;
  return !accepted.private_() && !accepted.held() &&
         std::binary_search(to.begin(), to.end(), caller.agent.value);  // R25
}

base::Position begin_of(const engine::Workspace& workspace, std::uint64_t from) {
  const auto after = std::upper_bound(workspace.marks.begin(), workspace.marks.end(), from,
                                      [](std::uint64_t o, const engine::Mark& m) { return o < m.offset.value; });
  return std::prev(after)->position;
}

bool is_private(const Event& event) {
  return event.has_message_accepted() && event.message_accepted().private_();
}

void write_refused(json::Writer& writer, const event::MessagesRefused& refused) {
  writer.member("code", refused.code()).member("count", refused.count());
  writer.member("first_at", base::to_rfc3339(base::instant_of(refused.first_at())));
  writer.member("last_at", base::to_rfc3339(base::instant_of(refused.last_at())));
}

void write_task_moved(json::Writer& writer, const event::TaskMoved& moved) {
  writer.member("task", moved.id());
  writer.member("state", machine::task::name(static_cast<engine::TaskState>(moved.state())));
  if (!moved.why().empty()) writer.member("why", moved.why());
}

void write_dependencies_set(json::Writer& writer, const event::TaskDependenciesSet& set) {
  writer.member("task", set.task());
  for (const auto& [name, ids] : {std::pair("hard", &set.hard()), std::pair("soft", &set.soft())}) {
    writer.key(name).begin_array();
    for (const std::string& id : *ids) writer.string(id);
    writer.end_array();
  }
}

void write_review_moved(json::Writer& writer, const event::ReviewMoved& moved) {
  writer.member("review", moved.id());
  writer.member("state", machine::review::name(static_cast<engine::ReviewState>(moved.state())));
  if (!moved.why().empty()) writer.member("why", moved.why());
}

void write_decided(json::Writer& writer, const event::ApprovalDecided& decided) {
  writer.member("state", name(static_cast<engine::Approval::State>(decided.state())));
  writer.member("rationale", decided.rationale());
  if (!decided.modified_action().empty()) writer.key("modified_action").raw(decided.modified_action());
}

void write_taken_back(json::Writer& writer, const event::MessageTakenBack& taken) {
  if (taken.by() != 0) writer.member("superseded_by", taken.by());
  if (!taken.reason().empty()) writer.member("why", taken.reason());
}

void write_health(json::Writer& writer, const event::AgentHealthChanged& changed) {
  writer.member("from", name(static_cast<engine::HealthState>(changed.from())));
  writer.member("to", name(static_cast<engine::HealthState>(changed.to())));
  writer.member("last_heard", base::to_rfc3339(base::instant_of(changed.last_heard())));
}

void write_silent(json::Writer& writer, const engine::Registry& registry, const auto& agents) {
  writer.key("silent").begin_array();
  for (const std::uint32_t agent : agents) writer.string(registry.agent(base::AgentNumber(agent)).id);
  writer.end_array();
}

void write_allocated(json::Writer& writer, const event::ResourceAllocated& allocated) {
  writer.member("resource_type", engine::resource_names[allocated.resource()]);
  if (allocated.has_limit()) write_amount(writer, "limit", {allocated.limit()});
  if (allocated.expires_at() != 0)
    writer.member("expires_at", base::to_rfc3339(base::instant_of(allocated.expires_at())));
  writer.member("renewed", allocated.renewed());
}

void write_due(json::Writer& writer, std::int64_t due) {
  writer.member("due", base::to_rfc3339(base::instant_of(due)));
}

void write_help_moved(json::Writer& writer, const engine::Registry& registry, const event::HelpMoved& moved) {
  writer.member("state", name(static_cast<engine::HelpState>(moved.state())));
  if (moved.helper() != 0) writer.member("helper", registry.agent(base::AgentNumber(moved.helper())).id);
}

void write_released(json::Writer& writer, const event::MessageReleased& released, std::string_view body) {
  writer.member("changed", released.changed());
  if (released.changed()) writer.key("message").raw(body);
}

// What the log tells of a fact besides whom and which messages it concerns. Every fact is named here, so that none that
// is new is forgotten.
void write_details(json::Writer& writer, const engine::Registry& registry, const Event& event, std::string_view body) {
  switch (event.fact_case()) {
    case Event::kRunnerRegistered:
      writer.member("runner", event.runner_registered().runner_id());
      return;
    case Event::kRunnerRevoked:
      writer.member("runner", event.runner_revoked().runner_id());
      return;
    case Event::kMessageTakenBack:
      return write_taken_back(writer, event.message_taken_back());
    case Event::kNoticePosted:
      writer.key("notice").raw(body);
      return;
    case Event::kRequestTimedOut:
      return write_silent(writer, registry, event.request_timed_out().silent());
    case Event::kRequestGivenUp:
      return write_silent(writer, registry, event.request_given_up().agents());
    case Event::kRequestPostponed:
      write_silent(writer, registry, event.request_postponed().agents());
      return write_due(writer, event.request_postponed().due());
    case Event::kTaskMoved:
      return write_task_moved(writer, event.task_moved());
    case Event::kTaskDependenciesSet:
      return write_dependencies_set(writer, event.task_dependencies_set());
    case Event::kReviewMoved:
      return write_review_moved(writer, event.review_moved());
    case Event::kApprovalDecided:
      return write_decided(writer, event.approval_decided());
    case Event::kApprovalEscalated:
      return write_due(writer, event.approval_escalated().due());
    case Event::kApprovalRefused:
      writer.member("code", event.approval_refused().code());
      return;
    case Event::kHelpMoved:
      return write_help_moved(writer, registry, event.help_moved());
    case Event::kMessageReleased:
      return write_released(writer, event.message_released(), body);
    case Event::kMessageWithheld:
      writer.member("superseded", event.message_withheld().superseded());
      return;
    case Event::kAgentHealthChanged:
      return write_health(writer, event.agent_health_changed());
    case Event::kResourceAllocated:
      return write_allocated(writer, event.resource_allocated());
    case Event::kMessagesRefused:
      return write_refused(writer, event.messages_refused());
    case Event::kMessageAccepted:  // shown as a message
    case Event::kWorkspaceChanged:
    case Event::kAgentRegistered:
    case Event::kAgentChanged:
    case Event::kAgentRemoved:
    case Event::kPersonRegistered:
    case Event::kPersonChanged:
    case Event::kPersonRemoved:
    case Event::kTokenRotated:
    case Event::kOffered:
    case Event::kAcked:
    case Event::kActed:
    case Event::kNacked:
    case Event::kLeasesExtended:
    case Event::kLeasesEnded:
    case Event::kLeasesReturned:
    case Event::kMessagesBounced:
    case Event::kMessagesSuperseded:
    case Event::kBackoffsEnded:
    case Event::kExpired:
    case Event::kDeadLettered:
    case Event::kRedriven:
    case Event::kDeadLetterDiscarded:
    case Event::kMessagesForgotten:
    case Event::kRequestAskedAgain:
    case Event::kSessionTasksEnded:
    case Event::kApprovalLapsed:
    case Event::kApprovalWithdrawn:
    case Event::kHealthLooked:
    case Event::kWorkReturned:
    case Event::kServerStarted:
    case Event::kServerStopped:
    case Event::kTimeSkipped:
    case Event::kWorkspaceCreated:
    case Event::FACT_NOT_SET:
      return;
  }
}

// All but messages.
void write_fact(json::Writer& writer, const engine::Registry& registry, const LogEntry& entry, std::string_view body) {
  const Event& event = entry.event;
  writer.member("offset", event.offset()).member("logged_at", base::to_rfc3339(entry.at));
  const FactShape shape = shape_of(event);
  if (shape.agent != 0) writer.member("agent", registry.agent(base::AgentNumber(shape.agent)).id);
  if (shape.person != 0) writer.member("person", registry.person(base::PersonNumber(shape.person)).id);
  if (event.has_by()) write_actor(writer, registry, event.by());
  if (!shape.messages().empty()) {
    writer.key("messages").begin_array();
    for (const std::uint64_t offset : shape.messages()) writer.unsigned_integer(offset);
    writer.end_array();
  }
  write_details(writer, registry, event, body);
}

}  // namespace

bool LogEntry::has_body() const {
  return event.has_notice_posted() || event.message_released().changed() ||
         (event.has_message_accepted() && !is_private(event));
}

base::Result<LogStretch> read_log(journal::Reader& reader, const engine::Workspace& workspace, const LogRead& read,
                                  ListPage& page) {
  LogStretch stretch{{}, read.from};
  if (read.from > workspace.head.value) return stretch;
  const base::Position begin = begin_of(workspace, read.from);
  if (begin >= read.end) return stretch;
  std::uint64_t scanned = 0;
  Event event;
  const auto visit = [&](const journal::Entry& entry) -> base::Result<journal::Visit> {
    if (!event.ParseFromArray(entry.event.data(), static_cast<int>(entry.event.size())))
      return unreadable_event(entry.position);
    if (event.workspace() == read.workspace.value && event.offset() >= read.from) {
      if (sees(read.caller, event)) {
        if (!page.takes(entry.body_length)) return journal::Visit::stop;
        stretch.entries.push_back({entry.position, entry.engine_time, event});
      }
      stretch.next = event.offset() + 1;
    }
    const bool enough = page.full() || ++scanned == scanned_max;
    return enough || stretch.next > workspace.head.value ? journal::Visit::stop : journal::Visit::next;
  };
  PARLEY_CHECK(reader.read(begin, visit));
  return stretch;
}

void write_log_entry(json::Writer& writer, const engine::Workspace& workspace, const LogEntry& entry,
                     std::string_view body) {
  const Event& event = entry.event;
  writer.begin_object();
  if (is_private(event)) {  // R25
    writer.member("offset", event.offset()).member("private", true).end_object();
    return;
  }
  writer.member("event", shape_of(event).word);
  if (event.has_message_accepted()) {
    write_accepted(writer, workspace, base::Offset(event.offset()), entry.at, event.message_accepted());
    writer.key("message").raw(body);
  } else {
    write_fact(writer, workspace.registry, entry, body);
  }
  writer.end_object();
}

}  // namespace parley::broker
