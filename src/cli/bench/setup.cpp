// A fresh workspace a run, with mailboxes that hold what nobody takes when only publishing is measured.
#include "cli/bench/setup.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/hash.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"

namespace parley::cli::bench {
namespace {

// Tasks that may be open, of which each architect has a tenth; as many that are completed are kept. Those that are
// worked on stay within what a workspace has by default, unless the windows are larger.
std::int64_t tasks_max(const Settings& settings) {
  if (!settings.is_work()) return 1'000'000'000;  // none of them ends
  const std::int64_t window = settings.window;
  return std::min(std::max({std::int64_t{100'000}, 10 * window, settings.producers * window}),
                  std::int64_t{UINT32_MAX});
}

base::Result<std::string> make_workspace(sdk::Client& admin, const Settings& settings) {
  base::SystemRandom random;
  std::string bytes(5, '\0');
  random.fill({reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()});
  const std::string name = "bench-" + base::to_hex(bytes);
  std::string body;
  json::Writer out(body);
  out.begin_object().member("name", name).member("validation", "strict").key("settings").begin_object();
  out.member("mailbox_messages", 1'000'000'000).member("mailbox_bytes", std::int64_t{1} << 40);
  if (settings.contents != Contents::remarks) out.member("tasks", tasks_max(settings));
  out.end_object().end_object();
  PARLEY_CHECK(admin.post("/v1/workspaces", body));
  return name;
}

base::Result<Participant> register_agent(sdk::Client& admin, const std::string& workspace, std::string id,
                                         std::string_view role) {
  std::string body;
  json::Writer(body)
      .begin_object()
      .member("agent_id", id)
      .member("profile", "collab")
      .member("agent_type", role)
      .end_object();
  PARLEY_TRY(const auto reply, admin.post(sdk::path_of(workspace, {"agents"}), body));
  PARLEY_TRY(const auto document, json::Document::parse(reply.body));
  sdk::Access access = admin.access();
  access.workspace = workspace;
  access.token = document.root().find("token").if_string().value_or("");
  return Participant{std::move(id), std::move(access)};
}

base::Result<std::vector<Participant>> register_all(sdk::Client& admin, const std::string& workspace,
                                                    std::string_view role, std::uint32_t count) {
  std::vector<Participant> all;
  for (std::uint32_t i = 1; i <= count; ++i) {
    PARLEY_TRY(auto one,
               register_agent(admin, workspace, "bench-" + std::string(role) + "-" + std::to_string(i), role));
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

base::Result<Cast> set_up(sdk::Client& admin, const Settings& settings) {
  Cast cast;
  PARLEY_TRY(cast.workspace, make_workspace(admin, settings));
  PARLEY_TRY(cast.producers, register_all(admin, cast.workspace, "architect", settings.producers));
  PARLEY_TRY(cast.recipients, register_all(admin, cast.workspace, "developer", settings.consumers));
  return cast;
}

}  // namespace parley::cli::bench
