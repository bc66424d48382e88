// Workspaces, agents, people, runners: registered, changed, shown. Their tokens are told once.
#pragma once
#include "broker/delivery_calls.hpp"
#include "broker/port/registry.hpp"
#include "json/writer.hpp"

namespace parley::broker {

class RegistryCalls final : public Registry {
 public:
  RegistryCalls(Core& core, DeliveryCalls& deliveries) : core_(core), deliveries_(deliveries) {}

  base::Result<Answer> create_workspace(const Caller&, json::Value body) override;
  base::Result<Answer> change_workspace(const Caller&, std::string_view workspace, json::Value body) override;
  base::Result<Answer> workspace(const Caller&, std::string_view workspace) override;
  base::Result<Answer> workspaces(const Caller&, const Page&) override;
  base::Result<Answer> register_agent(const Caller&, std::string_view workspace, json::Value body) override;
  base::Result<Answer> change_agent(const Caller&, std::string_view workspace, std::string_view id,
                                    json::Value body) override;
  base::Result<Answer> allocate(const Caller&, std::string_view workspace, std::string_view id,
                                std::string_view resource, json::Value body) override;
  base::Result<Answer> remove_agent(const Caller&, std::string_view workspace, std::string_view id) override;
  base::Result<Answer> agent(const Caller&, std::string_view workspace, std::string_view id) override;
  base::Result<Answer> agents(const Caller&, std::string_view workspace, const Page&) override;
  base::Result<Answer> register_person(const Caller&, std::string_view workspace, json::Value body) override;
  base::Result<Answer> change_person(const Caller&, std::string_view workspace, std::string_view id,
                                     json::Value body) override;
  base::Result<Answer> remove_person(const Caller&, std::string_view workspace, std::string_view id) override;
  base::Result<Answer> people(const Caller&, std::string_view workspace, const Page&) override;
  base::Result<Answer> rotate_token(const Caller&, std::string_view workspace, std::string_view whose,
                                    std::string_view id, base::Duration grace) override;
  base::Result<Answer> register_runner(const Caller&, std::string_view workspace, json::Value body) override;
  base::Result<Answer> runners(const Caller&, std::string_view workspace, const Page&) override;
  base::Result<Answer> revoke_runner(const Caller&, std::string_view workspace, std::string_view id) override;

 private:
  void show_agent(json::Writer& writer, base::WorkspaceNumber workspace, base::AgentNumber agent);

  Core& core_;
  DeliveryCalls& deliveries_;
};

}  // namespace parley::broker
