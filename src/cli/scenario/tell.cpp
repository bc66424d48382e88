// The log is followed as any client may: it is what is narrated, and its offsets are where the kills fall. A kill comes
// up to a few milliseconds after its offset was seen, so that it hits what is under way.
#include "cli/scenario/tell.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "base/clock.hpp"
#include "cli/online.hpp"
#include "cli/scenario/narrator.hpp"
#include "cli/scenario/stage.hpp"
#include "json/writer.hpp"

namespace parley::cli::scenario {
namespace {

constexpr base::Duration looks_every = std::chrono::milliseconds(50);
constexpr base::Duration stands_still = std::chrono::seconds(90);  // without a new entry: it will not end
constexpr std::uint64_t delay_us_max = 6'000;
constexpr json::Limits page_limits{.bytes = 64 << 20, .elements = 1'000'000};

volatile std::sig_atomic_t ended_by = 0;  // a signal

// Whoever ends a story ends what was made for it in good order. Ctrl-C reaches the parts, too, and they end by it.
void heed_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (std::signal(signal, [](int caught) { ended_by = caught; }) == SIG_IGN) std::signal(signal, SIG_IGN);
}

std::unexpected<base::Error> ended(const std::string& story, const std::string& by) {
  return base::fail(base::ErrorCode::CONFLICT, "the story was ended by " + by, story,
                    "Nothing of it is left; play it again.");
}

// Who goes while a story is told ends it, too: it is told to nobody.
base::Result<> check_not_ended(const std::string& story, Terminal* terminal) {
  if (ended_by != 0) return ended(story, "signal " + std::to_string(ended_by));
  if (terminal && !flush(*terminal)) return ended(story, "its reader: " + terminal->unwritten);
  return {};
}

class Telling {
 public:
  Telling(const Story& story, const TellSettings& settings, Stage& stage)
      : story_(story),
        settings_(settings),
        stage_(stage),
        narrator_(story, settings.terminal),
        random_(settings.seed) {}

  base::Result<Told> tell() {
    if (settings_.kills == 0) narrator_.title();
    PARLEY_TRY(told_.first_offset, head());
    from_ = ++told_.first_offset;
    choose_kills();
    PARLEY_CHECK(stage_.begin(settings_.pace));
    const auto patience = [this] { return clock_.monotonic() - newest_at_ < stands_still; };
    newest_at_ = clock_.monotonic();
    for (bool over = false; !over;) {
      const auto heard = stage_.heard();  // before the log is read, so that each comes after its cause
      PARLEY_CHECK(check_not_ended(story_.name(), settings_.terminal));
      if (!heard) return std::unexpected(heard.error());
      PARLEY_CHECK(follow());
      for (const PartLine& line : *heard) {
        narrator_.part(line);
        if (line.event == "answer_lost") ++told_.answers_lost;
      }
      PARLEY_TRY(over, is_over());
      if (!over && !patience())
        return base::fail(base::ErrorCode::REQUEST_TIMEOUT, "the story stands still:\n" + stage_.where_it_stands(),
                          story_.name());
    }
    PARLEY_CHECK(follow());
    told_.last_offset = from_ - 1;
    PARLEY_TRY(told_.ending, look_at_ending(stage_.admin(), stage_.workspace(), story_));
    told_.wrong = not_as_told(told_.ending, story_);
    return std::move(told_);
  }

 private:
  base::Result<std::uint64_t> head() {
    PARLEY_TRY(const auto reply, stage_.admin().get(sdk::path_of(stage_.workspace())));
    PARLEY_TRY(const auto document, json::Document::parse(reply.body));
    return document.root().find("head").if_uint().value_or(0);
  }

  void choose_kills() {
    if (settings_.kills == 0) return;
    std::uniform_int_distribution<std::uint64_t> offsets(settings_.first_offset, settings_.last_offset);
    for (std::uint32_t i = 0; i < settings_.kills; ++i) kills_.push_back(offsets(random_));
    std::ranges::sort(kills_, std::ranges::greater());
  }

  // Reads what is new, and kills where the next kill is due.
  base::Result<> follow() {
    const auto reply =
        stage_.admin().get(sdk::path_of(stage_.workspace(), {"log"}) + "?max=1000&from=" + std::to_string(from_) +
                           "&wait=" + base::to_text(looks_every));
    if (!reply && is_passing(reply.error())) {
      std::this_thread::sleep_for(looks_every);  // it makes its journal ready, just started
      return {};
    }
    if (!reply) return std::unexpected(reply.error());
    PARLEY_TRY(const auto page, json::Document::parse(reply->body, page_limits));
    for (const auto entry : page.root().find("items").elements()) {
      narrator_.entry(entry);
      told_.said.push_back(json::to_text(entry));
      newest_at_ = clock_.monotonic();
    }
    from_ = std::max(from_, page.root().find("next").if_uint().value_or(0));
    return kills_.empty() || from_ <= kills_.back() ? base::Result<>() : kill();
  }

  base::Result<> kill() {
    std::this_thread::sleep_for(std::chrono::microseconds(random_() % delay_us_max));
    const auto begin = clock_.monotonic();
    PARLEY_CHECK(stage_.restart_server());
    told_.kills.push_back({from_ - 1, clock_.monotonic() - begin});
    narrator_.kill(told_.kills.back());
    kills_.pop_back();
    return {};
  }

  // Whoever is done may still have to be told what is left, or to say again that it heard; and what is left of the
  // kills comes at the end.
  base::Result<bool> is_over() {
    if (!stage_.all_done()) return false;
    PARLEY_TRY(const bool nothing_waits, stage_.nothing_waits());
    if (!nothing_waits) return false;
    if (kills_.empty()) return true;
    PARLEY_CHECK(kill());
    return false;
  }

  const Story& story_;
  const TellSettings& settings_;
  Stage& stage_;
  Narrator narrator_;
  std::mt19937_64 random_;
  base::SystemClock clock_;
  std::vector<std::uint64_t> kills_;  // offsets, the next one last
  std::uint64_t from_ = 1;
  base::Duration newest_at_{};
  Told told_;
};

}  // namespace

base::Result<Told> tell(const Story& story, const TellSettings& settings) {
  heed_signals();
  PARLEY_TRY(auto stage, Stage::set(story, settings.journal));
  return Telling(story, settings, *stage).tell();
}

}  // namespace parley::cli::scenario
