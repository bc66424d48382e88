// The log of a workspace: events in offset order, as far as the caller may read them (COL-18's base); limits;
// readiness.
#include <algorithm>

#include "broker/bounds.hpp"
#include "broker/broker.hpp"
#include "broker/rights.hpp"
#include "broker/views.hpp"
#include "json/parser.hpp"
#include "profile/files.hpp"

namespace parley::broker {
namespace {

using event::Event;

constexpr std::uint32_t log_items_max = 1'000;
constexpr std::uint64_t log_scanned_max =
    20'000;  // events a call looks at, once it got ahead, so that none holds the loop

std::string_view word(Event::FactCase fact) {
  switch (fact) {
    case Event::kWorkspaceChanged:
      return "workspace_changed";
    case Event::kAgentRegistered:
      return "agent_registered";
    case Event::kAgentChanged:
      return "agent_changed";
    case Event::kAgentRemoved:
      return "agent_removed";
    case Event::kPersonRegistered:
      return "person_registered";
    case Event::kPersonChanged:
      return "person_changed";
    case Event::kPersonRemoved:
      return "person_removed";
    case Event::kTokenRotated:
      return "token_rotated";
    case Event::kMessageAccepted:
      return "message";
    case Event::kOffered:
      return "offered";
    case Event::kAcked:
      return "acked";
    case Event::kNacked:
      return "nacked";
    case Event::kLeasesExtended:
      return "leases_extended";
    case Event::kLeasesEnded:
      return "leases_ended";
    case Event::kLeasesReturned:
      return "leases_returned";
    case Event::kMessagesBounced:
      return "bounced";
    case Event::kBackoffsEnded:
      return "backoffs_ended";
    case Event::kExpired:
      return "expired";
    case Event::kDeadLettered:
      return "dead_lettered";
    case Event::kRedriven:
      return "redriven";
    case Event::kNoticePosted:
      return "notice";
    case Event::kMessagesForgotten:
      return "messages_forgotten";
    case Event::kMessagesRefused:
      return "messages_refused";
    default:
      return "event";
  }
}

// The agent that an event is about, 0 where it is about none or several.
std::uint32_t subject(const Event& event) {
  switch (event.fact_case()) {
    case Event::kAgentRegistered:
      return event.agent_registered().number();
    case Event::kAgentChanged:
      return event.agent_changed().number();
    case Event::kAgentRemoved:
      return event.agent_removed().number();
    case Event::kTokenRotated:
      return event.token_rotated().agent();
    case Event::kOffered:
      return event.offered().agent();
    case Event::kAcked:
      return event.acked().agent();
    case Event::kNacked:
      return event.nacked().agent();
    case Event::kLeasesExtended:
      return event.leases_extended().agent();
    case Event::kLeasesEnded:
      return event.leases_ended().agent();
    case Event::kLeasesReturned:
      return event.leases_returned().agent();
    case Event::kMessagesBounced:
      return event.messages_bounced().agent();
    case Event::kBackoffsEnded:
      return event.backoffs_ended().agent();
    case Event::kDeadLettered:
      return event.dead_lettered().agent();
    case Event::kRedriven:
      return event.redriven().agent();
    case Event::kNoticePosted:
      return event.notice_posted().agent();
    case Event::kMessagesRefused:
      return event.messages_refused().agent();
    default:
      return 0;
  }
}

// The person that an event is about; 0: none.
std::uint32_t person_of(const Event& event) {
  switch (event.fact_case()) {
    case Event::kPersonRegistered:
      return event.person_registered().number();
    case Event::kPersonChanged:
      return event.person_changed().number();
    case Event::kPersonRemoved:
      return event.person_removed().number();
    case Event::kTokenRotated:
      return event.token_rotated().person();
    default:
      return 0;
  }
}

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

// Offsets of the messages that an event is about.
std::vector<std::uint64_t> messages_of(const Event& event) {
  const auto all = [](const auto& offsets) { return std::vector<std::uint64_t>(offsets.begin(), offsets.end()); };
  switch (event.fact_case()) {
    case Event::kOffered:
      return all(event.offered().offsets());
    case Event::kAcked:
      return all(event.acked().offsets());
    case Event::kNacked:
      return all(event.nacked().offsets());
    case Event::kLeasesExtended:
      return all(event.leases_extended().offsets());
    case Event::kLeasesEnded:
      return all(event.leases_ended().offsets());
    case Event::kLeasesReturned:
      return all(event.leases_returned().offsets());
    case Event::kMessagesBounced:
      return all(event.messages_bounced().offsets());
    case Event::kBackoffsEnded:
      return all(event.backoffs_ended().offsets());
    case Event::kExpired:
      return {event.expired().message()};
    case Event::kDeadLettered:
      return {event.dead_lettered().message()};
    case Event::kRedriven:
      return {event.redriven().message()};
    case Event::kNoticePosted:
      return {event.notice_posted().about()};
    default:
      return {};
  }
}

bool sees(const Caller& caller, const Event& event) {
  if (caller.kind != Caller::Kind::agent) return true;
  if (event.fact_case() == Event::kAgentRegistered || event.fact_case() == Event::kAgentRemoved) return true;
  if (event.fact_case() != Event::kMessageAccepted) return subject(event) == caller.agent.value;
  const auto& accepted = event.message_accepted();
  const auto& to = accepted.recipients();
  if (accepted.sender() == caller.agent.value) return true;
  return !accepted.private_() && std::binary_search(to.begin(), to.end(), caller.agent.value);  // R25
}

struct Found {
  base::Position position;
  base::Instant at;
  Event event;
};

}  // namespace

base::Result<Answer> Broker::log(const Caller& caller, std::string_view workspace_name, std::uint64_t from,
                                 std::uint32_t max) {
  const engine::State& state = engine_.state();
  PARLEY_TRY(const base::WorkspaceNumber number, enter(state, caller, workspace_name, Right::read));
  const engine::Workspace& workspace = state.workspace(number);
  max = std::clamp(max, 1u, log_items_max);
  from = std::max<std::uint64_t>(from, 1);

  std::vector<Found> found;
  std::uint64_t next = from;
  if (from <= workspace.head.value) {
    const auto after = std::upper_bound(workspace.marks.begin(), workspace.marks.end(), from,
                                        [](std::uint64_t o, const engine::Mark& m) { return o < m.offset.value; });
    const base::Position begin = std::prev(after)->position;
    std::uint64_t scanned = 0;
    std::uint64_t bytes = 0;
    Event event;
    const auto visit = [&](const journal::Entry& entry) -> base::Result<journal::Visit> {
      if (!event.ParseFromArray(entry.event.data(), static_cast<int>(entry.event.size())))
        return unreadable_event(entry.position);
      if (event.workspace() == number.value && event.offset() >= from) {
        const bool seen = sees(caller, event);
        if (seen && !found.empty() && bytes + entry.body_length > page_bytes) return journal::Visit::stop;
        next = event.offset() + 1;
        if (seen) {
          bytes += entry.body_length;
          found.push_back({entry.position, entry.engine_time, event});
        }
      }
      // Other workspaces' events may lie before the first of this one: the next call must not begin there again.
      const bool enough = found.size() == max || (++scanned >= log_scanned_max && next > from);
      return enough || next > workspace.head.value ? journal::Visit::stop : journal::Visit::next;
    };
    // What is in the open block is read when it is committed: a read forces no sync.
    if (begin < block_->first()) PARLEY_CHECK(history_.reader().read(begin, visit));
  }

  ListPage list;
  for (const Found& item : found) {
    json::Writer& writer = list.writer;
    const bool is_message = item.event.fact_case() == Event::kMessageAccepted;
    if (is_message && item.event.message_accepted().private_()) {  // R25
      writer.begin_object().member("offset", item.event.offset()).member("private", true).end_object();
      continue;
    }
    writer.begin_object().member("event", word(item.event.fact_case()));
    if (is_message) {
      write_accepted(writer, workspace, base::Offset(item.event.offset()), item.at, item.event.message_accepted());
      PARLEY_TRY(const std::string_view body, history_.body(item.position));
      writer.key("message").raw(body);
    } else {
      writer.member("offset", item.event.offset()).member("logged_at", base::to_rfc3339(item.at));
      if (const std::uint32_t agent = subject(item.event); agent != 0)
        writer.member("agent", workspace.registry.agent(base::AgentNumber(agent)).id);
      if (const std::uint32_t person = person_of(item.event); person != 0)
        writer.member("person", workspace.registry.person(base::PersonNumber(person)).id);
      if (item.event.has_by()) write_actor(writer, workspace.registry, item.event.by());
      if (const auto messages = messages_of(item.event); !messages.empty()) {
        writer.key("messages").begin_array();
        for (const std::uint64_t offset : messages) writer.unsigned_integer(offset);
        writer.end_array();
      }
      if (item.event.has_messages_refused()) {
        const auto& refused = item.event.messages_refused();
        writer.member("code", refused.code()).member("count", refused.count());
        writer.member("first_at", base::to_rfc3339(base::instant_of(refused.first_at())));
        writer.member("last_at", base::to_rfc3339(base::instant_of(refused.last_at())));
      }
      if (item.event.has_notice_posted()) {
        PARLEY_TRY(const std::string_view body, history_.body(item.position));
        writer.key("notice").raw(body);
      }
    }
    writer.end_object();
  }
  Answer answer = list.end({});
  // The log has no end: `next` is where to go on, now or later.
  answer.json.replace(answer.json.rfind("null}"), 4, std::to_string(next));
  return answer;
}

Answer Broker::limits() const {
  const engine::Settings settings;
  const json::Limits json_limits;
  Answer answer;
  json::Writer writer(answer.json);
  writer.begin_object();
  writer.key("message").begin_object().member("bytes", json_limits.bytes).member("depth", json_limits.depth);
  writer.member("keys", json_limits.keys).member("key_bytes", json_limits.key_bytes);
  writer.member("number_chars", json_limits.number_chars).member("elements", json_limits.elements).end_object();
  writer.key("request").begin_object().member("body_bytes", 8u << 20).member("header_bytes", 32u << 10);
  writer.member("url_bytes", 8u << 10).member("batch", 1000).end_object();
  writer.key("websocket").begin_object().member("frame_bytes", 8u << 20).member("batch", 1000).end_object();
  writer.key("take").begin_object().member("max", 1000).member("wait", std::string_view("60s"));
  writer.member("lease", base::to_text(lease_max)).end_object();
  writer.key("settle").begin_object().member("batch", batch_max).member("reason_chars", reason_max);
  writer.member("delay", base::to_text(delay_max)).end_object();
  writer.key("workspace_defaults").begin_object().member("mailbox_messages", settings.mailbox_messages);
  writer.member("mailbox_bytes", settings.mailbox_bytes).member("recipients", settings.recipients);
  writer.member("remembered_ids", settings.remembered_ids);
  writer.member("remembered_for", base::to_text(settings.remembered_for));
  writer.member("lease", base::to_text(settings.lease)).member("kept_records", settings.kept_records).end_object();
  // MSH-15: of one agent; a workspace may set another.
  writer.key("rates").begin_object();
  for (const std::string& name : profile::built_in_names())
    if (const profile::Ruleset* rules = parts_.ruleset_of(name); rules && rules->rate.messages > 0)
      writer.key(name)
          .begin_object()
          .member("messages", rules->rate.messages)
          .member("window", base::to_text(rules->rate.window))
          .end_object();
  writer.end_object().end_object();
  return answer;
}

std::string Broker::not_ready() const {
  if (failure_) return failure_->message;
  if (parts_.journal.room_for(1) != journal::Room::enough) return "the journal has no room for messages yet";
  return {};
}

}  // namespace parley::broker
