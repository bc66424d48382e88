// A held message as it is to go out: as its sender wrote it, or with a person's change in it (a JSON Merge Patch), held
// against its profile again. Value type; internal to the broker.
#pragma once
#include <string>

#include "broker/superseded.hpp"
#include "ingress/check.hpp"
#include "json/parser.hpp"

namespace parley::broker {

class HeldMessage {
 public:
  std::string evidence;    // what came beside it,
  base::Instant reply_by;  // also until when its sender wants a reply; 0: it does not

  // `patch`: absent where nothing is changed. Refusals: those of ingress, and BAD_REQUEST where it would be another
  // message. `options` are those of its acceptance.
  base::Result<> read(std::string_view original, json::Value patch, const profile::Ruleset& rules,
                      ingress::Options options);

  // Once it was read. `superseded`: what it takes the place of; may be null. A time to reply by that is over by `now`
  // is none any more.
  engine::AcceptMessage command(base::WorkspaceNumber workspace, base::AgentNumber sender, const Superseded* superseded,
                                base::Instant now) const;
  std::string_view changed() const { return changed_; }  // empty: it is not

 private:
  const profile::Ruleset* rules_ = nullptr;
  std::string changed_;
  json::Document document_;
  ingress::Checked checked_;
};

}  // namespace parley::broker
