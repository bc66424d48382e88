// Whether a message may be accepted, and what comes of it then: whom it is for, who must look at it first, what it
// means to each mechanism. Nothing is decided yet.
#pragma once
#include "engine/approvals/open.hpp"
#include "engine/currentness/take_back.hpp"
#include "engine/loops/govern.hpp"
#include "engine/messages/recipients.hpp"
#include "engine/messages/semantics.hpp"

namespace parley::engine {

struct Judged {
  Recipients recipients;
  std::optional<Asking> asking;  // a human looks at it, and where it `holds` before anybody else does
  std::optional<Link> link;
  Semantics semantics;
  AllDisplaced displaced;
  std::optional<Offset> part_of;           // held, it is to be a part of this task
  std::vector<base::Problem> of_sequence;  // to the recipients too
  std::vector<base::Problem> to_sender;    // warnings to the sender alone
  std::vector<base::Problem> to_readers;   // and to the recipients too

  bool is_held() const { return asking && asking->holds; }
  // What is in force stands until this one is released.
  bool supersedes_later() const { return !displaced.empty() && displaced.back().of.later; }
};

// A message that is not known yet; `decided` lends memory. Errors: what each mechanism refuses, in the order of the
// checks; then `judged` is of no use.
base::Result<> judge_message(const AcceptMessage& command, const Workspace& workspace, const Context& context,
                             Decided& decided, Judged& judged);

}  // namespace parley::engine
