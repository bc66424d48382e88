// `parley scenario`: tells a profile's story from beginning to end, on a server of its own, with a process an agent;
// and with the server killed, where it must end the same. scenario/ has the parts.
#include <algorithm>
#include <ostream>

#include "cli/contents.hpp"
#include "cli/online.hpp"
#include "cli/scenario/part.hpp"
#include "cli/scenario/stage.hpp"
#include "cli/scenario/tell.hpp"
#include "cli/verbs.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"

namespace parley::cli {
namespace {

using scenario::Ending;
using scenario::Story;
using scenario::Told;

constexpr json::Limits ending_limits{.bytes = 64 << 20, .elements = 1'000'000};
constexpr std::uint32_t kills_max = 1'000;
// Slow enough for the log's follower to keep up: kills shall come while the story goes on, not after it.
constexpr base::Duration killed_pace_least = std::chrono::milliseconds(10);

struct ScenarioOptions {
  base::Duration pace{};
  std::uint32_t kills = 0, rounds = 1;
  std::uint64_t kill_seed = 1;
  std::string like, journal = "file";
};

struct PartOptions {
  std::string story;
  Online online;
  base::Duration pace{};
};

// One telling, and how it compares.
struct Telling {
  Told told;
  std::vector<std::string> differences;  // from what it was to end like
  bool is_good() const { return told.wrong.empty() && differences.empty(); }
};

void write(json::Writer& out, const std::vector<std::string>& lines) {
  out.begin_array();
  for (const auto& line : lines) out.string(line);
  out.end_array();
}

void write(json::Writer& out, const Telling& outcome) {
  out.begin_object().key("kills").begin_array();
  for (const auto& kill : outcome.told.kills)
    out.begin_object().member("offset", kill.offset).member("away", base::to_text(kill.away)).end_object();
  out.end_array().member("answers_lost", outcome.told.answers_lost).key("said").begin_array();
  for (const auto& entry : outcome.told.said) out.raw(entry);
  out.end_array();
  write(out.key("wrong"), outcome.told.wrong);
  write(out.key("differences"), outcome.differences);
  out.key("ending").raw(scenario::to_json(outcome.told.ending)).end_object();
}

std::string to_json(const Story& story, const std::vector<Telling>& outcomes, bool as_told) {
  std::string text;
  json::Writer out(text);
  out.begin_object().member("story", story.name()).member("as_told", as_told).key("tellings").begin_array();
  for (const auto& outcome : outcomes) write(out, outcome);
  out.end_array().end_object();
  return text;
}

void say_outcome(const Terminal& terminal, const Telling& outcome, bool compared) {
  const bool tty = terminal.out_is_tty;
  for (const auto& line : outcome.told.wrong)
    terminal.out << coloured("not as told  ", Colour::red, tty) << printable(line) << '\n';
  for (const auto& line : outcome.differences)
    terminal.out << coloured("different  ", Colour::red, tty) << printable(line) << '\n';
  if (!outcome.is_good()) return;
  const std::size_t kills = outcome.told.kills.size(), lost = outcome.told.answers_lost;
  terminal.out << '\n'
               << coloured("The story ended as told", Colour::green, tty)
               << (kills == 0 ? ""
                              : ", with the server killed " + std::to_string(kills) + " times and " +
                                    std::to_string(lost) + " answers lost")
               << (compared ? ", and like the one before: " : ": ") << outcome.told.ending.size()
               << " things to compare.\n\n"
               << std::flush;
}

// The first telling's ending, as `--json` wrote it.
base::Result<std::optional<Ending>> ending_in(const std::string& file) {
  if (file.empty()) return std::nullopt;
  PARLEY_TRY(const auto text, contents_of(file));
  PARLEY_TRY(const auto document, json::Document::parse(text, ending_limits));
  PARLEY_TRY(auto ending, scenario::read_ending(document.root().find("tellings").element(0).find("ending")));
  return ending;
}

base::Result<Exit> tell(Context& context, const ScenarioOptions& options, const std::string& name) {
  if (options.kills > kills_max || options.rounds == 0)
    return misuse("a figure is out of bounds", "At most " + std::to_string(kills_max) + " kills; at least one round.");
  PARLEY_TRY(const auto story, Story::named(name));
  PARLEY_TRY(auto wanted, ending_in(options.like));
  std::vector<Telling> outcomes;
  const auto once = [&](scenario::TellSettings settings) -> base::Result<> {
    settings.journal = options.journal;
    settings.terminal = context.json ? nullptr : &context.terminal;
    PARLEY_TRY(auto told, scenario::tell(story, settings));
    auto different = wanted ? scenario::differences(*wanted, told.ending) : std::vector<std::string>();
    outcomes.push_back({std::move(told), std::move(different)});
    if (!context.json) say_outcome(context.terminal, outcomes.back(), wanted.has_value());
    return {};
  };

  PARLEY_CHECK(once({.pace = options.pace}));
  if (!wanted) wanted = outcomes.front().told.ending;
  const auto [first, last] = std::pair(outcomes.front().told.first_offset, outcomes.front().told.last_offset);
  for (std::uint32_t round = 0; options.kills > 0 && round < options.rounds && outcomes.back().is_good(); ++round)
    PARLEY_CHECK(once({.pace = std::max(options.pace, killed_pace_least),
                       .kills = options.kills,
                       .seed = options.kill_seed + round,
                       .first_offset = first,
                       .last_offset = last}));

  const bool as_told = outcomes.back().is_good();
  if (context.json) print_json(context.terminal, to_json(story, outcomes, as_told));
  return as_told ? Exit::done : Exit::refused;
}

// A line an event, at once: whoever started this reads along.
void tell_stage(const Context& context, const scenario::PartLine& line) {
  context.terminal.out << to_json(line) << '\n' << std::flush;
}

base::Result<Exit> play(Context& context, const PartOptions& options) {
  PARLEY_TRY(const auto story, Story::named(options.story));
  const sdk::Wanted& wanted = options.online.wanted;
  // The stage's server and no other, whatever the environment names.
  const auto calls = [&wanted] { return sdk::discover(wanted, [](std::string_view) { return std::string(); }); };
  const scenario::PartEvents events{
      .begins =
          [&](const scenario::Step& step) {
            tell_stage(context, {wanted.agent, "begins", std::string(step.name), {}, {}});
          },
      .refused =
          [&](const scenario::Step& step, const base::Error& error) {
            tell_stage(context, {wanted.agent, "refused", std::string(step.name),
                                 std::string(base::info(error.code).name), error.message});
          },
      .answer_lost =
          [&](const scenario::Step& step) {
            tell_stage(context, {wanted.agent, "answer_lost", std::string(step.name), {}, {}});
          },
      .done = [&] { tell_stage(context, {wanted.agent, "done", {}, {}, {}}); }};
  return std::unexpected(scenario::play(story, {wanted.workspace, wanted.agent, options.pace}, calls, events));
}

Verb story_verb(const std::string& name) {
  auto options = std::make_shared<ScenarioOptions>();
  const auto story = Story::named(name);
  return {.name = name,
          .summary = story ? std::string(story->title()) : "cannot be read: " + story.error().message,
          .examples = {"parley scenario " + name + " --pace 300ms", "parley scenario " + name + " --kills 12"},
          .options = {{"--pace", "pause before each step of an actor, for watching", &options->pace},
                      {"--kills", "play it again, killing the server this many times; the ending must be the same",
                       &options->kills},
                      {"--kill-seed", "chooses the moments at which the server is killed", &options->kill_seed},
                      {"--rounds", "play it with kills this many times, each with the next seed", &options->rounds},
                      {"--like FILE", "compare the ending with the one in FILE, written by --json", &options->like},
                      {"--journal WORD",
                       "the server's journal: file, or memory (lost at a kill, so the comparison must fail)",
                       &options->journal,
                       false,
                       {"file", "memory"}}},
          .run = [options, name](Context& context) { return tell(context, *options, name); }};
}

Verb part_verb() {
  auto options = std::make_shared<PartOptions>();
  return {.name = "part",
          .summary = "Play one actor of a story; `parley scenario` starts one for each",
          .options =
              std::vector<Option>{{"story", "the story it is a part of", &options->story, true},
                                  {"--as NAME", "the actor: an agent or a person", &options->online.wanted.agent, true},
                                  {"--pace", "pause before each of its steps", &options->pace}} +
              workspace_options(options->online),
          .run = [options](Context& context) { return play(context, *options); }};
}

}  // namespace

Verb scenario_verb() {
  Verb verb{
      .name = "scenario",
      .summary =
          "Play a story on a server of its own, one process per agent; with --kills the server is killed on the way",
      .examples = {"parley scenario collab", "parley scenario supervisor --pace 300ms",
                   "parley scenario handoff --kills 12 --kill-seed 7"}};
  for (const auto& name : Story::names()) verb.verbs.push_back(story_verb(name));
  verb.verbs.push_back(part_verb());
  return verb;
}

}  // namespace parley::cli
