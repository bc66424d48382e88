// Who and what there is: workspaces, agents, people, runners and their tokens. Bodies have passed their schema in
// spec/api/openapi.json.
#pragma once
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "broker/port/call.hpp"
#include "json/value.hpp"

namespace parley::broker {

class Registry {
 public:
  virtual ~Registry() = default;

  virtual base::Result<Answer> create_workspace(const Caller&, json::Value body) = 0;
  virtual base::Result<Answer> change_workspace(const Caller&, std::string_view workspace, json::Value body) = 0;
  virtual base::Result<Answer> workspace(const Caller&, std::string_view workspace) = 0;
  virtual base::Result<Answer> workspaces(const Caller&, const Page&) = 0;
  virtual base::Result<Answer> register_agent(const Caller&, std::string_view workspace, json::Value body) = 0;
  virtual base::Result<Answer> change_agent(const Caller&, std::string_view workspace, std::string_view id,
                                            json::Value body) = 0;
  // What the agent may use of a resource: "tokens", "cpu", "memory", "budget" (HND-12). Answered with the agent.
  virtual base::Result<Answer> allocate(const Caller&, std::string_view workspace, std::string_view id,
                                        std::string_view resource, json::Value body) = 0;
  virtual base::Result<Answer> remove_agent(const Caller&, std::string_view workspace, std::string_view id) = 0;
  virtual base::Result<Answer> agent(const Caller&, std::string_view workspace, std::string_view id) = 0;
  virtual base::Result<Answer> agents(const Caller&, std::string_view workspace, const Page&) = 0;
  virtual base::Result<Answer> register_person(const Caller&, std::string_view workspace, json::Value body) = 0;
  virtual base::Result<Answer> change_person(const Caller&, std::string_view workspace, std::string_view id,
                                             json::Value body) = 0;
  virtual base::Result<Answer> remove_person(const Caller&, std::string_view workspace, std::string_view id) = 0;
  virtual base::Result<Answer> people(const Caller&, std::string_view workspace, const Page&) = 0;
  // `whose`: "agents" or "people". `grace`: how long the old token stays valid.
  virtual base::Result<Answer> rotate_token(const Caller&, std::string_view workspace, std::string_view whose,
                                            std::string_view id, base::Duration grace) = 0;

  // Whose signatures count (BEY-05).
  virtual base::Result<Answer> register_runner(const Caller&, std::string_view workspace, json::Value body) = 0;
  virtual base::Result<Answer> runners(const Caller&, std::string_view workspace, const Page&) = 0;
  virtual base::Result<Answer> revoke_runner(const Caller&, std::string_view workspace, std::string_view id) = 0;
};

}  // namespace parley::broker
