// Mailboxes: taken from, settled, looked into; the log; who waits and who is connected.
#include "call.hpp"

#include "print.hpp"

namespace parley::scenarios {
namespace {

void take(const Call& call) {
  const std::string agent = call.option("agent");
  const auto who = caller(call, agent);
  if (!who) return;
  const std::string take_id = call.option("take_id"), keep_id = call.option("keep_id");
  const auto show = call.command.all("show");
  const auto taken = call.world.broker().port().mailboxes.take(
      *who, call.workspace(), agent,
      {static_cast<std::uint32_t>(call.number("max", 10)), call.duration("lease"), take_id});
  if (!taken) return call.world.answer(scenarios::print(taken.error()));
  std::string text;
  for (const broker::Delivery& delivery : *taken) {
    text += scenarios::print(call.world, call.workspace(), delivery, show);
    const auto document = json::Document::parse(delivery.message);
    if (!keep_id.empty() && document)  // of the last: for {id} in a `set`
      call.world.keep_token("id:" + keep_id, std::string(document->root().find("message_id").if_string().value_or("")));
  }
  call.world.answer(text.empty() ? "nothing\n" : text);
}

void settle(const Call& call, broker::Settlement what) {
  const std::string agent = call.option("agent");
  const auto who = caller(call, agent);
  if (!who) return;
  const std::vector<std::string_view> ids(call.command.words().begin(), call.command.words().end());
  const std::string reason = call.text("reason") + std::string(call.number("reason_chars", 0), 'x');
  const std::string code = call.option("code");
  broker::SettleRequest request{what, ids, {}, reason, call.duration("lease"), code};
  if (call.command.has("delay")) request.delay = call.duration("delay");
  const auto settled = call.world.broker().port().mailboxes.settle(*who, call.workspace(), agent, request);
  if (!settled) return call.world.answer(scenarios::print(settled.error()));
  std::string text;
  for (std::size_t i = 0; i < ids.size(); ++i)
    text += std::string(ids[i]) + ' ' + std::string(name((*settled)[i])) + '\n';
  call.world.answer(text);
}

void inbox(const Call& call) {
  const std::string agent = call.option("agent");
  const auto who = caller(call, agent);
  if (!who) return;
  const std::string after = call.option("after");
  const auto answer = call.world.broker().port().mailboxes.inbox(*who, call.workspace(), agent, call.page(after));
  call.world.answer(print_list(
      answer,
      [](json::Value item) {
        return text_of(item, "offset") + ' ' + text_of(item, "state") +
               members(item, {"priority", "attempts", "from", "expires_at"}) + '\n';
      },
      "empty\n"));
}

void dead_letters(const Call& call, const broker::Caller& who) {
  const std::string after = call.option("after");
  const auto answer = call.world.broker().port().mailboxes.dead_letters(who, call.workspace(), call.page(after));
  call.world.answer(print(answer, [](json::Value list) {
    std::string text;
    for (const json::Value item : list.find("items").elements()) {
      text += text_of(item, "delivery_id") + " of " + text_of(item, "agent") + ": " + text_of(item, "reason") + '\n';
      for (const json::Value attempt : item.find("history").elements())
        text += "  " + text_of(attempt, "at") + " offer " + text_of(attempt, "offer") + ' ' + text_of(attempt, "what") +
                (text_of(attempt, "reason").empty() ? "" : ": ") + text_of(attempt, "reason") + '\n';
    }
    text += next_of(list);
    return text.empty() ? "none\n" : text;
  }));
}

void redrive(const Call& call, const broker::Caller& who) {
  call.world.answer(print(call.world.broker().port().mailboxes.redrive(who, call.workspace(), call.word(0)),
                          [](json::Value body) { return text_of(body, "status") + '\n'; }));
}

void discard(const Call& call, const broker::Caller& who) {
  call.world.answer(print(call.world.broker().port().mailboxes.discard(who, call.workspace(), call.word(0)),
                          [](json::Value body) { return text_of(body, "status") + '\n'; }));
}

void log(const Call& call, const broker::Caller& who) {
  const auto page = call.world.broker().port().polls.log(who, call.workspace(), call.number("from", 1),
                                                         static_cast<std::uint32_t>(call.number("max", 1000)));
  const auto answer = page ? base::Result<broker::Answer>(page->answer) : std::unexpected(page.error());
  call.world.answer(print(answer, [](json::Value list) {
    std::string text;
    for (const json::Value item : list.find("items").elements()) {
      text += text_of(item, "offset") + ' ' + (item.find("private") ? "private" : text_of(item, "event"));
      text += members(item, {"agent",      "messages",   "from",
                             "to",         "type",       "kind",
                             "code",       "count",      "first_at",
                             "last_at",    "answers",    "extends",
                             "health",     "breaker",    "held",
                             "changed",    "superseded", "superseded_by",
                             "automatic",  "help_state", "collaboration_id",
                             "asks_again", "again_at",   "error_state",
                             "errors"});
      if (text_of(item, "event") == "help_moved") text += members(item, {"state", "helper"});
      if (text_of(item, "event").starts_with("approval_"))
        text += members(item, {"by", "state", "rationale", "modified_action", "due"});
      if (const json::Value code = item.find("notice").find("notice"))
        text += " notice=" + std::string(code.as_string());
      for (const json::Value error : item.find("validation_errors").elements())
        text += "\n  " + text_of(error, "schema") + " at '" + text_of(error, "instance") + "'";
      text += '\n';
    }
    return text + next_of(list);
  }));
}

void wait(const Call& call) {
  const std::string agent = call.option("agent");
  const std::string name = call.option("name", "wait");
  World& world = call.world;
  const auto woken = [&world, name](broker::Woken) { world.say(name + " <- woken\n"); };
  const auto who = caller(call, agent.empty() ? "admin" : agent);
  if (!who) return;
  const auto id =
      agent.empty()
          ? world.broker().port().polls.wait_for_log(*who, call.workspace(), 0, call.duration("for"), woken)
          : world.broker().port().polls.wait_for_mail(*who, call.workspace(), agent, {}, call.duration("for"), woken);
  world.answer(id.value == 0 ? "refused\n" : "waiting\n");
}

// session open name=s agent=… credit=10 | credit name=s credit=5 | room name=s full|free | close name=s
void session(const Call& call) {
  World::Session& session = call.world.session(call.option("name", "session"));
  broker::Broker& broker = call.world.broker();
  const std::string what = call.word(0);
  const auto credit = static_cast<std::uint32_t>(call.number("credit", 10));
  if (what == "open") {
    const auto who = caller(call, call.option("agent"));
    if (!who) return;
    session.workspace = who->workspace;
    call.world.answer("");
    const auto opened = broker.port().sessions.open_session(
        *who, session, {credit, call.duration("lease"), call.option("receipts") == "true"});
    if (opened) session.id = *opened;
    call.world.answer(opened ? "open\n" : scenarios::print(opened.error()));
  } else if (what == "credit") {
    broker.port().sessions.set_credit(session.id, credit);
    call.world.answer("credit " + std::to_string(credit) + '\n');
  } else if (what == "room") {
    session.room = call.word(1) == "free";
    if (session.room) broker.port().sessions.outbox_has_room(session.id);
    call.world.answer(session.room ? "free\n" : "full\n");
  } else {
    broker.port().sessions.close_session(session.id);
    call.world.answer("closed\n");
  }
}

}  // namespace

void add_mailbox_commands(Commands& all) {
  all.merge(Commands{
      {"take", take},
      {"ack", [](const Call& call) { settle(call, broker::Settlement::ack); }},
      {"act", [](const Call& call) { settle(call, broker::Settlement::act); }},
      {"nack", [](const Call& call) { settle(call, broker::Settlement::nack); }},
      {"extend", [](const Call& call) { settle(call, broker::Settlement::extend); }},
      {"inbox", inbox},
      {"deadletters", by_admin(dead_letters)},
      {"redrive", by_admin(redrive)},
      {"discard", by_admin(discard)},
      {"log", by_admin(log)},
      {"wait", wait},
      {"session", session},
  });
}

}  // namespace parley::scenarios
