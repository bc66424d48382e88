#include "cli/scenario/stage.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/scenario/line.hpp"
#include "json/writer.hpp"

namespace parley::cli::scenario {
namespace {

constexpr base::Duration start_at_most = std::chrono::seconds(30);
constexpr base::Duration stop_at_most = std::chrono::seconds(10);

std::string text_from(const std::string& path, std::size_t at) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(at));
  return {std::istreambuf_iterator<char>(file), {}};
}

PartLine read_line(std::string actor, std::string_view text) {
  const auto document = json::Document::parse(text);
  const auto member = [&](json::Value object, std::string_view name) {
    return std::string(object.find(name).if_string().value_or(""));
  };
  if (!document) return {std::move(actor), "failed", {}, {}, std::string(text)};  // as a crash says it
  const json::Value root = document->root();
  if (const auto error = root.find("error"))
    return {std::move(actor), "failed", member(error, "where"), member(error, "code"), member(error, "message")};
  return {std::move(actor), member(root, "event"), member(root, "step"), member(root, "code"), member(root, "message")};
}

std::unexpected<base::Error> went_otherwise(const std::string& actor, const base::End& end,
                                            const std::vector<PartLine>& lines) {
  auto error = base::fail(base::ErrorCode::CONFLICT,
                          "the story went otherwise than told: " + actor + " ended with " + end.text(), actor,
                          "`parley scenario` tells the story as it should go; see docs/guide/stories.md.");
  for (const PartLine& line : lines)
    if (line.actor == actor && line.event == "failed")
      error.error().details.push_back({.instance = line.step, .schema = {}, .message = line.message});
  return error;
}

// While the server makes its journal's first space ready it asks for patience.
template <class Call>
auto patiently(const Call& call) -> decltype(call()) {
  base::Duration waited{};
  while (true) {
    auto answer = call();
    if (answer || !is_worth_another_try(answer.error(), waited)) return answer;
  }
}

}  // namespace

std::string to_json(const PartLine& line) {
  std::string text;
  json::Writer out(text);
  out.begin_object().member("event", line.event).member("step", line.step);
  if (!line.code.empty()) out.member("code", line.code).member("message", line.message);
  out.end_object();
  return text;
}

Stage::Stage(const Story& story, base::TempFolder folder, std::string journal)
    : story_(story),
      folder_(std::move(folder)),
      data_folder_(folder_ / "data"),
      workspace_(story.name()),
      journal_(std::move(journal)) {}

Stage::~Stage() {
  parts_.clear();  // before the server: they would look for it
  if (!server_) return;
  server_->send(SIGTERM);  // a story without kills ends as a day does
  (void)server_->wait(stop_at_most);
}

base::Result<std::unique_ptr<Stage>> Stage::set(const Story& story, const std::string& journal) {
  PARLEY_TRY(auto folder, base::TempFolder::make("scenario-" + story.name()));
  std::unique_ptr<Stage> stage(new Stage(story, std::move(folder), journal));
  std::error_code error;
  std::filesystem::create_directories(stage->data_folder_, error);
  std::filesystem::permissions(stage->data_folder_, std::filesystem::perms::owner_all, error);
  if (error) return base::fail(base::ErrorCode::INTERNAL, error.message(), stage->data_folder_);
  PARLEY_CHECK(stage->start_server());
  PARLEY_CHECK(stage->furnish());
  return stage;
}

base::Result<> Stage::start_server() {
  server_.reset();
  const std::string log = folder_ / "server.log";
  PARLEY_TRY(
      auto server,
      sdk::ServerProcess::start(
          {.program = base::own_program(), .data_folder = data_folder_, .log = log, .more = {"--journal", journal_}}));
  server_ = std::make_unique<sdk::ServerProcess>(std::move(server));
  if (!server_->wait_until_ready(start_at_most))
    return base::fail(base::ErrorCode::UNREACHABLE, "the server does not become ready: " + text_from(log, 0),
                      data_folder_);
  admin_ = std::make_unique<sdk::Client>(server_->access(server_->admin_token()));
  return {};
}

base::Result<> Stage::restart_server() {
  server_->kill();
  return start_server();
}

base::Result<> Stage::furnish() {
  std::string body;
  json::Writer out(body);
  out.begin_object().member("name", workspace_);
  if (story_.settings()) out.member("settings", story_.settings());
  out.end_object();
  PARLEY_CHECK(patiently([&] { return admin_->post("/v1/workspaces", body); }));
  for (const Actor& actor : story_.cast()) PARLEY_CHECK(enter(actor));
  return {};
}

base::Result<> Stage::enter(const Actor& actor) {
  const std::string_view whose = actor.is_person ? "people" : "agents";
  PARLEY_TRY(const auto reply,
             patiently([&] { return admin_->post(sdk::path_of(workspace_, {whose}), actor.registration); }));
  PARLEY_TRY(const auto document, json::Document::parse(reply.body));
  const auto token = document.root().find("token").if_string().value_or("");
  return sdk::TokenStore(data_folder_).put({workspace_, whose, actor.name}, token);
}

base::Result<> Stage::begin(base::Duration pace) {
  for (const Actor& actor : story_.cast()) {
    Part& part = parts_.emplace_back(Part{.actor = actor.name, .log = folder_ / actor.name + ".log"});
    PARLEY_TRY(auto process, base::Process::start(
                                 {base::own_program(), "scenario", "part", story_.name(), "--as", actor.name, "--data",
                                  data_folder_, "--workspace", workspace_, "--pace", base::to_text(pace), "--json"},
                                 part.log));
    part.process.emplace(std::move(process));
  }
  return {};
}

base::Result<std::vector<PartLine>> Stage::heard() {
  std::vector<PartLine> lines;
  for (Part& part : parts_) {
    const auto end = part.process->wait({});
    const std::string text = text_from(part.log, part.read);
    for (std::size_t at = 0, stop; (stop = text.find('\n', at)) != text.npos; at = stop + 1) {
      part.newest = text.substr(at, stop - at);
      part.read += stop + 1 - at;
      lines.push_back(read_line(part.actor, part.newest));
      part.done = part.done || lines.back().event == "done";
    }
    if (end) return went_otherwise(part.actor, *end, lines);
  }
  return lines;
}

bool Stage::all_done() const {
  for (const Part& part : parts_)
    if (!part.done) return false;
  return !parts_.empty();
}

base::Result<bool> Stage::nothing_waits() {
  for (const Actor& actor : story_.cast()) {
    if (actor.is_person) continue;
    const std::string inbox = sdk::path_of(workspace_, {"agents", actor.name, "inbox"}) + "?limit=1";
    PARLEY_TRY(const auto reply, patiently([&] { return admin_->get(inbox); }));
    PARLEY_TRY(const auto document, json::Document::parse(reply.body));
    if (document.root().find("items").size() > 0) return false;
  }
  return true;
}

std::string Stage::where_it_stands() const {
  std::string text;
  for (const Part& part : parts_) text += "  " + part.actor + " " + part.newest + "\n";
  return text;
}

}  // namespace parley::cli::scenario
