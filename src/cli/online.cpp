// One way to find a server for every verb.
#include "cli/online.hpp"

#include <chrono>
#include <ostream>
#include <set>
#include <thread>

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "sdk/cpp/error_text.hpp"

namespace parley::cli {

base::Result<sdk::Client> Online::client() const {
  auto access = sdk::discover(wanted);
  if (!access && access.error().where == "--server") return misuse(access.error().message, access.error().hint);
  if (!access) return std::unexpected(std::move(access).error());
  return sdk::Client(std::move(*access));
}

base::Result<std::string> Online::workspace(sdk::Client& client) const {
  if (const auto& named = client.access().workspace; !named.empty()) return named;
  PARLEY_TRY(const auto reply, client.get("/v1/workspaces?limit=20"));
  PARLEY_TRY(const auto document, json::Document::parse(reply.body, answer_limits));
  std::vector<std::string> names;
  for (const auto item : document.root().find("items").elements())
    names.emplace_back(item.find("name").if_string().value_or(""));
  if (names.size() == 1) return names.front();
  auto error = base::fail(base::ErrorCode::BAD_REQUEST,
                          names.empty() ? "there is no workspace yet" : "there are several workspaces", "--workspace",
                          names.empty() ? "Make one with `parley workspace create NAME`."
                                        : "Name one with --workspace or PARLEY_WORKSPACE.");
  for (const auto& name : names) error.error().legal_next.push_back("--workspace " + name);
  return error;
}

base::Result<Connected> connect(const Online& online) {
  PARLEY_TRY(auto client, online.client());
  PARLEY_TRY(auto workspace, online.workspace(client));
  return Connected{std::move(client), std::move(workspace)};
}

std::vector<Option> operator+(std::vector<Option> first, std::vector<Option> more) {
  first.insert(first.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  return first;
}

bool is_passing(const base::Error& error) {
  return sdk::kind_of(error) == sdk::Failure::unreachable || error.code == base::ErrorCode::SHUTTING_DOWN ||
         error.code == base::ErrorCode::OVERLOADED;
}

void pause_before_retry() {
  std::this_thread::sleep_for(std::chrono::seconds(1));
}

void reconnect(const Online& online, Connected& server) {
  pause_before_retry();
  if (auto client = online.client()) server.client = std::move(*client);
}

std::vector<Option> server_options(Online& online) {
  return {{"--server URL", "address of the server (else PARLEY_SERVER, else the data folder's)", &online.wanted.server},
          {"--token TOKEN", "bearer token (else the one kept for --as, else PARLEY_TOKEN, else the admin's)",
           &online.wanted.token},
          {"--data FOLDER", "data folder (else PARLEY_DATA, else $XDG_DATA_HOME/parley)", &online.wanted.data_folder}};
}

std::vector<Option> workspace_options(Online& online) {
  return std::vector<Option>{{"-w,--workspace NAME", "workspace (else PARLEY_WORKSPACE, else the only one)",
                              &online.wanted.workspace}} +
         server_options(online);
}

std::vector<Option> agent_options(Online& online) {
  return std::vector<Option>{
             {"--as NAME", "the agent to act as; its token is kept in the data folder", &online.wanted.agent, true}} +
         workspace_options(online);
}

std::vector<Option> admin_or_agent_options(Online& online) {
  return std::vector<Option>{{"--as NAME", "the agent to act as (else the admin)", &online.wanted.agent}} +
         workspace_options(online);
}

namespace {

std::string after_of(json::Value next) {
  return next.is_string() ? std::string(next.as_string()) : next.is_number() ? json::to_text(next) : "";
}

void print_list(const Terminal& terminal, json::Value list, json::Value items, const Row& hidden) {
  print_items(terminal, items, hidden);
  if (const std::string after = after_of(list.find("next")); !after.empty())
    terminal.err << items.size() << " shown; for more: --after " << printable(after) << '\n';
}

}  // namespace

base::Result<Exit> show(Context& context, const base::Result<sdk::Reply>& reply, const Row& hidden) {
  if (!reply) return std::unexpected(reply.error());
  if (context.json) {
    print_json(context.terminal, reply->body.empty() ? "{}" : reply->body);
    return Exit::done;
  }
  if (reply->body.empty()) {
    context.terminal.out << coloured("done", Colour::green, context.terminal.out_is_tty) << '\n';
    return Exit::done;
  }
  PARLEY_TRY(const auto document, json::Document::parse(reply->body, answer_limits));
  if (const auto items = document.root().find("items"); items.is_array())
    print_list(context.terminal, document.root(), items, hidden);
  else
    print_members(context.terminal, document.root());
  return Exit::done;
}

std::vector<Option> part_options(Part& part) {
  return {{"-n,--limit", "at most this many", &part.limit, false, {}, 1},
          {"--after CURSOR", "continue from the `--after` that a cut-off list printed", &part.after}};
}

base::Result<json::Document> log_page(Connected& server, std::uint64_t from, std::uint64_t max, base::Duration wait) {
  sdk::CallOptions call;
  call.timeout += wait;
  const std::string query =
      "?from=" + std::to_string(from) + "&max=" + std::to_string(max) + "&wait=" + base::to_text(wait);
  PARLEY_TRY(const auto reply, server.client.get(sdk::path_of(server.workspace, {"log"}) + query, call));
  return json::Document::parse(reply.body, answer_limits);
}

base::Result<std::string> all_pages(sdk::Client& client, const std::string& path, const Part& part) {
  constexpr std::uint32_t page_max = 1'000;
  std::string text, after = part.after, next_as_it_came = "null";
  std::uint32_t limit = part.limit;
  json::Writer out(text);
  out.begin_object().key("items").begin_array();
  while (limit > 0) {
    const std::string page = "limit=" + std::to_string(std::min(limit, page_max));
    const std::string from = after.empty() ? "" : "&after=" + sdk::escape(after);
    const char* const joint = path.find('?') == path.npos ? "?" : "&";
    PARLEY_TRY(const auto reply, client.get(path + joint + page + from));
    PARLEY_TRY(const auto document, json::Document::parse(reply.body, answer_limits));
    const auto items = document.root().find("items");
    for (const auto item : items.elements()) out.value(item);
    limit -= std::min(limit, items.size());
    const auto next = document.root().find("next");
    after = after_of(next);
    next_as_it_came = after.empty() ? "null" : json::to_text(next);
    if (after.empty() || (items.size() == 0 && !next.is_string())) break;
  }
  out.end_array().key("next").raw(next_as_it_came).end_object();
  return text;
}

std::string unless_all(const std::string& word) {
  return word == "all" ? std::string() : word;
}

base::Result<Exit> show_list(Context& context, const Online& online, Path path, const Part& part,
                             const std::vector<Filter>& filters, const Row& hidden) {
  PARLEY_TRY(auto server, connect(online));
  std::string target = sdk::path_of(server.workspace, path);
  char joint = '?';
  for (const auto& [name, value] : filters)
    if (!value.empty()) target += std::exchange(joint, '&') + std::string(name) + '=' + sdk::escape(value);
  PARLEY_TRY(auto text, all_pages(server.client, target, part));
  return show(context, sdk::Reply{200, std::move(text)}, hidden);
}

base::Result<Exit> show_one(Context& context, const Online& online, Path path) {
  PARLEY_TRY(auto server, connect(online));
  return show(context, server.client.get(sdk::path_of(server.workspace, path)));
}

void write_texts(json::Writer& out, std::string_view name, const std::vector<std::string>& texts) {
  out.key(name).begin_array();
  for (const std::string& text : texts) out.string(text);
  out.end_array();
}

base::Result<std::string> object_of(const std::vector<std::string>& assignments) {
  std::string text;
  json::Writer out(text);
  std::set<std::string> names;
  out.begin_object();
  for (const auto& assignment : assignments) {
    const auto equals = assignment.find('=');
    if (equals == assignment.npos || equals == 0) return misuse("\"" + assignment + "\" is not of the form name=value");
    const std::string value = assignment.substr(equals + 1);
    const std::string name = assignment.substr(0, equals);
    if (!names.insert(name).second) return misuse(name + " is set twice");
    out.key(name);
    if (json::Document::parse(value))
      out.raw(value);
    else
      out.string(value);
  }
  out.end_object();
  return text;
}

}  // namespace parley::cli
