// Validation without a server: the sender is whom the message claims, the time is the message's own.
#include "base/clock.hpp"
#include "cli/validate.hpp"
#include "ingress/check.hpp"
#include "ingress/object.hpp"
#include "json/parser.hpp"
#include "profile/files.hpp"
#include "profile/load.hpp"
#include "profile/reading.hpp"

namespace parley::cli {
namespace {

using profile::Ruleset;

// The text at the place that the profile gives to a part of the envelope.
std::string_view text_at(json::Value message, const Ruleset& rules, profile::TypeIndex type,
                         profile::Slot profile::EnvelopeSlots::* part) {
  const auto& reading = *rules.reading;
  const auto& of_type = reading.types[type.value];
  const profile::Slot slot = of_type.envelope.*part;
  if (slot == profile::no_slot) return {};
  return message.at_pointer(reading.places[of_type.places].pointer(slot)).if_string().value_or("");
}

ingress::Options options_for(json::Value message, const Ruleset& rules, profile::TypeIndex type) {
  ingress::Options options;
  options.sender = text_at(message, rules, type, &profile::EnvelopeSlots::sender);
  if (options.sender.empty()) options.sender = "nobody";  // the schema says what is wrong with it
  const auto sent = base::parse_rfc3339(text_at(message, rules, type, &profile::EnvelopeSlots::timestamp));
  options.now = sent ? *sent : base::SystemClock().wall();
  return options;
}

Assessment assess_by(const Ruleset& rules, profile::TypeIndex type, const ingress::Native& native) {
  auto options = options_for(native.value, rules, type);
  const auto text = [&](auto part) { return std::string(text_at(native.value, rules, type, part)); };
  Assessment assessment{.profile = rules.name,
                        .type = rules.type(type).name,
                        .kind = std::string(envelope::name(rules.type(type).kind)),
                        .message_id = text(&profile::EnvelopeSlots::id),
                        .timestamp = text(&profile::EnvelopeSlots::timestamp),
                        .warnings = {},
                        .strict = {},
                        .lenient = {}};
  const auto judge = [&](ingress::Validation validation) -> std::optional<base::Error> {
    options.validation = validation;
    auto checked = ingress::check(native, rules, options);
    if (!checked) return std::move(checked).error();
    assessment.warnings = std::move(checked->warnings);
    assessment.kind = envelope::name(checked->envelope.kind);
    return std::nullopt;
  };
  assessment.lenient = judge(ingress::Validation::lenient);
  assessment.strict = judge(ingress::Validation::strict);
  return assessment;
}

int fit(const Assessment& assessment) {
  return !assessment.strict ? 2 : !assessment.lenient ? 1 : 0;
}

base::Result<profile::RulesetPtr> built_in(std::string_view name) {
  const auto files = profile::built_in_files(name);
  if (!files.empty()) return profile::load(files);
  auto error =
      base::fail(base::ErrorCode::PROFILE_UNKNOWN, "no built-in profile is named \"" + std::string(name) + "\"",
                 "--profile", "Take one of those below.");
  error.error().legal_next = profile::built_in_names();
  return error;
}

// No server is there to be asked for its limits.
base::Error said_offline(base::Error error) {
  if (error.hint_text() == base::info(error.code).hint)
    error.hint = "Send one UTF-8 JSON text without duplicate keys; docs/reference/json.md says which, and its limits.";
  return error;
}

}  // namespace

base::Result<Assessment> assess(std::string_view bytes, std::string_view wanted) {
  json::Parser parser;
  const auto parsed = parser.parse(bytes);
  if (!parsed) return std::unexpected(said_offline(parsed.error()));
  const json::Value message = *parsed;
  PARLEY_CHECK(ingress::check_object(message));
  const ingress::Native native{bytes, message};

  std::optional<Assessment> best;
  const auto names = wanted.empty() ? profile::built_in_names() : std::vector{std::string(wanted)};
  for (const auto& name : names) {
    PARLEY_TRY(const auto rules, built_in(name));
    const auto word = rules->reading->type_at.resolve(message).if_string();
    const auto type = word ? rules->type_named(*word) : std::nullopt;
    if (!type) continue;
    auto assessment = assess_by(*rules, *type, native);
    if (!best || fit(assessment) > fit(*best)) best = std::move(assessment);
  }
  if (best) return std::move(*best);
  if (!wanted.empty()) {
    auto error = base::fail(base::ErrorCode::TYPE_UNKNOWN,
                            "the profile \"" + std::string(wanted) + "\" has no type of this name",
                            "the message's type", "`parley schema PROFILE` lists the types of a profile.");
    if (const auto other = assess(bytes, {})) error.error().legal_next = {"--profile " + other->profile};
    return error;
  }
  auto error =
      base::fail(base::ErrorCode::TYPE_UNKNOWN, "no built-in profile has a type of message that looks like this",
                 "the message's type", "`parley schema PROFILE` lists the types of a profile.");
  error.error().legal_next = names;
  return error;
}

}  // namespace parley::cli
