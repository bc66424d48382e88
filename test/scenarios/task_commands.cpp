// Work: tasks, their reviews, and the help that agents ask each other for.
#include "call.hpp"

#include "json/writer.hpp"
#include "print.hpp"

namespace parley::scenarios {
namespace {

// "T-1 active epoch=1 of architect-main for developer-01", with what each may send next.
std::string print_task(json::Value task) {
  std::string text = text_of(task, "task_id") + ' ' + text_of(task, "state") + members(task, {"epoch"}) + " of " +
                     text_of(task, "assigner") + " for " + text_of(task, "assignee") +
                     members(task, {"deadline", "timeout", "again_at"}) +
                     (task.find("late").if_bool().value_or(false) ? " late" : "") +
                     (task.find("flagged") ? " flagged" + members(task, {"chain", "risk"}) : "") + '\n';
  if (const json::Value error = task.find("error"))
    text +=
        " " + members(error, {"error_type", "error_message", "recoverable", "suggested_action", "reported_by"}) + '\n';
  for (const json::Value on : task.find("dependencies").elements())
    text += "  depends on " + text_of(on, "task_id") + members(on, {"dependency_type", "state"}) + '\n';
  if (const json::Value why = task.find("blocked_by")) text += "  blocked: " + std::string(why.as_string()) + '\n';
  text += print_allocations(task.find("allocations"));
  for (const auto [agent, types] : task.find("legal_next").members()) {
    std::vector<std::string> names;
    for (const json::Value type : types.elements()) names.emplace_back(type.as_string());
    text += "  " + std::string(agent) + " may send " + scenarios::joined(names, ", ") + '\n';
  }
  return text;
}

void tasks(const Call& call, const broker::Caller& who) {
  const std::string state = call.option("state"), agent = call.option("agent"), after = call.option("after");
  const auto answer = call.world.broker().port().work.tasks(who, call.workspace(), state, agent, call.page(after));
  call.world.answer(print_list(answer, print_task));
}

void task(const Call& call, const broker::Caller& who) {
  call.world.answer(print(call.world.broker().port().work.task(who, call.workspace(), call.word(0)), print_task));
}

// What happened to one task.
void history(const Call& call, const broker::Caller& who) {
  call.world.answer(
      print(call.world.broker().port().work.task(who, call.workspace(), call.word(0)), [](json::Value task) {
        std::string text;
        for (const json::Value event : task.find("history").elements())
          text += text_of(event, "timestamp") + ' ' + text_of(event, "event_type") + members(event, {"agent_id"}) +
                  members(event.find("details"), {"offset", "state", "epoch", "assignee", "target", "why"}) + '\n';
        const json::Value taken = task.find("taken");
        if (taken)
          text += "taken" + members(taken, {"agent_id", "estimated_completion", "requirements", "constraints"});
        for (const json::Value warning : taken.find("warnings").elements())
          text += ' ' + text_of(warning, "schema") + ": " + text_of(warning, "message");
        return taken ? text + '\n' : text;
      }));
}

// await-tasks T-1 T-2 mode=all|any|first_failure for=10s name=w; without `for` as they stand
void await_tasks(const Call& call, const broker::Caller& who) {
  broker::TaskWait wait;
  for (const std::string& id : call.command.words()) wait.task_ids.push_back(id);
  const std::string mode = call.option("mode", "all");
  wait.until = mode == "any"             ? broker::TaskWait::Until::any
               : mode == "first_failure" ? broker::TaskWait::Until::first_failure
                                         : broker::TaskWait::Until::all;
  World& world = call.world;
  const auto awaited = world.broker().port().work.await_tasks(who, call.workspace(), wait, true);
  if (!awaited) return world.answer(scenarios::print(awaited.error()));
  const auto document = json::Document::parse(awaited->answer.json);
  std::string text = "done=" + text_of(document->root(), "done") + members(document->root(), {"over", "failed"});
  for (const json::Value task : document->root().find("tasks").elements())
    text += ' ' + text_of(task, "task_id") + ':' + text_of(task, "state");
  world.answer(text + '\n');
  if (awaited->done || call.option("for").empty()) return;
  const std::string name = call.option("name", "wait");
  world.broker().port().polls.wait_for_tasks(who, call.workspace(), call.duration("for"),
                                             [&world, name](broker::Woken) { world.say(name + " <- woken\n"); });
}

// extend-task T-1 seconds=600 reason="…" | task-error T-1 type=timeout message="…" recoverable=true suggested=retry
//   about=T-2: the task that the body names
// abort-task T-1 reason="…" cleanup=true
void ask_of_task(const Call& call, const broker::Caller& who, std::string_view what) {
  std::string body;
  json::Writer writer(body);
  writer.begin_object();
  if (what == "extend") writer.key("timeout_seconds").unsigned_integer(call.number("seconds", 0));
  if (what == "error") {
    if (const std::string about = call.option("about"); !about.empty()) writer.member("task_id", about);
    writer.member("error_type", call.option("type")).member("error_message", call.text("message"));
    writer.member("recoverable", call.option("recoverable", "true") == "true");
    writer.member("suggested_action", call.option("suggested", "retry"));
  } else {
    writer.member("reason", call.text("reason"));
  }
  if (what == "abort") writer.member("cleanup_required", call.option("cleanup") == "true");
  writer.end_object();
  const auto document = json::Document::parse(body);
  broker::Broker& broker = call.world.broker();
  const std::string workspace = call.workspace(), id = call.word(0);
  const auto answer = what == "extend"  ? broker.port().work.extend_task(who, workspace, id, document->root())
                      : what == "error" ? broker.port().work.report_task_error(who, workspace, id, document->root())
                                        : broker.port().work.abort_task(who, workspace, id, document->root());
  call.world.answer(print(answer, print_task));
}

// depends T-2 T-1 T-0 type=hard|soft, in place of what it was; without `type` what it depends on
void depends(const Call& call, const broker::Caller& who) {
  const auto show = [](json::Value answer) {
    std::string text = text_of(answer, "task_id") + " depends on";
    for (const json::Value on : answer.find("dependencies").elements())
      text += "\n  " + text_of(on, "task_id") + ' ' + text_of(on, "dependency_type") + members(on, {"state"});
    return text + (answer.find("dependencies").size() == 0 ? " nothing\n" : "\n");
  };
  broker::Broker& broker = call.world.broker();
  const std::string type = call.option("type");
  if (type.empty())
    return call.world.answer(print(broker.port().work.dependencies(who, call.workspace(), call.word(0)), show));
  std::string body;
  json::Writer writer(body);
  writer.begin_object().member("task_id", call.word(0)).member("dependency_type", type);
  writer.key("depends_on").begin_array();
  for (std::size_t i = 1; i < call.command.words().size(); ++i) writer.string(call.word(i));
  writer.end_array().end_object();
  const auto document = json::Document::parse(body);
  call.world.answer(
      print(broker.port().work.set_dependencies(who, call.workspace(), call.word(0), document->root()), show));
}

void check_task(const Call& call, const broker::Caller& who) {
  const auto answer =
      call.world.broker().port().work.check_task(who, call.workspace(), call.word(0), call.number("epoch", 1));
  call.world.answer(print(answer, [](json::Value checked) {
    return text_of(checked, "status") + members(checked, {"epoch", "state"}) + '\n';
  }));
}

// ---- reviews

std::string print_review(json::Value review) {
  std::string text = text_of(review, "review_id") + ' ' + text_of(review, "state") +
                     members(review, {"iteration", "task_id", "asker", "reviewer", "due", "required", "checks"}) + '\n';
  if (const json::Value evidence = review.find("evidence"))
    text += "  evidence" + members(evidence, {"runner", "signed_at"}) +
            " tree=" + text_of(evidence, "tree").substr(0, 8) + '\n';
  for (const json::Value check : review.find("verification").elements())
    text += "  verification" + members(check, {"name", "custom", "passed", "signed", "runner", "exit_code"}) + '\n';
  if (const json::Value revision = review.find("revision"))
    text += "  previous_attempts=" + json::to_text(revision.find("previous_attempts")) +
            "\n  required_changes=" + json::to_text(revision.find("required_changes")) + '\n';
  return text;
}

void reviews(const Call& call, const broker::Caller& who) {
  const std::string state = call.option("state"), task = call.option("task"), after = call.option("after");
  const auto answer = call.world.broker().port().work.reviews(who, call.workspace(), state, task, call.page(after));
  call.world.answer(print_list(answer, print_review));
}

void review(const Call& call, const broker::Caller& who) {
  call.world.answer(print(call.world.broker().port().work.review(who, call.workspace(), call.word(0)), print_review));
}

// What earlier results said of a finding.
std::string print_history(json::Value history) {
  std::string text;
  for (const json::Value form : history.elements())
    text += "  was in" + members(form, {"iteration", "review_id"}) +
            members(form.find("finding"), {"severity", "description", "fixed_in_iteration"}) + '\n';
  return text;
}

void findings(const Call& call, const broker::Caller& who) {
  call.world.answer(
      print_list(call.world.broker().port().work.findings(who, call.workspace(), call.word(0)), [](json::Value item) {
        return text_of(item, "finding_id") +
               members(item, {"blocks", "found_in_iteration", "fixed_in_iteration", "review_id", "signed_by"}) +
               members(item.find("finding"), {"severity", "description"}) + '\n' + print_history(item.find("history"));
      }));
}

// ---- help

std::string help_text(json::Value item) {
  std::string text =
      "help " + text_of(item, "help_id").substr(24) +
      members(item, {"offset", "state", "asker", "subject", "helper", "helpers", "deadline", "collaboration_id"}) +
      '\n';
  for (const json::Value answer : item.find("answers").elements())
    text += " " + members(answer, {"offset", "helper", "subject", "resources"}) + '\n';
  return text;
}

void help(const Call& call, const broker::Caller& who) {
  const std::string state = call.option("state"), agent = call.option("agent");
  call.world.answer(print_list(
      call.world.broker().port().work.help_requests(who, call.workspace(), state, agent, {{}, 100}), help_text));
}

// All, or with `id` (of its opening message) one, with what was said in it.
void collaborations(const Call& call, const broker::Caller& who) {
  const auto text = [](json::Value item) {
    std::string shown = "collaboration " + text_of(item, "collaboration_id").substr(24) +
                        members(item, {"offset", "state", "help_id", "task", "participants", "messages", "opened_at",
                                       "closed_at", "closed_by", "why"}) +
                        '\n';
    for (const json::Value one : item.find("said").elements())
      shown += " " + members(one, {"offset", "message_id", "from", "type"}) + '\n';
    return shown;
  };
  const std::string state = call.option("state"), agent = call.option("agent");
  if (call.command.has("id"))
    return call.world.answer(print(call.world.broker().port().work.collaboration(
                                       who, call.workspace(), id_of("handoff", "", call.number("id", 0))),
                                   text));
  const std::string after = call.option("after");
  call.world.answer(print_list(
      call.world.broker().port().work.collaborations(who, call.workspace(), state, agent, call.page(after)), text));
}

}  // namespace

void add_task_commands(Commands& all) {
  all.merge(Commands{
      {"reviews", by_admin(reviews)},
      {"review", by_admin(review)},
      {"findings", by_admin(findings)},
      {"help", by_admin(help)},
      {"collaborations", by_admin(collaborations)},
      {"tasks", by_admin(tasks)},
      {"task", by_admin(task)},
      {"history", by_admin(history)},
      {"check", by_admin(check_task)},
      {"await-tasks", by_admin(await_tasks)},
      {"depends", by_admin(depends)},
      {"extend-task", by_admin([](const Call& call, const broker::Caller& who) { ask_of_task(call, who, "extend"); })},
      {"task-error", by_admin([](const Call& call, const broker::Caller& who) { ask_of_task(call, who, "error"); })},
      {"abort-task", by_admin([](const Call& call, const broker::Caller& who) { ask_of_task(call, who, "abort"); })},
  });
}

}  // namespace parley::scenarios
