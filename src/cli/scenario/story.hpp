// A story: who takes part, what is said in which order, and how it ends. It is data, spec/profiles/NAME/story.json,
// which docs/guide/stories.md explains; a story of another profile costs no C++.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "json/parser.hpp"

namespace parley::cli::scenario {

// Takes part, in a process of its own.
struct Actor {
  std::string name;
  bool is_person = false;
  bool streams = false;      // over WebSocket; else over HTTP
  std::string registration;  // the body that registers it
  std::string agent_type;    // as far as it has one
};

// One step: somebody says something, or a person decides. Views are into the story.
struct Step {
  std::string_view name;  // unique; its message's id is made from it
  std::string_view text;  // in a person's words, for who watches
  std::string_view from;  // an actor; or `parley`: the server's own word, which is awaited
  std::vector<std::string_view> to;
  std::string_view type;           // the protocol's word
  json::Value message;             // what it adds to the story's frame; of the server's word, what must be in it
  std::string_view refused;        // the code with which it is refused; it is said to nobody then
  std::string_view refused_first;  // refused with this at first, and tried again until it is accepted
  bool may_be_lost = false;        // at most once (R20): nobody waits for it
  std::string_view decides;        // in place of a message: the approval, by the name of the step that asks
  json::Value decision;            // {decision, rationale, modified_action?}

  bool is_decision() const { return !decides.empty(); }
  bool is_heard_by(std::string_view actor) const;  // who waits for it
};

// Value type; copies share the document.
class Story {
 public:
  static base::Result<Story> read(std::string name, std::string_view text);
  static base::Result<Story> named(std::string_view name);  // a built-in one
  static std::vector<std::string> names();                  // of the built-in ones

  const std::string& name() const { return name_; }
  std::string_view title() const { return title_; }
  std::string_view profile() const { return profile_; }
  json::Value settings() const { return settings_; }  // of the workspace
  json::Value frame() const { return frame_; }        // what all messages have in common
  const std::vector<Actor>& cast() const { return cast_; }
  const std::vector<Step>& steps() const { return steps_; }
  json::Value ends() const { return ends_; }  // what must be so in the end, by the paths of an Ending

  const Actor* actor(std::string_view name) const;
  const Step* step(std::string_view name) const;
  const Step* step_with_id(std::string_view message_id) const;
  std::string id_of(std::string_view step) const;  // of its message: the same each time it is told
  std::string_view id_in(json::Value message) const;

 private:
  base::Result<> check() const;

  std::string name_;
  std::shared_ptr<json::Document> document_;
  std::string_view title_, profile_, id_at_;
  json::Value settings_, frame_, ends_;
  std::vector<Actor> cast_;
  std::vector<Step> steps_;
};

}  // namespace parley::cli::scenario
