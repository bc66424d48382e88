#include "broker/fact_shape.hpp"

#include "engine/tasks/tasks.hpp"

namespace parley::broker {
namespace {

using event::Event;

template <class Value>
std::span<const Value> all(const google::protobuf::RepeatedField<Value>& values) {
  return {values.data(), static_cast<std::size_t>(values.size())};
}

// Of deliveries to an agent.
template <class Fact>
FactShape of_deliveries(std::string_view word, const Fact& fact, bool mail) {
  return {.word = word, .agent = fact.agent(), .offsets = all(fact.offsets()), .mail = mail};
}

template <class Fact>
FactShape of_letter(std::string_view word, const Fact& fact) {
  return {.word = word, .agent = fact.agent(), .offset = fact.message(), .mail = true};
}

template <class Fact>
FactShape of_approval(std::string_view word, const Fact& fact) {
  return {.word = word, .agent = fact.asker(), .offset = fact.approval()};
}

bool ends(const event::TaskMoved& moved) {
  return machine::task::is_over(static_cast<engine::TaskState>(moved.state()));
}

// Accepted, or released. As a message, the log shows whom it is from by itself.
FactShape of_message(const event::MessageAccepted& message) {
  return {.word = "message",
          .mail_of = all(message.recipients()),
          .helper = message.help_moved().helper(),
          .ends_task = message.has_task_moved() && ends(message.task_moved())};
}

FactShape of_released(const event::MessageReleased& released) {
  FactShape shape = of_message(released.as());
  shape.word = "released";
  shape.agent = released.as().sender();
  shape.offset = released.message();
  return shape;
}

FactShape of_timed_out(const event::RequestTimedOut& over) {
  FactShape shape{.word = "request_timed_out", .agent = over.asker(), .offset = over.request()};
  if (over.bounces()) shape.mail_of = all(over.silent());
  return shape;
}

}  // namespace

FactShape shape_of(const Event& event) {
  switch (event.fact_case()) {
    case Event::kWorkspaceChanged:
      return {.word = "workspace_changed"};
    case Event::kAgentRegistered:
      return {.word = "agent_registered", .agent = event.agent_registered().number()};
    case Event::kAgentChanged:
      return {.word = "agent_changed", .agent = event.agent_changed().number()};
    case Event::kAgentRemoved:
      return {.word = "agent_removed", .agent = event.agent_removed().number()};
    case Event::kPersonRegistered:
      return {.word = "person_registered", .person = event.person_registered().number()};
    case Event::kPersonChanged:
      return {.word = "person_changed", .person = event.person_changed().number()};
    case Event::kPersonRemoved:
      return {.word = "person_removed", .person = event.person_removed().number()};
    case Event::kTokenRotated:
      return {
          .word = "token_rotated", .agent = event.token_rotated().agent(), .person = event.token_rotated().person()};
    case Event::kRunnerRegistered:
      return {.word = "runner_registered"};
    case Event::kRunnerRevoked:
      return {.word = "runner_revoked"};
    case Event::kMessageAccepted:
      return of_message(event.message_accepted());
    case Event::kOffered:
      return of_deliveries("offered", event.offered(), false);
    case Event::kAcked:
      return of_deliveries("acked", event.acked(), true);
    case Event::kActed:
      return of_deliveries("acted", event.acted(), true);
    case Event::kNacked:
      return of_deliveries("nacked", event.nacked(), true);
    case Event::kLeasesExtended:
      return of_deliveries("leases_extended", event.leases_extended(), false);
    case Event::kLeasesEnded:
      return of_deliveries("leases_ended", event.leases_ended(), true);
    case Event::kLeasesReturned:
      return of_deliveries("leases_returned", event.leases_returned(), true);
    case Event::kMessagesBounced:
      return of_deliveries("bounced", event.messages_bounced(), false);
    case Event::kMessagesSuperseded:
      return of_deliveries("superseded", event.messages_superseded(), true);
    case Event::kMessageTakenBack: {
      const auto& taken = event.message_taken_back();
      return {.word = "taken_back", .agent = taken.sender(), .offset = taken.message(), .mail_of = all(taken.agents())};
    }
    case Event::kBackoffsEnded:
      return of_deliveries("backoffs_ended", event.backoffs_ended(), true);
    case Event::kExpired:
      return {.word = "expired", .offset = event.expired().message(), .mail_of = all(event.expired().agents())};
    case Event::kDeadLettered:
      return of_letter("dead_lettered", event.dead_lettered());
    case Event::kRedriven:
      return of_letter("redriven", event.redriven());
    case Event::kDeadLetterDiscarded:
      return of_letter("discarded", event.dead_letter_discarded());
    case Event::kNoticePosted: {
      const auto& notice = event.notice_posted();
      return {.word = "notice", .agent = notice.agent(), .offset = notice.about(), .mail = true};
    }
    case Event::kMessagesForgotten:
      return {.word = "messages_forgotten"};
    case Event::kRequestTimedOut:
      return of_timed_out(event.request_timed_out());
    case Event::kRequestGivenUp:
      return {.word = "request_given_up",
              .agent = event.request_given_up().asker(),
              .offset = event.request_given_up().request()};
    case Event::kRequestPostponed:
      return {.word = "request_postponed", .offset = event.request_postponed().request()};
    case Event::kRequestAskedAgain: {
      const auto& again = event.request_asked_again();
      return {.word = "request_asked_again", .agent = again.agent(), .offset = again.request(), .mail = true};
    }
    case Event::kTaskMoved: {
      const auto& moved = event.task_moved();
      return {.word = "task_moved",
              .agent = moved.assignee(),
              .offset = moved.task(),
              .mail = moved.given_again() || moved.let_go(),
              .ends_task = ends(moved)};
    }
    case Event::kSessionTasksEnded:
      return {.word = "session_tasks_ended",
              .agent = event.session_tasks_ended().agent(),
              .offset = event.session_tasks_ended().abort()};
    case Event::kTaskDependenciesSet:
      return {.word = "task_dependencies_set", .agent = event.task_dependencies_set().agent()};
    case Event::kApprovalDecided: {
      FactShape shape = of_approval("approval_decided", event.approval_decided());
      shape.person = event.approval_decided().person();
      return shape;
    }
    case Event::kApprovalEscalated:
      return of_approval("approval_escalated", event.approval_escalated());
    case Event::kApprovalLapsed:
      return of_approval("approval_lapsed", event.approval_lapsed());
    case Event::kApprovalRefused:
      return of_approval("approval_refused", event.approval_refused());
    case Event::kApprovalWithdrawn:
      return of_approval("approval_withdrawn", event.approval_withdrawn());
    case Event::kHelpMoved: {
      const auto& moved = event.help_moved();
      return {.word = "help_moved", .agent = moved.asker(), .offset = moved.help(), .helper = moved.helper()};
    }
    case Event::kMessageReleased:
      return of_released(event.message_released());
    case Event::kMessageWithheld:
      return {
          .word = "withheld", .agent = event.message_withheld().sender(), .offset = event.message_withheld().message()};
    case Event::kAgentHealthChanged:
      return {.word = "agent_health_changed", .agent = event.agent_health_changed().agent()};
    case Event::kHealthLooked:
      return {.word = "health_looked"};
    case Event::kResourceAllocated:
      return {.word = "resource_allocated", .agent = event.resource_allocated().agent()};
    case Event::kWorkReturned:
      return {.word = "work_returned", .agent = event.work_returned().agent()};
    case Event::kReviewMoved:
      return {
          .word = "review_moved", .agent = event.review_moved().reviewer(), .offset = event.review_moved().review()};
    case Event::kMessagesRefused:
      return {.word = "messages_refused", .agent = event.messages_refused().agent()};
    case Event::kServerStarted:
    case Event::kServerStopped:
    case Event::kTimeSkipped:
    case Event::kWorkspaceCreated:  // of no workspace: no log shows them
    case Event::FACT_NOT_SET:
      break;
  }
  return {.word = "event"};
}

}  // namespace parley::broker
