// What all verbs that call a server share: finding it, the workspace, and showing what it answers.
#pragma once
#include <chrono>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "cli/verb.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
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
// Likewise, with an --as that may be left out.
std::vector<Option> admin_or_agent_options(Online& online);

// Makes what a verb runs of a function of its options.
template <class Options>
auto bound_to(std::shared_ptr<Options> options) {
  return [options](auto what) { return [options, what](Context& context) { return what(context, *options); }; };
}

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

// What of a list is wanted: "state=open". Of an empty value, all.
struct Filter {
  std::string_view name;
  std::string value;
};
std::string unless_all(const std::string& word);  // empty for "all"

// What is at this path of the workspace: a list, as far as it is wanted, as a table without the `hidden` members; or
// one thing.
using Path = std::initializer_list<std::string_view>;
base::Result<Exit> show_list(Context& context, const Online& online, Path path, const Part& part,
                             const std::vector<Filter>& filters = {}, const Row& hidden = {});
base::Result<Exit> show_one(Context& context, const Online& online, Path path);

// A page of the log, from an offset on; where there is none yet it comes within `wait`.
base::Result<json::Document> log_page(Connected& server, std::uint64_t from, std::uint64_t max, base::Duration wait);

// All pages of a list, as one {"items": […], "next"}: the server's own, null where nothing follows.
base::Result<std::string> all_pages(sdk::Client& client, const std::string& path, const Part& part);

void write_texts(json::Writer& out, std::string_view name, const std::vector<std::string>& texts);

// "key=value" arguments as members of a JSON object: the value as JSON where it is JSON, else as a string.
base::Result<std::string> object_of(const std::vector<std::string>& assignments);

}  // namespace parley::cli
