#include "cli/scenario/letter.hpp"

#include "json/writer.hpp"

namespace parley::cli::scenario {
namespace {

class Scribe {
 public:
  Scribe(const Story& story, const Step& step, const Occasion& occasion)
      : story_(story), step_(step), occasion_(occasion) {}

  // RFC 7396, but for null, which is written.
  base::Result<> merge(json::Writer& out, json::Value frame, json::Value own) {
    if (!own) return write(out, frame);
    if (!frame.is_object() || !own.is_object()) return write(out, own);
    out.begin_object();
    for (const auto [key, value] : frame.members()) PARLEY_CHECK(merge(out.key(key), value, own.find(key)));
    for (const auto [key, value] : own.members())
      if (!frame.find(key)) PARLEY_CHECK(write(out.key(key), value));
    out.end_object();
    return {};
  }

  base::Result<> write(json::Writer& out, json::Value value) {
    if (value.is_object()) {
      out.begin_object();
      for (const auto [key, inner] : value.members()) PARLEY_CHECK(write(out.key(key), inner));
      out.end_object();
    } else if (value.is_array()) {
      out.begin_array();
      for (const auto inner : value.elements()) PARLEY_CHECK(write(out, inner));
      out.end_array();
    } else if (value.if_string() == "{number}") {
      out.unsigned_integer(occasion_.number);
    } else if (const auto text = value.if_string()) {
      PARLEY_TRY(const std::string filled, fill(*text));
      out.string(filled);
    } else {
      out.value(value);
    }
    return {};
  }

 private:
  base::Result<std::string> fill(std::string_view text) const {
    std::string filled;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t open = text.find('{', at), close = text.find('}', open);
      if (open == text.npos || close == text.npos) {
        filled += text.substr(at);
        break;
      }
      PARLEY_TRY(const std::string word, meaning(text.substr(open + 1, close - open - 1)));
      filled.append(text.substr(at, open - at)).append(word);
      at = close + 1;
    }
    return filled;
  }

  base::Result<std::string> meaning(std::string_view word) const {
    constexpr std::string_view id_of = "id of ", later = "now+";
    if (word == "id") return story_.id_of(step_.name);
    if (word == "type") return std::string(step_.type);
    if (word == "from") return std::string(step_.from);
    if (word == "to") return std::string(step_.to.front());
    if (word == "from.type") return type_of(step_.from);
    if (word == "to.type") return type_of(step_.to.front());
    if (word == "now") return base::to_rfc3339(occasion_.now);
    if (word.starts_with(later)) {
      PARLEY_TRY(const auto duration, base::parse_duration(word.substr(later.size())));
      return base::to_rfc3339(occasion_.now + duration);
    }
    if (word.starts_with(id_of) && story_.step(word.substr(id_of.size())))
      return story_.id_of(word.substr(id_of.size()));
    return base::fail(base::ErrorCode::BAD_REQUEST, "nothing is called {" + std::string(word) + "}",
                      std::string(step_.name));
  }

  std::string type_of(std::string_view name) const {
    const Actor* const actor = story_.actor(name);
    return actor ? actor->agent_type : std::string();
  }

  const Story& story_;
  const Step& step_;
  const Occasion& occasion_;
};

}  // namespace

base::Result<std::string> letter(const Story& story, const Step& step, const Occasion& occasion) {
  std::string text;
  json::Writer out(text);
  PARLEY_CHECK(Scribe(story, step, occasion).merge(out, story.frame(), step.message));
  return text;
}

base::Result<std::string> pattern(const Story& story, const Step& step) {
  if (!step.message) return std::string("{}");
  std::string text;
  json::Writer out(text);
  PARLEY_CHECK(Scribe(story, step, {}).write(out, step.message));
  return text;
}

bool is_like(json::Value value, json::Value pattern) {
  if (!pattern.is_object()) return json::equal(value, pattern);
  for (const auto [key, wanted] : pattern.members())
    if (!is_like(value.find(key), wanted)) return false;
  return true;
}

std::string decision(const Step& step, std::string_view shown) {
  std::string text;
  json::Writer out(text);
  out.begin_object();
  for (const auto [key, value] : step.decision.members()) out.member(key, value);
  out.member("shown", shown).end_object();
  return text;
}

}  // namespace parley::cli::scenario
