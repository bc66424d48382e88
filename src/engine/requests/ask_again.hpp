// An attempt of a request was in vain: an error that may pass, or silence. Who was asked is asked again, as often and
// after such waits as the profile's `retry` says (MSH-03, MSH-11): the request's own bytes, once more in the mailbox.
#pragma once
#include "engine/deciding.hpp"

namespace parley::engine {

// An error of one that is awaited: whether it is asked again, written into the fact.
bool postpones(const AcceptMessage& command, Offset offset, const Request& request, const Context& context,
               event::MessageAccepted& event);
// The same of those that are silent when time is over. False: nobody can be asked again.
bool decide_postponed(const Deciding& deciding, Offset request, const profile::Ruleset& rules);
// It is time.
void decide_asked_again(const Deciding& deciding, Offset request, AgentNumber agent);

Timer timer_of_again(WorkspaceNumber, Offset request, AgentNumber, Instant at);
void asks_no_more(State&, const Request&, WorkspaceNumber, Offset, AgentNumber);  // its timer, where it has one

}  // namespace parley::engine
