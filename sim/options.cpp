#include "sim/options.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/dice.hpp"

namespace parley::sim {
namespace {

constexpr std::array<std::pair<std::string_view, Planted>, 17> planted_list = {{
    {"skip-sync", Planted::skip_sync},
    {"skip-folder-sync", Planted::skip_folder_sync},
    {"skip-checks", Planted::skip_checks},
    {"early-answers", Planted::early_answers},
    {"early-outcomes", Planted::early_outcomes},
    {"ignore-epoch", Planted::ignore_epoch},
    {"alter-bytes", Planted::alter_bytes},
    {"lose-moves", Planted::lose_moves},
    {"hasty-watch", Planted::hasty_watch},
    {"believe-unsigned", Planted::believe_unsigned},
    {"short-reviews", Planted::short_reviews},
    {"hasty-limit", Planted::hasty_limit},
    {"wrong-decider", Planted::wrong_decider},
    {"decide-twice", Planted::decide_twice},
    {"retry-twice", Planted::retry_twice},
    {"lose-parts", Planted::lose_parts},
    {"deaf-session", Planted::deaf_session},
}};

std::string_view name_of(Planted planted) {
  const auto at = std::find_if(planted_list.begin(), planted_list.end(), [&](auto& p) { return p.second == planted; });
  return at == planted_list.end() ? "none" : at->first;
}

std::string_view name_of(journal::file::Zeros zeros) {
  switch (zeros) {
    case journal::file::Zeros::by_load:
      return "by_load";
    case journal::file::Zeros::always:
      return "always";
    case journal::file::Zeros::never:
      return "never";
  }
  return "";
}

}  // namespace

std::optional<Planted> planted_named(std::string_view name) {
  for (const auto& [known, planted] : planted_list)
    if (known == name) return planted;
  return std::nullopt;
}

std::vector<std::string_view> planted_names() {
  std::vector<std::string_view> names;
  for (const auto& [name, planted] : planted_list) names.push_back(name);
  return names;
}

Options options_of(std::uint64_t seed, std::uint64_t steps, Planted planted) {
  using namespace std::chrono_literals;
  Dice dice(seed);
  Options options;
  options.seed = seed;
  options.steps = steps;
  options.planted = planted;
  options.segment_bytes = (80 << 10) + 4096 * dice.below(24);
  options.block_bytes = dice.between(8'000, 24'000);
  options.cache_bytes = dice.one_in(3) ? 0 : dice.between(20'000, 1'000'000);
  options.deliveries_a_turn = dice.between(1, 20);
  options.zeros = static_cast<journal::file::Zeros>(dice.below(3));
  options.workspaces = dice.one_in(3) ? 2 : 1;
  options.lenient = dice.one_in(4);
  options.mailbox_messages = dice.one_in(2) ? 100'000 : static_cast<std::uint32_t>(dice.between(4, 40));
  options.remembered_ids = dice.one_in(4) ? dice.between(60, 300) : 10'000'000;
  options.lease = dice.between(base::Duration(1s), base::Duration(15s));
  options.acts_a_turn = dice.between(1, 8);
  // Some runs meet each kind of trouble often, some rarely, some never.
  const auto rate = [&] { return dice.one_in(4) ? 0 : dice.one_in(2) ? dice.between(10, 40) : dice.between(40, 150); };
  options.power_loss = rate();
  options.kill = rate();
  options.graceful = rate();
  options.sync_error = rate();
  options.full_disk = rate();
  options.snapshot = dice.one_in(8) ? 0 : dice.between(5, 60);
  options.late_sync = dice.one_in(5) ? 0 : dice.between(1, 4);
  options.rate_messages = dice.one_in(3) ? static_cast<std::uint32_t>(dice.between(3, 30)) : 0;
  options.task_silence = dice.one_in(3) ? base::Duration{} : dice.between(base::Duration(4s), base::Duration(60s));
  options.near_loops = dice.one_in(3);
  options.unsigned_missing = dice.one_in(3);
  options.budget = dice.one_in(2) ? 0 : dice.between(3, 12);
  options.risks = dice.one_in(2);
  return options;
}

std::string describe(const Options& o) {
  std::string text;
  const auto add = [&](std::string_view name, const std::string& value) {
    text += (text.empty() ? "" : " ") + std::string(name) + '=' + value;
  };
  add("seed", std::to_string(o.seed));
  add("steps", std::to_string(o.steps));
  add("planted", std::string(name_of(o.planted)));
  add("segment_bytes", std::to_string(o.segment_bytes));
  add("block_bytes", std::to_string(o.block_bytes));
  add("cache_bytes", std::to_string(o.cache_bytes));
  add("deliveries_a_turn", std::to_string(o.deliveries_a_turn));
  add("zeros", std::string(name_of(o.zeros)));
  add("late_sync", std::to_string(o.late_sync));
  add("workspaces", std::to_string(o.workspaces));
  add("lenient", o.lenient ? "last" : "none");
  add("mailbox_messages", std::to_string(o.mailbox_messages));
  add("remembered_ids", std::to_string(o.remembered_ids));
  add("lease", base::to_text(o.lease));
  add("rate_messages", std::to_string(o.rate_messages));
  add("task_silence", base::to_text(o.task_silence));
  add("unsigned_checks", o.unsigned_missing ? "missing" : "warn");
  add("budget", std::to_string(o.budget));
  add("risks", o.risks ? "held" : "none");
  add("acts_a_turn", std::to_string(o.acts_a_turn));
  add("power_loss", std::to_string(o.power_loss));
  add("kill", std::to_string(o.kill));
  add("graceful", std::to_string(o.graceful));
  add("sync_error", std::to_string(o.sync_error));
  add("full_disk", std::to_string(o.full_disk));
  add("snapshot", std::to_string(o.snapshot));
  return text;
}

std::string repeat_line(const Options& options) {
  std::string line = "parley_sim --seed " + std::to_string(options.seed) + " --steps " + std::to_string(options.steps);
  if (options.planted != Planted::none) line += " --planted " + std::string(name_of(options.planted));
  return line;
}

}  // namespace parley::sim
