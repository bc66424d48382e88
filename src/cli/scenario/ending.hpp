// How things stand in a workspace when a story is over, as the API tells it: tasks with their owners, reviews,
// approvals, agents, every message with its receipts; without what differs each time (times, offsets, ids that the
// server made), so that two tellings of one story can be compared line by line.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cli/scenario/story.hpp"
#include "sdk/cpp/client.hpp"

namespace parley::cli::scenario {

// Path to value, as JSON: `tasks/task-settings/state` to `"completed"`. The story's own message ids stand as
// `{STEP}`, whatever else is a UUID as `{uuid}`, times as `{time}`. What the server said is `words/TEXT`, with how
// often.
using Ending = std::map<std::string, std::string>;

base::Result<Ending> look_at_ending(sdk::Client& client, const std::string& workspace, const Story& story);

// What is not as the story ends: what `ends` names, and a message that somebody did not get. Empty: all is as told.
std::vector<std::string> not_as_told(const Ending& ending, const Story& story);

// What is in one alone or differs. Empty: they are the same.
std::vector<std::string> differences(const Ending& wanted, const Ending& found);

// As an object of paths and values, and back.
std::string to_json(const Ending& ending);
base::Result<Ending> read_ending(json::Value object);

}  // namespace parley::cli::scenario
