// Work: tasks of a small pool are assigned, taken, worked on and ended, mostly by the right party and in order, so that
// runs come deep into their lives; now and then by another, late, or as answer to an older order. What may come next is
// looked up in the engine; whether it was right to accept or refuse it the chronicle judges by itself (tasks.hpp).
#include "sim/texts.hpp"
#include "sim/workload.hpp"

namespace parley::sim {
namespace {

using engine::Task;
using engine::TaskState;

constexpr std::string_view part_mark = "-part-";

// 000's agent, as a message names it.
std::string collab_agent(std::string_view id) {
  const std::string_view type = id.substr(0, id.find('-'));
  return R"({"agent_id":)" + quoted(id) + R"(,"agent_type":)" + quoted(type) + "}";
}

struct Casting {
  std::string_view assigner;
  std::vector<std::string_view> assignees;
};
const Casting& casting(std::string_view profile) {
  static const std::map<std::string_view, Casting> all{
      {"collab", {"architect-main", {"developer-01", "developer-02"}}},
      {"handoff", {"dispatcher", {"extractor-1", "extractor-2", "reviewer-1"}}},
      {"supervisor", {"orchestrator", {"triage", "scribe", "lifecycle"}}},
  };
  return all.at(profile);
}

// One message about a task, not yet in any profile's words.
struct Words {
  enum class What {
    assign,
    take,
    decline,
    progress,
    complete,
    fail,
    abort,
    offer,
    accept,
    keep,
    ask,
    approve,
    send_back,
    reject,
    ask_human
  } what{};
  std::string task, from, to;
  std::string answers;  // id of the assignment, of the offer, or of the request for parts
  std::string review;
  bool revision = false;  // of an assignment
};
using What = Words::What;

using Examples = std::map<What, std::string>;
const Examples& examples_of(std::string_view profile) {
  static const std::map<std::string_view, Examples> all{
      {"collab",
       {{What::assign, "task_assignment.json"},
        {What::take, "acknowledgment.json"},
        {What::decline, "acknowledgment.declined.json"},
        {What::progress, "task_progress.json"},
        {What::complete, "task_completion.json"},
        {What::fail, "task_completion.failed.json"},
        {What::abort, "abort.json"},
        {What::ask, "review_request.json"},
        {What::approve, "review_result.approved.json"},
        {What::send_back, "review_result.json"},
        {What::reject, "review_result.rejected.json"}}},
      {"handoff",
       {{What::assign, "TASK_ASSIGNMENT.minimal.json"},
        {What::progress, "TASK_UPDATE.minimal.json"},
        {What::complete, "TASK_COMPLETE.json"},
        {What::fail, "TASK_FAILED.json"},
        {What::offer, "TASK_HANDOFF.request.json"},
        {What::accept, "TASK_HANDOFF.reply_accepted.json"},
        {What::keep, "TASK_HANDOFF.reply_declined.json"}}},
      {"supervisor",
       {{What::assign, "task_delegation.json"},
        {What::complete, "task_completion.json"},
        {What::fail, "task_completion.failure.json"},
        {What::ask_human, "hitl_approval_request.json"}}},
  };
  return all.at(profile);
}

// A profile without the word says the nearest.
What nearest(std::string_view profile, What what) {
  const Examples& examples = examples_of(profile);
  if (examples.contains(what)) return what;
  if (what == What::take && examples.contains(What::progress)) return What::progress;
  if (what == What::offer && examples.contains(What::progress)) return What::progress;
  return what == What::decline || what == What::abort || what == What::keep ? What::fail : What::complete;
}

void fill_in(std::string_view profile, const Words& words, Wish& wish) {
  auto& edits = wish.edits;
  const std::string task = quoted(words.task);
  if (profile == "collab") {
    edits["/from_agent"] = collab_agent(words.from);
    edits["/to_agent"] = collab_agent(words.to);
    if (!words.review.empty()) edits["/payload/review_id"] = quoted(words.review);
    // The example is of a second iteration, of whose finding this may be the first.
    if (words.what == What::approve) edits["/payload/findings"] = "[]";
    if (words.what == What::assign) {
      edits["/payload/task/task_id"] = task;
      wish.reply_to = words.answers;
      if (words.revision) {
        const std::string attempt = R"({"attempt_number":1,"outcome":"changes_requested","feedback":"Once more."})";
        edits["/payload/task/context"] =
            R"({"specs":[],"reference_files":[],"previous_attempts":[)" + attempt + "," + attempt + "," + attempt +
            R"(],"required_changes":[{"change_id":"change-duplicate-key","priority":"must_fix","related_findings":[],"description":"Mend it."}]})";
      }
    } else if (words.what == What::abort) {
      edits["/payload/target_id"] = task;
      edits["/payload/scope"] = quoted("task");
    } else if (words.what == What::take || words.what == What::decline) {
      edits["/payload/acknowledged_message_id"] = quoted(words.answers);
    } else {
      edits["/payload/task_id"] = task;
    }
    return;
  }
  const bool supervisor = profile == "supervisor";
  edits[supervisor ? "/from_agent" : "/from"] = quoted(words.from);
  edits[supervisor ? "/to_agent" : "/to"] = quoted(words.to);
  if (supervisor && words.what == What::assign) return;  // R38: its own id is the task's
  const std::string capabilities = R"({"required_capabilities":["pdf"]})";
  if (words.what == What::accept || words.what == What::keep) {
    edits["/metadata/correlation_id"] = quoted(words.answers);
    edits["/payload/agent_id"] = quoted(words.from);
    if (words.what == What::accept) edits["/payload/constraints"] = capabilities;
    return;
  }
  edits[supervisor ? "/task_id" : "/payload/task_id"] = task;
  if (words.what == What::offer) {
    edits["/payload/from_agent"] = quoted(words.from);
    edits["/payload/to_agent"] = quoted(words.to);
    edits["/payload/context/task_id"] = task;
    edits["/payload/constraints"] = capabilities;
  }
  if (supervisor) edits["/in_reply_to"] = task;
  if (!supervisor && words.what == What::fail) edits["/payload/error/task_id"] = task;
  if (!supervisor && words.what == What::assign) edits["/payload/context/task_id"] = task;
}

}  // namespace

// Of 003 one that was delegated; else a name of the pool, which is another task's once it ended for good.
std::string Workload::some_task(std::uint32_t workspace, std::string_view profile) {
  const engine::Workspace& here = world_.broker().engine().state().workspace(base::WorkspaceNumber(workspace));
  if (profile == "supervisor") {
    std::vector<std::string> open;
    for (const auto& [offset, task] : here.tasks.all())
      if (here.registry.agent(task->assigner).properties.profile == profile &&
          (!machine::task::is_over(task->state) || dice_.one_in(8)))
        open.emplace_back(task->id.view());
    return open.empty() || dice_.one_in(3) ? std::string() : dice_.among(open);
  }
  if (profile == "collab" && !dice_.one_in(3))
    if (std::string part = some_part(here); !part.empty()) return part;
  const std::string name = std::string(profile) + "-task-" + std::to_string(dice_.below(3));
  std::uint64_t& round = rounds_[std::to_string(workspace) + name];
  const std::string id = name + '-' + std::to_string(round);
  const auto known = here.tasks.find(id);
  const TaskState state = known ? here.tasks.at(*known).state : TaskState::none;
  const bool for_good = state == TaskState::completed || state == TaskState::aborted;
  if (!for_good || dice_.one_in(4)) return id;
  return name + '-' + std::to_string(++round);
}

// COL-16: of what is in parts; else one that is open, if there is any.
std::string Workload::some_part(const engine::Workspace& here) {
  std::vector<std::string> wholes, parts;
  for (const auto& [offset, task] : here.tasks.all()) {
    const std::string id(task->id.view());
    if (task->state == TaskState::in_parts) wholes.push_back(id);
    if (id.find(part_mark) != std::string::npos && !machine::task::is_over(task->state)) parts.push_back(id);
  }
  if (!parts.empty() && !dice_.one_in(4)) return dice_.among(parts);
  if (wholes.empty()) return "";
  return dice_.among(wholes) + std::string(part_mark) + std::to_string(dice_.below(2));
}

// The request for the parts of which it is one; now and then for those of another.
std::string Workload::request_for(const engine::Workspace& here, std::string_view part) {
  std::vector<std::string> requests;
  for (const auto& [offset, task] : here.tasks.all()) {
    if (task->state != TaskState::in_parts) continue;
    const engine::Message* const request = here.messages.find(task->split_by);
    const bool its = part.starts_with(std::string(task->id.view()) + std::string(part_mark));
    if (request && (its || dice_.one_in(16))) requests.emplace_back(request->id.view());
  }
  return requests.empty() ? "" : dice_.among(requests);
}

// Its order, or a correction of it about which a human has yet to decide; empty: forgotten.
base::Offset Workload::order_to_correct(const engine::Workspace& here, const engine::Task& task) {
  const auto held = here.approvals.to_supersede(task.assignment());
  return !held.empty() && dice_.one_in(2) ? dice_.among(held) : task.assignment();
}

// What a human has yet to decide about the task by this one's word: a question, or its end. 0: nothing.
base::Offset Workload::asked_before(const engine::Workspace& here, const engine::Task& task, const Client& client) {
  std::vector<base::Offset> asked;
  for (const auto& [offset, approval] : here.approvals.all())
    if (approval.waits() && approval.asker == client.caller->agent && approval.task == task.id.view())
      asked.push_back(offset);
  return asked.empty() ? base::Offset{} : dice_.among(asked);
}

void Workload::put_in_place_of(Sending& sending, const engine::Workspace& here, base::Offset earlier) {
  const engine::Message* const message = here.messages.find(earlier);
  if (!message) return;
  sending.supersedes = message->id.view();
  sending.superseded = earlier;
}

void Workload::work_on_a_task() {
  static constexpr std::array<std::string_view, 5> profiles{"collab", "collab", "collab", "handoff", "supervisor"};
  const std::string_view profile = dice_.among(profiles);
  const std::string& space = dice_.among(workspaces_);
  const auto any = client_of(space, casting(profile).assigner);
  if (!any || !clients_[*any].active()) return;
  say_of_task(profile, space, some_task(workspace_number(clients_[*any]), profile));
}

// What is said about a task: of which, as it stands, and by whom to whom.
struct Workload::Talk {
  std::string_view profile;
  const std::string& space;
  const std::string& id;
  const bool onward;  // it is to get ahead
  const engine::Workspace& here;
  const std::optional<base::Offset> known = here.tasks.find(id);
  const Task* const task = known ? &here.tasks.at(*known) : nullptr;
  const TaskState state = task ? task->state : TaskState::none;
  const std::optional<base::Offset> reviewing =
      task && profile == "collab" ? here.reviews.waiting(*known) : std::nullopt;
  bool corrects = false;  // the order (BEY-03)
  Words words{};

  bool is_open() const { return task && !machine::task::is_over(state); }
  bool says(auto... whats) const { return ((words.what == whats) || ...); }
};

// Mostly what fits the state of the task, now and then anything.
void Workload::choose(Talk& talk) {
  Words& words = talk.words;
  words.task = talk.id;
  const std::uint64_t choice = talk.onward ? 8 : dice_.below(16);
  switch (talk.state) {
    case TaskState::assigned:
      words.what = choice < 10 ? What::take : choice < 13 ? What::decline : choice < 14 ? What::abort : What::complete;
      break;
    case TaskState::active:
    case TaskState::stalled:
      words.what = choice < 7 ? What::progress : choice < 11 ? What::complete : choice < 13 ? What::fail : What::abort;
      break;
    default:
      words.what = What::assign;
  }
  if (talk.profile == "handoff" && talk.is_open() && dice_.one_in(2))
    words.what = !talk.task->offer ? What::offer : dice_.one_in(3) ? What::keep : What::accept;
  if (talk.profile == "supervisor" && talk.is_open() && dice_.one_in(5)) words.what = What::ask_human;
  if (talk.profile == "collab" && talk.state == TaskState::completed && (talk.onward || dice_.one_in(2)))
    words.what = What::ask;
  if (talk.reviewing && !dice_.one_in(6)) {
    const std::uint64_t verdict = dice_.below(16);
    words.what = verdict < 5 ? What::approve : verdict < 14 ? What::send_back : What::reject;
  }
  words.revision = talk.state == TaskState::changes_requested && !dice_.one_in(6);
  if (dice_.one_in(talk.onward ? 16 : 6)) words.what = static_cast<What>(dice_.below(8));
  if (!talk.says(What::assign) && talk.id.empty()) words.what = What::assign;
  const bool at_work =
      talk.state == TaskState::assigned || talk.state == TaskState::active || talk.state == TaskState::stalled;
  talk.corrects = !talk.onward && at_work && dice_.one_in(6);
  if (talk.corrects) words.what = What::assign;
  words.what = nearest(talk.profile, words.what);
}

// Who says it to whom, and which message it answers. False: that one is forgotten.
bool Workload::address(Talk& talk) {
  Words& words = talk.words;
  const engine::Workspace& here = talk.here;
  const auto& [assigner, assignees] = casting(talk.profile);
  if (talk.says(What::assign) && talk.profile == "collab") words.answers = request_for(here, talk.id);
  const std::string one_of_them(assignees[dice_.below(assignees.size())]);
  const std::string worker = talk.task && !dice_.one_in(10) ? here.registry.agent(talk.task->assignee).id : one_of_them;
  const bool by_assigner = talk.says(What::assign, What::abort);
  words.from = by_assigner ? std::string(assigner) : worker;
  words.to = talk.says(What::assign) ? one_of_them : by_assigner ? worker : std::string(assigner);
  if (talk.says(What::offer)) words.to = one_of_them;
  if (talk.says(What::ask)) {
    words.from = std::string(assigner);
    words.to = "reviewer-main";
    words.review = talk.id + "-review-" + std::to_string(dice_.below(1'000'000'000));
  }
  if (talk.says(What::approve, What::send_back, What::reject)) {
    words.from = "reviewer-main";
    words.review = here.reviews.at(*talk.reviewing).id.view();
  }
  const auto answer = [&](base::Offset offset) {
    const engine::Message* const message = here.messages.find(offset);
    if (message) words.answers = message->id.view();
    return message != nullptr;
  };
  if (talk.says(What::accept, What::keep)) {
    if (!answer(talk.task->offer->request)) return false;
    words.to = worker;
    words.from = dice_.one_in(8) ? one_of_them : here.registry.agent(talk.task->offer->target).id;
  }
  if (talk.says(What::take, What::decline)) {
    if (!talk.task) return false;
    const auto& orders = talk.task->assignments;
    return answer(dice_.one_in(8) ? orders[dice_.below(orders.size())] : orders.back());
  }
  return true;
}

// What it says besides.
void Workload::fill(const Talk& talk, Wish& wish) {
  const std::string_view profile = talk.profile;
  const bool assigns = talk.says(What::assign);
  fill_in(profile, talk.words, wish);
  if (profile == "collab" && assigns && !dice_.one_in(3)) {
    const std::uint64_t most = dice_.below(4);  // 0: it states none
    wish.edits["/payload/max_iterations"] = most == 0 ? "" : std::to_string((most + 1) / 2);
  }
  const bool has_deadline = talk.says(What::offer) || (assigns && profile != "supervisor");
  if (has_deadline && dice_.one_in(2))
    wish.edits["/payload/deadline"] =
        quoted(base::to_rfc3339(clock_.wall() + dice_.between(base::Duration(1'000'000), base::Duration(120'000'000))));
  if (assigns && profile == "handoff" && dice_.one_in(3)) {
    const auto assigner = client_of(talk.space, casting(profile).assigner);
    wish.edits["/payload/context/dependencies"] =
        "[" + quoted(some_task(workspace_number(clients_[*assigner]), profile)) + "]";
  }
  if (assigns && profile == "handoff" && options_.risks && dice_.one_in(2))
    wish.edits["/payload/context/metadata"] = dice_.one_in(2) ? R"({"risk":0.9})" : R"({"risk":0.1})";
  if (assigns && profile == "supervisor")
    wish.edits["/task"] = R"({"description":"Simulated","priority":"medium","timeout_seconds":)" +
                          std::to_string(dice_.between(2, 600)) + "}";
  if (talk.says(What::ask_human)) wish.edits["/timeout_hours"] = dice_.one_in(2) ? "0.02" : "72";
}

// What is said beside it: in whose place it stands, and what a runner signed.
void Workload::decorate(const Talk& talk, Sending& sending) {
  if (talk.corrects) put_in_place_of(sending, talk.here, order_to_correct(talk.here, *talk.task));
  const bool ends = talk.says(What::complete, What::fail, What::ask_human);
  if (ends && talk.task && dice_.one_in(3))
    put_in_place_of(sending, talk.here, asked_before(talk.here, *talk.task, clients_[sending.client]));
  const bool of_result = talk.says(What::approve, What::send_back, What::reject);
  if (of_result || (talk.profile == "collab" && dice_.one_in(40)))
    sign(sending, talk.space, talk.id, talk.words.review, !talk.says(What::reject));
}

void Workload::say_of_task(std::string_view profile, const std::string& space, const std::string& id, bool onward) {
  const auto assigner = client_of(space, casting(profile).assigner);
  const base::WorkspaceNumber number(workspace_number(clients_[*assigner]));
  Talk talk{profile, space, id, onward, world_.broker().engine().state().workspace(number)};
  choose(talk);
  if (!address(talk)) return;
  const Words& words = talk.words;
  const auto client = client_of(space, words.from);
  if (!client || !clients_[*client].active()) return;
  Wish wish;
  Sending sending = begun(*client, natives_.example_named(profile, examples_of(profile).at(words.what)), wish);
  const Example& example = natives_.examples()[sending.example];
  fill(talk, wish);
  write(sending, wish);
  decorate(talk, sending);
  findings_.trace("send " + example.profile + "/" + example.name + " of task '" + id + "' from " + words.from + " to " +
                  words.to + " " + sending.id +
                  (sending.supersedes.empty() ? "" : " in place of " + sending.supersedes));
  send(std::move(sending));
}

void Workload::note_refusal(const Sending& sending, json::Value message, const base::Error& error) {
  using base::ErrorCode;
  const bool of_tasks = error.code == ErrorCode::TASK_UNKNOWN || error.code == ErrorCode::OUT_OF_SEQUENCE ||
                        error.code == ErrorCode::NOT_PARTY || error.code == ErrorCode::STALE_ORDER ||
                        error.code == ErrorCode::REVIEW_UNKNOWN;
  if (!of_tasks) return;
  const Client& client = clients_[sending.client];
  auto word = task_word(client.profile, message);
  if (!word) return findings_.wrong("COL-04: a message that is about no task was refused for one: " + error.message);
  word->sender = client.caller->agent.value;
  word->supersedes = sending.superseded.value;
  const std::uint32_t number = workspace_number(client);
  world_.chronicle().tasks().refused(number, head_of(number), std::move(*word), error.code);
}

}  // namespace parley::sim
