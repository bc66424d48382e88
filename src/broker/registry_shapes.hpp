// What workspaces, agents and people look like from outside, as JSON: one function a shape of spec/api/openapi.json.
#pragma once
#include "engine/workspaces/workspace.hpp"
#include "json/writer.hpp"

namespace parley::broker {

void write_workspace(json::Writer& writer, const engine::Workspace& workspace);

// What an agent's health is told by, besides the state.
struct Seen {
  base::Instant now;
  base::Instant polled;  // when it last asked for mail; 0: never
};
void write_agent(json::Writer& writer, const engine::Workspace& workspace, const engine::Agent& agent,
                 const Seen& seen);

void write_person(json::Writer& writer, const engine::Person& person);

}  // namespace parley::broker
