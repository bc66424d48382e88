// What the load consists of: workspaces with their agents, and native messages of three profiles, about 1 KB each.
// Messages are numbered; the number is in the id, so that whatever comes back says which one it is. Value types.
#pragma once
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace parley::e2e {

struct AgentRole {
  std::string workspace;
  std::string agent_id;
  std::string registration;  // JSON, the body of POST …/agents
};

// Three workspaces, each named as the profile of its agents.
const std::vector<AgentRole>& cast();

struct Message {
  std::uint64_t number = 0;
  std::string workspace;
  std::string sender;
  std::vector<std::string> recipients;
  std::string lane;  // empty: one of its own (R32)
  bool at_most_once = false;
  bool may_expire = false;
  std::string native;  // compact, as json::Writer writes
};

std::string id_of(std::uint64_t number);
std::optional<std::uint64_t> number_of(std::string_view id);
std::string_view id_member(std::string_view workspace);  // where a native has its id

Message make_message(const AgentRole& sender, std::uint64_t number, std::mt19937_64& random,
                     std::size_t text_bytes = 640);
// The same id with other content: to be refused as ID_CONFLICT.
std::string altered(const Message& message);

}  // namespace parley::e2e
