// The form is spec/profiles/story.schema.json's business (story_test.cpp); here are the names that must fit each other.
#include "cli/scenario/story.hpp"

#include <algorithm>
#include <set>

#include "base/uuid.hpp"
#include "json/writer.hpp"
#include "profile/embedded.hpp"

namespace parley::cli::scenario {
namespace {

constexpr std::string_view folder = "profiles/", file = "/story.json";

std::string_view text_at(json::Value object, std::string_view key) {
  return object.find(key).if_string().value_or("");
}

std::unexpected<base::Error> wrong(std::string_view step, const std::string& what) {
  return base::fail(base::ErrorCode::BAD_REQUEST, what, std::string(step));
}

// What the server is asked for it: the cast's entry, but for what only the story is about.
std::string registration_of(json::Value value, std::string_view profile, bool is_person) {
  std::string body;
  json::Writer out(body);
  out.begin_object();
  for (const auto [key, member] : value.members())
    if (key != "over") out.member(key, member);
  if (!is_person) out.member("profile", profile);
  out.end_object();
  return body;
}

Actor read_actor(json::Value value, std::string_view profile) {
  Actor actor;
  actor.is_person = !value.find("person_id").is_absent();
  actor.name = text_at(value, actor.is_person ? "person_id" : "agent_id");
  actor.streams = text_at(value, "over") == "websocket";
  actor.agent_type = text_at(value, "agent_type");
  actor.registration = registration_of(value, profile, actor.is_person);
  return actor;
}

Step read_step(json::Value value) {
  Step step;
  step.name = text_at(value, "step");
  step.text = text_at(value, "text");
  step.from = text_at(value, "from");
  step.type = text_at(value, "type");
  step.message = value.find("message");
  step.refused = text_at(value, "refused");
  step.refused_first = text_at(value, "refused_first");
  step.may_be_lost = value.find("may_be_lost").if_bool().value_or(false);
  step.decides = text_at(value, "decides");
  step.decision = value.find("decision");
  if (const auto one = value.find("to").if_string()) step.to.push_back(*one);
  for (const auto one : value.find("to").elements()) step.to.push_back(one.if_string().value_or(""));
  return step;
}

}  // namespace

bool Step::is_heard_by(std::string_view actor) const {
  return !may_be_lost && refused.empty() && std::ranges::find(to, actor) != to.end();
}

base::Result<Story> Story::read(std::string name, std::string_view text) {
  Story story;
  story.name_ = std::move(name);
  PARLEY_TRY(auto document, json::Document::parse(text));
  story.document_ = std::make_shared<json::Document>(std::move(document));
  const json::Value root = story.document_->root();
  story.title_ = text_at(root, "title");
  story.profile_ = text_at(root, "profile");
  story.id_at_ = text_at(root, "id_at");
  story.settings_ = root.find("settings");
  story.frame_ = root.find("frame");
  story.ends_ = root.find("ends");
  for (const auto value : root.find("cast").elements()) story.cast_.push_back(read_actor(value, story.profile_));
  for (const auto value : root.find("steps").elements()) story.steps_.push_back(read_step(value));
  PARLEY_CHECK(story.check());
  return story;
}

base::Result<Story> Story::named(std::string_view name) {
  const std::string path = std::string(folder) + std::string(name) + std::string(file);
  for (const auto& embedded : profile::embedded_files())
    if (embedded.path == path) return read(std::string(name), embedded.bytes);
  return base::fail(base::ErrorCode::NOT_FOUND, "there is no story \"" + std::string(name) + "\"", "story");
}

std::vector<std::string> Story::names() {
  std::vector<std::string> names;
  for (const auto& embedded : profile::embedded_files())
    if (embedded.path.starts_with(folder) && embedded.path.ends_with(file))
      names.emplace_back(embedded.path.substr(folder.size(), embedded.path.size() - folder.size() - file.size()));
  return names;
}

base::Result<> Story::check() const {
  std::set<std::string_view> names;
  for (const Step& step : steps_) {
    if (step.name.empty() || !names.insert(step.name).second) return wrong(step.name, "a step's name is its own");
    if (step.from != "parley" && !actor(step.from)) return wrong(step.name, "nobody is " + std::string(step.from));
    for (const auto to : step.to)
      if (!actor(to) || actor(to)->is_person) return wrong(step.name, "no agent is " + std::string(to));
    if (step.is_decision() && !names.contains(step.decides))
      return wrong(step.name, "nothing asked " + std::string(step.decides) + " before");
    if (!step.is_decision() && (step.to.empty() || step.type.empty()))
      return wrong(step.name, "a message has a type and somebody it is for");
  }
  return {};
}

const Actor* Story::actor(std::string_view name) const {
  const auto found = std::ranges::find(cast_, name, &Actor::name);
  return found == cast_.end() ? nullptr : &*found;
}

const Step* Story::step(std::string_view name) const {
  const auto found = std::ranges::find(steps_, name, &Step::name);
  return found == steps_.end() ? nullptr : &*found;
}

const Step* Story::step_with_id(std::string_view message_id) const {
  const auto found = std::ranges::find_if(steps_, [&](const Step& step) { return id_of(step.name) == message_id; });
  return found == steps_.end() ? nullptr : &*found;
}

std::string Story::id_of(std::string_view step) const {
  return base::uuid_of("story " + name_ + " " + std::string(step));
}

std::string_view Story::id_in(json::Value message) const {
  return message.at_pointer(id_at_).if_string().value_or("");
}

}  // namespace parley::cli::scenario
