// What messages are about: tasks with their records, reviews, approvals, help, collaborations.
#pragma once
#include <cstdint>
#include <string_view>

#include "base/result.hpp"
#include "broker/port/call.hpp"
#include "json/value.hpp"

namespace parley::broker {

class Work {
 public:
  virtual ~Work() = default;

  // Tasks, in the order in which they were first assigned; in one state, of one assigner or assignee, where named.
  virtual base::Result<Answer> tasks(const Caller&, std::string_view workspace, std::string_view state,
                                     std::string_view agent, const Page&) = 0;
  virtual base::Result<Answer> task(const Caller&, std::string_view workspace, std::string_view task_id) = 0;
  // Whether an order is still to be acted upon: of its task, the epoch that the assignment came with (BEY-03).
  virtual base::Result<Answer> check_task(const Caller&, std::string_view workspace, std::string_view task_id,
                                          std::uint64_t epoch) = 0;
  // What a task depends on (R35), also before it is assigned; set one kind at a time.
  virtual base::Result<Answer> dependencies(const Caller&, std::string_view workspace, std::string_view task_id) = 0;
  virtual base::Result<Answer> set_dependencies(const Caller&, std::string_view workspace, std::string_view task_id,
                                                json::Value body) = 0;
  // More time; what went wrong (COL-16); its end. Answered with the task as it stands then.
  virtual base::Result<Answer> extend_task(const Caller&, std::string_view workspace, std::string_view task_id,
                                           json::Value body) = 0;
  virtual base::Result<Answer> report_task_error(const Caller&, std::string_view workspace, std::string_view task_id,
                                                 json::Value body) = 0;
  virtual base::Result<Answer> abort_task(const Caller&, std::string_view workspace, std::string_view task_id,
                                          json::Value body) = 0;
  // Each agent's newest record of each task, in the order of tasks (PIP-03); of one task or agent, where named.
  virtual base::Result<Answer> records(const Caller&, std::string_view workspace, std::string_view task,
                                       std::string_view agent, const Page&) = 0;

  // Reviews, in the order in which they were asked for; in one state, of one task, where named.
  virtual base::Result<Answer> reviews(const Caller&, std::string_view workspace, std::string_view state,
                                       std::string_view task, const Page&) = 0;
  // With its messages, and, where a revision is due, with what it carries (R12).
  virtual base::Result<Answer> review(const Caller&, std::string_view workspace, std::string_view review_id) = 0;
  // What a task's reviews found, and what was fixed when (COL-13).
  virtual base::Result<Answer> findings(const Caller&, std::string_view workspace, std::string_view task_id) = 0;

  // Approvals, in the order they were asked for: all the caller may see, or those of a state; "waiting": not decided.
  virtual base::Result<Answer> approvals(const Caller&, std::string_view workspace, std::string_view state,
                                         const Page&) = 0;
  virtual base::Result<Answer> approval(const Caller&, std::string_view workspace, std::string_view id) = 0;
  virtual base::Result<Answer> decide_approval(const Caller&, std::string_view workspace, std::string_view id,
                                               json::Value body) = 0;

  // Requests for help, in the order they were asked: all the caller may see, or those of a state ("waiting": not over)
  // and an agent.
  virtual base::Result<Answer> help_requests(const Caller&, std::string_view workspace, std::string_view state,
                                             std::string_view agent, const Page&) = 0;
  virtual base::Result<Answer> help_request(const Caller&, std::string_view workspace, std::string_view id) = 0;

  // Collaborations, in the order they were opened: all the caller may see, or those of a state and an agent. One with
  // what was said in it.
  virtual base::Result<Answer> collaborations(const Caller&, std::string_view workspace, std::string_view state,
                                              std::string_view agent, const Page&) = 0;
  virtual base::Result<Answer> collaboration(const Caller&, std::string_view workspace, std::string_view id) = 0;
};

}  // namespace parley::broker
