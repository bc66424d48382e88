#include "cli/scenario/narrator.hpp"

#include <algorithm>
#include <iterator>
#include <ostream>

#include "base/joined.hpp"
#include "cli/scenario/letter.hpp"
#include "json/parser.hpp"

namespace parley::cli::scenario {
namespace {

constexpr std::size_t offset_width = 5, names_width = 32, type_width = 22;

std::string padded(std::string text, std::size_t width) {
  const std::size_t has = width_of(text);
  return has < width ? text + std::string(width - has, ' ') : text + " ";
}

std::string before(std::string text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::string names_of(json::Value to) {
  return base::joined(to.elements(), [](json::Value one) { return one.if_string().value_or(""); });
}

// Of the mechanics of delivery only who wonders wants to know; `parley tail` shows them.
bool is_mechanics(std::string_view event) {
  constexpr std::string_view mechanics[] = {"acked",
                                            "offered",
                                            "taken",
                                            "agent_registered",
                                            "session_started",
                                            "workspace_created",
                                            "person_registered",
                                            "leases_returned"};
  return std::ranges::find(mechanics, event) != std::end(mechanics);
}

}  // namespace

std::string Narrator::in(std::string_view text, Colour colour) const {
  return coloured(printable(text), colour, terminal_->out_is_tty);
}

void Narrator::title() {
  if (!terminal_) return;
  terminal_->out << in(story_.name(), Colour::strong) << "  " << printable(story_.title()) << '\n';
  for (const Actor& actor : story_.cast()) {
    const std::string what = actor.is_person ? "a person" : actor.agent_type;
    terminal_->out << "  " << padded(actor.name, names_width)
                   << in(padded(what, type_width) + (actor.is_person ? "over HTTP"
                                                     : actor.streams ? "over WebSocket"
                                                                     : "over HTTP"),
                         Colour::faint)
                   << '\n';
  }
  terminal_->out << '\n' << std::flush;
}

void Narrator::entry(json::Value entry) {
  if (!terminal_) return;
  const auto event = entry.find("event").if_string().value_or("");
  if (event == "message") return message(entry);
  if (event.empty() || is_mechanics(event)) return;
  std::string rest;
  for (const auto name : {"task", "agent", "approval_id", "decision", "by", "state", "code"})
    if (const auto value = entry.find(name).if_string()) rest += "  " + std::string(*value);
  terminal_->out << in(before(std::to_string(entry.find("offset").if_uint().value_or(0)), offset_width), Colour::faint)
                 << "  " << in(std::string(event) + rest, Colour::faint) << '\n'
                 << std::flush;
}

// By its id; the server's own word by what is in it.
const Step* Narrator::step_of(json::Value entry) const {
  if (const Step* const step = story_.step_with_id(entry.find("message_id").if_string().value_or(""))) return step;
  for (const Step& step : story_.steps()) {
    if (step.from != "parley" || step.type != entry.find("type").if_string()) continue;
    const auto wanted = pattern(story_, step);
    const auto document = wanted ? json::Document::parse(*wanted) : base::Result<json::Document>();
    if (document && is_like(entry.find("message"), document->root())) return &step;
  }
  return nullptr;
}

void Narrator::message(json::Value entry) {
  const Step* const step = step_of(entry);
  const auto from = std::string(entry.find("from").if_string().value_or(""));
  const std::string names = from + " → " + names_of(entry.find("to"));
  const auto type = std::string(entry.find("type").if_string().value_or(""));
  std::string text = step ? std::string(step->text) : "the server's own word";
  if (const auto state = entry.find("task_state").if_string()) text += "  [" + std::string(*state) + "]";
  if (const auto breaker = entry.find("breaker").if_string()) text += "  [breaker " + std::string(*breaker) + "]";
  terminal_->out << in(before(std::to_string(entry.find("offset").if_uint().value_or(0)), offset_width), Colour::faint)
                 << "  " << in(padded(names, names_width), from == "parley" ? Colour::yellow : Colour::strong)
                 << in(padded(type, type_width), Colour::green) << printable(text) << '\n'
                 << std::flush;
}

void Narrator::part(const PartLine& line) {
  if (!terminal_) return;
  const Step* const step = story_.step(line.step);
  const std::string text(step ? step->text : "");
  if (line.event == "answer_lost") return beside(line.actor + " asks again", "done already", text);
  if (line.event != "refused") return;
  beside(line.actor + " is refused", line.code, text);
  terminal_->out << std::string(offset_width + 2 + names_width, ' ') << in(line.message, Colour::faint) << '\n'
                 << std::flush;
}

void Narrator::beside(std::string who, std::string what, std::string_view text) {
  terminal_->out << std::string(offset_width + 2, ' ')
                 << in(padded(std::move(who), names_width) + padded(std::move(what), type_width), Colour::yellow)
                 << printable(text) << '\n'
                 << std::flush;
}

void Narrator::kill(const Kill& kill) {
  if (!terminal_) return;
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(kill.away).count();
  terminal_->out << std::string(offset_width + 2, ' ')
                 << in("the server is killed after " + std::to_string(kill.offset) + ", and back in " +
                           std::to_string(ms) + " ms",
                       Colour::red)
                 << '\n'
                 << std::flush;
}

}  // namespace parley::cli::scenario
