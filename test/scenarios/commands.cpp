#include "commands.hpp"

#include "call.hpp"
#include "no_result.hpp"

namespace parley::scenarios {
namespace {

// The first command of a script, where its messages are of another day.
void clock(const Call& call) {
  call.world.begin(base::parse_rfc3339(call.word(0)).value());
}

// The clock on the wall jumps; the monotonic one knows nothing of it.
void wall(const Call& call) {
  std::string by = call.word(0);
  const bool back = by.starts_with('-');
  const base::Duration step = base::parse_duration(by.substr(1)).value();
  call.world.clock().set_wall(call.world.clock().wall() + (back ? -step : step));
}

// The machine sleeps, and everybody on it.
void suspend(const Call& call) {
  call.world.clock().suspend(base::parse_duration(call.word(0)).value());
}

void restart(const Call& call) {
  call.world.say("restarted ");
  call.world.restart(call.duration("down"));
}

void stop_restart(const Call& call) {
  call.world.stop();
  restart(call);
}

void snapshot_restart(const Call& call) {
  if (!call.world.snapshot()) return call.world.say(server_error + "NO SNAPSHOT\n");
  call.world.say("restarted ");
  call.world.restart(call.duration("down"));
}

// Of no folder of the broker: time, and the end of the process.
Commands commands_of_the_world() {
  return {
      {"in", [](const Call& call) { call.world.workspace = call.word(0); }},
      {"clock", clock},
      {"wall", wall},
      {"suspend", suspend},
      {"advance", [](const Call& call) { call.world.advance(base::parse_duration(call.word(0)).value()); }},
      // The loop is held up while time passes: what comes due comes at once, afterwards.
      {"stall", [](const Call& call) { call.world.clock().pass(base::parse_duration(call.word(0)).value()); }},
      {"hold", [](const Call& call) { call.world.hold(true); }},
      {"turn", [](const Call& call) { call.world.hold(false); }},
      {"restart", restart},
      {"stop-restart", stop_restart},
      {"snapshot-restart", snapshot_restart},
  };
}

const Commands& commands() {
  static const Commands all = [] {
    Commands made = commands_of_the_world();
    add_registry_commands(made);
    add_message_commands(made);
    add_task_commands(made);
    add_approval_commands(made);
    add_mailbox_commands(made);
    return made;
  }();
  return all;
}

}  // namespace

std::string run(World& world, const Command& command) {
  const auto known = commands().find(command.name());
  if (known == commands().end()) return script_error + "no command '" + command.name() + "'\n";
  try {
    known->second({world, command});
    if (command.name() != "stall") world.settle();
    world.say(world.defects());
  } catch (const std::exception& broken) {
    world.say(server_error + "BROKEN: " + broken.what() + '\n');
  }
  if (const std::string unknown = command.unknown(); !unknown.empty())
    world.say(script_error + "unknown option" + unknown + '\n');
  const std::string text = world.take_output();
  return text.empty() ? "ok\n" : text;
}

}  // namespace parley::scenarios
