// What the journal says of runners and of what they signed, folded by rules of its own (BEY-05): what is shown as
// signed was signed by who holds a key that counted then, about this review, and nothing else is; and what was refused
// was not to be believed. Who signed what it is told by the workload, which holds the keys.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/signature.hpp"
#include "event/events.pb.h"
#include "sim/findings.hpp"
#include "sim/refusals.hpp"
#include "sim/sightings.hpp"

namespace parley::sim {

// A statement as its signer made it.
struct Signing {
  std::string runner, workspace, task, review;
  base::PublicKey key{};  // that signed it
  base::Instant at;
  base::Digest tree{};
  bool agrees = true;  // with what the request asks for and the result says
};

// A result of a review that was refused for what came beside it.
struct EvidenceWord {
  std::string token, task, review;
  base::ErrorCode code{};
};

class RunnerChronicle {
 public:
  RunnerChronicle(Findings& findings, Sightings& sightings) : findings_(findings), sightings_(sightings) {}

  void signed_with(const std::string& token, Signing signing) { signed_[token] = std::move(signing); }
  void fold(const event::Event& event, base::Instant at);
  // Decided when the workspace's newest event was the one at `head`, which may not be folded yet, or be lost.
  void refused(std::uint32_t workspace, std::uint64_t head, EvidenceWord word);

  // Reviews, by the offset of their requests, and which runner signed their result.
  const std::map<Place, std::string>& attested() const { return attested_; }

 private:
  struct Runner {
    base::PublicKey key{};
    base::Instant until;  // 0: until it is revoked
    bool revoked = false;
  };
  struct Workspace {
    std::string name;
    bool unsigned_is_missing = false;
    std::uint64_t head = 0;
    std::map<std::string, Runner> runners;
    std::set<std::string> keys;  // that were ever registered
    Refusals<EvidenceWord> refused;
  };

  void register_runner(Workspace& workspace, const Place& place, const event::RunnerRegistered& event);
  void judge(const Place& place, const event::MessageAccepted& message, base::Instant at);
  void judge_refusals(std::uint32_t number, Workspace& workspace);
  // Empty: it is to be believed.
  std::string fault_of(const Workspace& workspace, const std::string& token, std::string_view task,
                       std::string_view review, base::Instant at) const;

  Findings& findings_;
  Sightings& sightings_;
  std::map<std::string, Signing> signed_;  // by token
  std::map<std::uint32_t, Workspace> workspaces_;
  std::map<Place, std::string> attested_;
  base::Instant now_{};
};

}  // namespace parley::sim
