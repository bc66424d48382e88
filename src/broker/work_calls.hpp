// Tasks and what else messages are about: shown, and decided by who calls.
#pragma once
#include "broker/core.hpp"
#include "broker/port/work.hpp"

namespace parley::broker {

class HeldMessage;

class WorkCalls final : public Work {
 public:
  explicit WorkCalls(Core& core) : core_(core) {}

  base::Result<Answer> tasks(const Caller&, std::string_view workspace, std::string_view state, std::string_view agent,
                             const Page&) override;
  base::Result<Answer> task(const Caller&, std::string_view workspace, std::string_view task_id) override;
  base::Result<Answer> check_task(const Caller&, std::string_view workspace, std::string_view task_id,
                                  std::uint64_t epoch) override;
  base::Result<TasksAwaited> await_tasks(const Caller&, std::string_view workspace, const TaskWait&,
                                         bool as_it_stands) override;
  base::Result<Answer> dependencies(const Caller&, std::string_view workspace, std::string_view task_id) override;
  base::Result<Answer> set_dependencies(const Caller&, std::string_view workspace, std::string_view task_id,
                                        json::Value body) override;
  base::Result<Answer> extend_task(const Caller&, std::string_view workspace, std::string_view task_id,
                                   json::Value body) override;
  base::Result<Answer> report_task_error(const Caller&, std::string_view workspace, std::string_view task_id,
                                         json::Value body) override;
  base::Result<Answer> abort_task(const Caller&, std::string_view workspace, std::string_view task_id,
                                  json::Value body) override;
  base::Result<Answer> records(const Caller&, std::string_view workspace, std::string_view task, std::string_view agent,
                               const Page&) override;
  base::Result<Answer> reviews(const Caller&, std::string_view workspace, std::string_view state, std::string_view task,
                               const Page&) override;
  base::Result<Answer> review(const Caller&, std::string_view workspace, std::string_view review_id) override;
  base::Result<Answer> findings(const Caller&, std::string_view workspace, std::string_view task_id) override;
  base::Result<Answer> approvals(const Caller&, std::string_view workspace, std::string_view state,
                                 const Page&) override;
  base::Result<Answer> approval(const Caller&, std::string_view workspace, std::string_view id) override;
  base::Result<Answer> decide_approval(const Caller&, std::string_view workspace, std::string_view id,
                                       json::Value body) override;
  base::Result<Answer> help_requests(const Caller&, std::string_view workspace, std::string_view state,
                                     std::string_view agent, const Page&) override;
  base::Result<Answer> help_request(const Caller&, std::string_view workspace, std::string_view id) override;
  base::Result<Answer> collaborations(const Caller&, std::string_view workspace, std::string_view state,
                                      std::string_view agent, const Page&) override;
  base::Result<Answer> collaboration(const Caller&, std::string_view workspace, std::string_view id) override;

 private:
  base::Result<> read_held(const engine::Workspace& workspace, base::Offset offset, json::Value patch,
                           HeldMessage& held);
  base::Result<> check_action(const engine::Workspace& workspace, const engine::Approval& approval, json::Value action);

  Core& core_;
};

}  // namespace parley::broker
