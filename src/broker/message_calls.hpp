// Messages on their way in: admitted, read, decided; what was refused of them, counted; looked at; taken back.
#pragma once
#include "broker/batch.hpp"
#include "broker/core.hpp"
#include "broker/port/messages.hpp"
#include "broker/refusals.hpp"
#include "json/parser.hpp"

namespace parley::broker {

class MessageCalls final : public Messages {
 public:
  explicit MessageCalls(Core& core) : core_(core) {}

  void begin(Batch&, const Caller&, std::string_view idempotency_key) override;
  base::Result<Sent> send(const Caller&, std::string_view workspace, Batch&, std::size_t index,
                          const SendOptions* = nullptr) override;
  base::Result<Sent> send(const Caller&, std::string_view workspace, const Native&, std::string_view idempotency_key,
                          const SendOptions* = nullptr) override;
  base::Result<Answer> message(const Caller&, std::string_view workspace, std::string_view message_id,
                               std::string_view to) override;
  base::Result<Answer> rescind(const Caller&, std::string_view workspace, std::string_view message_id,
                               std::string_view to, std::string_view reason) override;
  void count_refused(const Caller&, const base::Error&) override;

  // Refusals that have been counted for long enough are journaled (refusals.cpp).
  void record_refusals();
  std::optional<base::Instant> next_refusals() const { return refusals_.next_due(); }

 private:
  Terms terms_of(const Caller& caller);
  base::Result<> admit(const Caller& caller, std::string_view workspace, Batch& batch);
  // Of one that a person changed, of the original: as long as its approval is remembered.
  base::Position first_position(base::WorkspaceNumber number, base::Offset message) const;
  bool same_json(base::Offset known, base::WorkspaceNumber workspace, std::string_view bytes);
  // COL-21: what its sender was told when it was accepted; and where another deadline comes now, that it changes
  // nothing.
  base::Result<std::vector<base::Problem>> first_warnings(base::WorkspaceNumber number, base::Offset offset,
                                                          base::Instant reply_by);
  std::unexpected<base::Error> refused(const Caller& sender, base::Error error);  // counted

  // Revisions (revisions.cpp).
  struct Revision;
  // The review at this offset wants changes: its task is ordered anew where the workspace has the server do that (R12).
  void revise(base::WorkspaceNumber workspace, base::Offset review);
  base::Result<> read_revision(base::WorkspaceNumber workspace, base::Offset review, const profile::Ruleset& rules,
                               const engine::Context& now, Revision& revision);

  Core& core_;
  Refusals refusals_;
  Batch one_;                  // message, sent by itself
  json::Parser other_parser_;  // for comparing contents
};

}  // namespace parley::broker
