// What was refused, for the record (D11): it changes nothing, and its applier is none.
#include "engine/engine.hpp"

namespace parley::engine {

void Engine::decide(const RecordRefusals& command, const Context&, Decided& decided) const {
  event::MessagesRefused& event = *decided.add(command.workspace).mutable_messages_refused();
  event.set_agent(command.agent.value);
  event.set_code(std::string(command.code));
  event.set_count(command.count);
  event.set_first_at(base::unix_us(command.first));
  event.set_last_at(base::unix_us(command.last));
}

}  // namespace parley::engine
