// `parley doctor`: what a working installation needs, each with what to do where it is missing.
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/timex.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ostream>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "cli/errors.hpp"
#include "cli/online.hpp"
#include "cli/sync_probe.hpp"
#include "cli/verbs.hpp"
#include "json/writer.hpp"
#include "sdk/cpp/error_text.hpp"

namespace parley::cli {
namespace {

enum class Health : std::uint8_t { good, doubtful, bad };

struct Finding {
  std::string name;
  Health health = Health::good;
  std::string message;  // what is so
  std::string hint{};   // what to do
  bool unreachable = false;
};

using Findings = std::vector<Finding>;

std::string_view name(Health health) {
  return health == Health::good ? "good" : health == Health::doubtful ? "doubtful" : "bad";
}

// Whether there is a folder to look further into.
bool check_folder(const std::string& folder, Findings& findings) {
  struct stat info{};
  if (::stat(folder.c_str(), &info) != 0) {
    findings.push_back({"data folder", Health::doubtful, folder + ": " + std::strerror(errno),
                        "`parley serve` makes it; or name another with --data."});
    return false;
  }
  const bool is_private = (info.st_mode & 077) == 0;
  findings.push_back({"data folder", is_private ? Health::good : Health::doubtful,
                      folder + (is_private ? ", open to its owner alone" : ", open to others"),
                      is_private ? "" : "chmod 700 " + folder});
  const std::string token = folder + "/admin.token";
  if (::lstat(token.c_str(), &info) != 0) {
    const int why = errno;
    findings.push_back({"admin token", Health::doubtful, token + ": " + std::strerror(why),
                        why == EACCES ? "Run this as the user that the server runs as, or give a token with --token or "
                                        "PARLEY_TOKEN."
                                      : "`parley serve` makes it; elsewhere give a token with PARLEY_TOKEN."});
    return true;
  }
  if (S_ISLNK(info.st_mode)) {
    findings.push_back({"admin token", Health::bad, token + " is a symbolic link, with which no server starts",
                        "Put the token's file itself there."});
    return true;
  }
  const bool is_secret = (info.st_mode & 077) == 0;
  findings.push_back({"admin token", is_secret ? Health::good : Health::bad,
                      is_secret ? "readable by its owner alone" : token + " is readable by others",
                      is_secret ? ""
                                : "chmod 600 " + token +
                                      "; where others may have read it, delete it and start the server again: "
                                      "it makes a new one."});
  return true;
}

void check_disk(const std::string& folder, Findings& findings) {
  constexpr std::uint64_t wanted = std::uint64_t{1} << 30;
  const auto free = base::system_files()->free_space(folder);
  if (!free) {
    findings.push_back({"disk space", Health::doubtful, free.error().message, std::string(free.error().hint_text())});
    return;
  }
  const bool enough = *free >= wanted;
  findings.push_back({"disk space", enough ? Health::good : Health::bad, std::to_string(*free >> 20) + " MiB free",
                      enough ? "" : "Free space on this disk, or put the data folder on another."});

  const auto latency = probe_sync(folder, 64);
  if (!latency) {
    findings.push_back(
        {"sync latency", Health::bad, latency.error().message, "Make the data folder writable for you."});
    return;
  }
  const bool fast = latency->median < std::chrono::milliseconds(5);
  findings.push_back({"sync latency", fast ? Health::good : Health::doubtful,
                      "median " + base::to_text(latency->median) + ", worst " + base::to_text(latency->worst),
                      fast ? "" : "Every acknowledgement waits this long: use a disk that syncs faster."});
}

void check_clock(Findings& findings) {
  timex clock{};
  const bool synchronised = ::adjtimex(&clock) != TIME_ERROR && (clock.status & STA_UNSYNC) == 0;
  const std::string now = base::to_rfc3339(base::SystemClock().wall());
  findings.push_back({"clock", synchronised ? Health::good : Health::doubtful,
                      now + (synchronised ? ", synchronised" : ", synchronised by nothing the kernel knows of"),
                      synchronised ? "" : "Expiry and timestamps follow this clock: run chrony or systemd-timesyncd."});
}

void check_open_files(Findings& findings) {
  constexpr rlim_t wanted = 4096;
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const bool enough = limit.rlim_max >= wanted;
  findings.push_back({"open files", enough ? Health::good : Health::doubtful,
                      std::to_string(limit.rlim_cur) + " now, " + std::to_string(limit.rlim_max) + " at most",
                      enough ? "" : "A connection takes one: raise the limit (`ulimit -n`, LimitNOFILE=)."});
}

void check_server(const Online& online, Findings& findings) {
  const auto found = sdk::discover(online.wanted);
  if (!found) {
    findings.push_back({"server", Health::bad, found.error().message, std::string(found.error().hint_text()),
                        exit_of(found.error()) == Exit::unreachable});
    return;
  }
  sdk::Client client(*found);
  const auto ask = [&](const char* title, const char* target, const std::string& good) {
    base::SystemClock clock;
    const auto start = clock.monotonic();
    const auto reply = client.get(target, {.timeout = std::chrono::seconds(5)});
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(clock.monotonic() - start);
    if (reply)
      findings.push_back({title, Health::good, good + " in " + std::to_string(took.count()) + " ms"});
    else
      findings.push_back({title, Health::bad, reply.error().message,
                          std::string(advised(reply.error(), "doctor").hint_text()),
                          exit_of(reply.error()) == Exit::unreachable});
    return reply.has_value() || sdk::kind_of(reply.error()) == sdk::Failure::refused;
  };
  if (!ask("server", "/healthz", found->url + " answered")) return;
  ask("readiness", "/readyz", "ready");
  ask("token and limits", "/v1/limits", "answered");
}

std::string to_json(const Findings& findings) {
  std::string text;
  json::Writer out(text);
  out.begin_object().key("checks").begin_array();
  for (const auto& finding : findings)
    out.begin_object()
        .member("check", finding.name)
        .member("health", name(finding.health))
        .member("message", finding.message)
        .member("hint", finding.hint)
        .end_object();
  out.end_array().end_object();
  return text;
}

void print_text(const Terminal& terminal, const Findings& findings) {
  for (const auto& finding : findings) {
    const Colour colour = finding.health == Health::good       ? Colour::green
                          : finding.health == Health::doubtful ? Colour::yellow
                                                               : Colour::red;
    const std::string health(name(finding.health));
    terminal.out << coloured(health, colour, terminal.out_is_tty) << std::string(10 - health.size(), ' ')
                 << finding.name << std::string(18 - finding.name.size(), ' ') << printable(finding.message) << '\n';
    if (!finding.hint.empty())
      terminal.out << std::string(28, ' ') << coloured(printable(finding.hint), Colour::faint, terminal.out_is_tty)
                   << '\n';
  }
}

base::Result<Exit> examine(Context& context, const Online& online) {
  const std::string folder = sdk::data_folder(online.wanted.data_folder);
  Findings findings;
  if (check_folder(folder, findings)) check_disk(folder, findings);
  check_clock(findings);
  check_open_files(findings);
  check_server(online, findings);
  if (context.json)
    print_json(context.terminal, to_json(findings));
  else
    print_text(context.terminal, findings);
  if (std::ranges::any_of(findings, &Finding::unreachable)) return Exit::unreachable;
  for (const auto& finding : findings)
    if (finding.health == Health::bad) return Exit::refused;
  return Exit::done;
}

}  // namespace

Verb doctor_verb() {
  auto online = std::make_shared<Online>();
  return {.name = "doctor",
          .summary = "Check data folder, disk, clock, limits and server, and say what to do",
          .examples = {"parley doctor"},
          .options = server_options(*online),
          .run = [online](Context& context) { return examine(context, *online); }};
}

}  // namespace parley::cli
