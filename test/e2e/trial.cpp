#include "trial.hpp"

#include <signal.h>

#include <cstdio>

namespace parley::e2e {
namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr Milliseconds patience(60'000);  // on a machine shared with others

}  // namespace

int judge(const std::function<void()>& test) {
  try {
    test();
    return 0;
  } catch (const Wrong& wrong) {
    std::fprintf(stderr, "WRONG %s\n", wrong.what.c_str());
    return 1;
  } catch (const Skipped& skipped) {
    std::printf("SKIPPED: %s\n", skipped.why.c_str());
    return skipped_status;
  } catch (const std::exception& unusable) {
    std::fprintf(stderr, "UNUSABLE %s\n", unusable.what());
    return 3;
  }
}

void require(bool holds, const std::string& what) {
  if (!holds) throw Wrong{what};
}

Trial::Trial(const std::string& name, const LoadOptions& options, std::vector<std::string> under)
    : options_(options), folder_(name), world_(folder_.path(), std::move(under)) {}

void Trial::begin() {
  world_.start();
  world_.enrol(town_);
  load_ = std::make_unique<Load>(town_, ledger_, options_);
  town_.server_up(world_.url());
}

void Trial::server_is_gone() {
  town_.server_down();
}

void Trial::restart(std::vector<std::string> under) {
  world_.run_under(std::move(under));
  world_.start();
  town_.server_up(world_.url());
}

void Trial::wait(std::string_view what, Milliseconds at_most, const std::function<bool()>& holds) {
  const auto begin = SteadyClock::now();
  while (!holds()) {
    check();
    if (SteadyClock::now() - begin > at_most) throw Wrong{"liveness: " + std::string(what) + "\n" + state()};
    std::this_thread::sleep_for(Milliseconds(1));
  }
}

void Trial::wait_for_load() {
  wait("the clients do not get through", patience, [this] {
    return town_.clients_through() >= Load::senders + Load::receivers &&
           ledger_.outstanding() >= options_.outstanding_min;
  });
}

void Trial::check() const {
  if (std::string wrong = ledger_.first_wrong(); !wrong.empty()) throw Wrong{std::move(wrong)};
}

void Trial::verify() {
  if (std::string wrong = world_.verify(); !wrong.empty()) throw Wrong{std::move(wrong)};
}

void Trial::drain_and_judge() {
  town_.drain();
  wait("the mailboxes do not run empty", patience, [this] { return drained(); });
  load_.reset();
  stop_in_time();
  verify();
  world_.run_under({});
  world_.start();
  for (const AgentRole& role : cast()) ledger_.read_log_anew(role.workspace);
  world_.read_logs(ledger_);
  ledger_.check_all_ended();
  check();
  require(world_.inboxes_empty(), "O4: a restart fills an empty mailbox");
}

End Trial::stop_in_time() {
  world_.server().send(SIGTERM);
  const auto end = world_.server().wait(Milliseconds(5'000));
  require(end.has_value(), "A3: after SIGTERM the server does not end within 5 s");
  require(end->status == 0, "A3: after SIGTERM the server ends with " + end->text());
  return *end;
}

bool Trial::drained() {
  if (town_.unsure_senders > 0) return false;
  world_.read_logs(ledger_);
  // With early answers some never arrive.
  return (ledger_.outstanding() == 0 || options_.planted == Planted::early_answers) && world_.inboxes_empty();
}

std::string Trial::state() const {
  const std::string log = world_.log();
  return "  outstanding " + std::to_string(ledger_.outstanding()) + ", clients through " +
         std::to_string(town_.clients_through()) + ", unsure senders " + std::to_string(town_.unsure_senders) + "\n" +
         ledger_.outstanding_text() + log.substr(log.size() - std::min<std::size_t>(log.size(), 1000));
}

}  // namespace parley::e2e
