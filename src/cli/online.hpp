// What all verbs that call a server share: finding it, the workspace, and showing what it answers.
#pragma once
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "cli/verb.hpp"
#include "json/parser.hpp"
#include "sdk/cpp/client.hpp"
#include "sdk/cpp/workspace.hpp"

namespace parley::cli {

constexpr json::Limits answer_limits{.bytes = 256 << 20, .elements = 10'000'000};
constexpr base::Duration poll_time = std::chrono::seconds(30);  // that a call waits for news; then it is made again

// The options themselves, and what comes of them.
struct Online {
  sdk::Wanted wanted;

  base::Result<sdk::Client> client() const;
  // The workspace named; or the only one there is.
  base::Result<std::string> workspace(sdk::Client& client) const;
};

// A connection with its workspace, as most verbs need them.
struct Connected {
  sdk::Client client;
  std::string workspace;
};
base::Result<Connected> connect(const Online& online);

// Whether a server that was there before may be there again soon; and the time until then.
bool is_passing(const base::Error& error);
void pause_before_retry();
// Pauses, and finds it anew: it may have another address.
void reconnect(const Online& online, Connected& server);

// --server, --token, --data.
std::vector<Option> server_options(Online& online);
// These and --workspace; these and a required --as.
std::vector<Option> workspace_options(Online& online);
std::vector<Option> agent_options(Online& online);

std::vector<Option> operator+(std::vector<Option> first, std::vector<Option> more);

// The answer as it came (--json), or as a table of its items without the `hidden` members, or as its members.
base::Result<Exit> show(Context& context, const base::Result<sdk::Reply>& reply, const Row& hidden = {});

// How much of a list, and from where on; --limit, --after.
struct Part {
  std::uint32_t limit = 100;
  std::string after;
};
inline const Part whole{.limit = UINT32_MAX, .after = {}};
std::vector<Option> part_options(Part& part);

// All pages of it, as one {"items": […], "next"}: the server's own, null where nothing follows.
base::Result<std::string> all_pages(sdk::Client& client, const std::string& path, const Part& part);

// "key=value" arguments as members of a JSON object: the value as JSON where it is JSON, else as a string.
base::Result<std::string> object_of(const std::vector<std::string>& assignments);

}  // namespace parley::cli
