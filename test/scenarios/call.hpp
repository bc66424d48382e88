// One command of a script on its way to the broker, and what all commands read and print it with.
#pragma once
#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "json/parser.hpp"
#include "script.hpp"
#include "world.hpp"

namespace parley::scenarios {

struct Call {
  World& world;
  const Command& command;

  std::string option(std::string_view key, std::string_view otherwise = {}) const {
    return command.option(key, otherwise);
  }
  std::string workspace() const { return option("workspace", world.workspace); }
  std::string text(std::string_view key) const {  // of an option written as a JSON string
    const auto document = json::Document::parse(option(key, "\"\""));
    return std::string(document ? document->root().if_string().value_or("") : "");
  }
  std::uint64_t number(std::string_view key, std::uint64_t otherwise) const {
    const std::string text = option(key);
    std::uint64_t value = otherwise;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }
  base::Duration duration(std::string_view key) const {
    const std::string text = option(key);
    return text.empty() ? base::Duration{} : base::parse_duration(text).value();
  }
  // An agent's, in the current workspace.
  std::string profile_of(const std::string& agent) const {
    const engine::State& state = world.broker().engine().state();
    const auto number = state.find_workspace(workspace());
    const auto known = number ? state.workspace(*number).registry.find_agent(agent) : std::nullopt;
    return known ? state.workspace(*number).registry.agent(*known).properties.profile : option("profile");
  }
  // Of a list, from `after` on, which must outlive it.
  broker::Page page(const std::string& after) const {
    return {after, static_cast<std::uint32_t>(number("limit", 100))};
  }
  std::string word(std::size_t i) const { return i < command.words().size() ? command.words()[i] : std::string(); }
};

// What a command says, as the function that runs it. `who` is the one who calls: whoever `as` names, else the admin.
using Run = std::function<void(const Call&)>;
using Commands = std::map<std::string, Run, std::less<>>;
Run by_admin(std::function<void(const Call&, const broker::Caller& who)> run);

void add_registry_commands(Commands& all);
void add_message_commands(Commands& all);
void add_task_commands(Commands& all);
void add_approval_commands(Commands& all);
void add_mailbox_commands(Commands& all);

// The one who calls; says so where the token is nobody's.
std::optional<broker::Caller> caller(const Call& call, const std::string& otherwise);

// What an answer says, shown by `show`; or the refusal.
using Show = std::function<std::string(json::Value)>;
std::string print(const base::Result<broker::Answer>& answer, const Show& show);
// Each item of a list, and where it goes on.
std::string print_list(const base::Result<broker::Answer>& answer, const Show& show,
                       const std::string& none = "none\n");

std::string text_of(json::Value object, std::string_view key);
// "key=text" of the members that are there.
std::string members(json::Value object, std::initializer_list<std::string_view> keys);
std::string next_of(json::Value list);
std::string print_allocations(json::Value list);

// A body of the options named, each a JSON value or else a text.
std::string body_of(const Call& call, std::initializer_list<std::pair<std::string_view, std::string_view>> keys,
                    std::string_view id_key = {}, const std::string& id = {});

// The id of a sender's message of this number, as its profile writes ids.
std::string id_of(std::string_view profile, const std::string& sender, std::uint64_t number);

// A document with another value at this place, which may be a new member.
base::Result<std::string> with(const std::string& text, const std::string& pointer, std::string_view value);

}  // namespace parley::scenarios
