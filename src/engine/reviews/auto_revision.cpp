// The server gives a task's next order in its assigner's name, once its review wants changes (R12): as if the assigner
// had sent it, but for what the assigner alone could do by sending (its rate, its health, its sequence numbers). The
// workspace's policy holds for it as for any order (HND-13).
#include "base/excerpt.hpp"
#include "engine/approvals/open.hpp"
#include "engine/engine.hpp"
#include "engine/messages/notice.hpp"
#include "engine/messages/recipients.hpp"
#include "engine/messages/semantics.hpp"
#include "engine/policy/policy.hpp"
#include "engine/tasks/depend.hpp"
#include "engine/tasks/follow.hpp"

namespace parley::engine {
namespace {

constexpr std::size_t why_bytes_max = 1'024;

// What it is in the tables, or why it is nothing there. None: it is nothing before a human has decided.
base::Result<TaskMove> move_of(const ReviseTask& command, const Workspace& workspace, const Recipients& recipients,
                               Hold hold, const Context& context, Decided& decided,
                               std::vector<base::Problem>& warnings) {
  PARLEY_TRY(Semantics semantics,
             check_semantics(*command.as, workspace, recipients, {hold, {}}, context, decided, warnings));
  if (semantics.task_moved || (hold == Hold::held && semantics.defects.empty())) return std::move(semantics.task_moved);
  return base::fail(base::ErrorCode::OUT_OF_SEQUENCE,
                    semantics.defects.empty() ? "it makes no move" : semantics.defects.front().message);
}

constexpr std::string_view why_written =
    "the review wants changes, and the workspace has its revisions written by the server";

base::Result<> write_order(const ReviseTask& command, const State& state, const Context& context, Decided& decided) {
  if (command.refused) return std::unexpected(*command.refused);
  const AcceptMessage& as = *command.as;
  const Workspace& workspace = state.workspace(command.workspace);
  PARLEY_TRY(Recipients recipients, resolve(as, workspace, context.now));
  PARLEY_CHECK(find_room(as, workspace, {}, recipients));
  PARLEY_CHECK(check_chain(as, workspace));
  const std::optional<Asking> asking = held_by_policy(as, workspace);
  std::vector<base::Problem> warnings;
  PARLEY_TRY(const TaskMove moved,
             move_of(command, workspace, recipients, asking ? Hold::held : Hold::none, context, decided, warnings));
  if (asking) PARLEY_CHECK(check_approval(as, workspace));

  event::Event& event = decided.add(command.workspace);
  const Offset offset(event.offset());
  event::MessageAccepted& message = decided.message_accepted(event);
  write(as, recipients, as.envelope.message_id, as.id_key, message);
  message.set_sender(0);
  message.set_in_name_of(as.sender.value);
  message.clear_sent_at();  // what a sender states, as the next two
  message.clear_sequence();
  message.clear_record_at();
  if (workspace.message_of(as.id_key)) message.clear_id_key();  // somebody took it before
  write(warnings, *message.mutable_warnings());
  if (asking) open_approval(*asking, context, message);
  if (moved) {
    *message.mutable_task_moved() = *moved;
    mark_kept_back(*moved, message);
  }
  decided.last().body = command.bytes;
  if (moved) decide_orders_over(decided, workspace, command.workspace, offset, *moved, as.lane);
  const std::string held = asking ? "; it is held until a human has decided: " + asking->why : std::string();
  post_notice({decided, state, command.workspace, context}, as.sender,
              {.code = "revised",
               .about = {offset},
               .agents = recipients.open,
               .reason = std::string(why_written) + held,
               .id = as.envelope.message_id});
  return {};
}

}  // namespace

void Engine::decide(const ReviseTask& command, const Context& context, Decided& decided) const {
  const auto written = write_order(command, state_, context, decided);
  if (written) return;
  const Workspace& workspace = state_.workspace(command.workspace);
  const Task& task = workspace.tasks.at(command.task);
  const Message* const request = workspace.messages.find(command.review);
  post_notice({decided, state_, command.workspace, context}, task.assigner,
              {.code = "not_revised",
               .about = {command.review},
               .agents = {task.assignee},
               .reason = "the review wants changes, and the server could not write the revision: " +
                         base::excerpt(written.error().message, why_bytes_max) + ". Assign the task again yourself.",
               .id = request ? request->id.view() : workspace.reviews.at(command.review).id.view()});
}

}  // namespace parley::engine
