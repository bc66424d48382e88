// What a message means for the mechanisms that it concerns, before it is accepted or released, and the fact that it
// becomes.
#pragma once
#include "engine/decided.hpp"
#include "engine/messages/recipients.hpp"
#include "engine/tasks/follow.hpp"
#include "engine/tasks/moves.hpp"

namespace parley::engine {

struct Semantics {
  TaskMove task_moved;
  std::optional<event::ReviewMoved> review_moved;
  std::optional<event::ErrorMoved> error_moved;
  std::vector<base::Problem> defects;  // R5: of a lenient workspace, where it then means nothing to them
  bool moves_nothing = false;          // they are about its task or its review
};

// Appends warnings; `decided` lends memory. Errors: of the mechanisms.
base::Result<Semantics> check_semantics(const AcceptMessage& command, const Workspace& workspace,
                                        const Recipients& recipients, Holding holding, const Context& context,
                                        Decided& decided, std::vector<base::Problem>& warnings);

// What the message says itself.
void write(const AcceptMessage& command, const Recipients& recipients, std::string_view message_id, const IdKey& id_key,
           event::MessageAccepted& event);
void write(std::span<const base::Problem> problems, google::protobuf::RepeatedPtrField<event::Problem>& out);

}  // namespace parley::engine
