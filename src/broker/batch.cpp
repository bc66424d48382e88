// Judging messages alone: what takes the most time before a decision, and needs no state.
#include "broker/batch.hpp"

#include "engine/loops/govern.hpp"
#include "envelope/gist.hpp"

namespace parley::broker {
namespace {

// What a message is known again by (R7): its id, in some profiles with its recipient.
engine::IdKey id_key(const envelope::Envelope& envelope, const profile::Ruleset& ruleset,
                     std::string_view idempotency_key) {
  const std::string_view id = envelope.message_id.empty() ? idempotency_key : std::string_view(envelope.message_id);
  if (id.empty()) return {};
  if (ruleset.idempotency_key == profile::IdempotencyKey::message) return engine::id_key_of(id);
  std::string recipients = envelope.broadcast ? "*" : "";
  for (const std::string& recipient : envelope.recipients) recipients += recipient + '\n';
  return engine::id_key_of(id, recipients);
}

}  // namespace

void Incoming::prepare(const Terms& under, ingress::Options options) {
  terms = under;
  refusal.reset();
  gist.reset();
  options.validation = under.validation;
  if (auto done = ingress::check({native.bytes, native.value}, *under.ruleset, options, checked); !done)
    refusal = std::move(done).error();
  else
    id_key = broker::id_key(checked.envelope, *under.ruleset, options.idempotency_key);
}

// What the loop governor would make of each that counts.
void Batch::State::make_gists() {
  for (Incoming& one : std::span(messages).first(count))
    if (!one.refusal && !engine::never_loops(one.checked.envelope.kind))
      one.gist = envelope::gist_of(one.checked.envelope, one.native.value);
}

void Batch::State::hash_contents() {
  hashed.clear();
  for (Incoming& one : std::span(messages).first(count))
    if (!one.refusal) hashed.push_back({one.native.bytes, &one.checked.envelope.content_hash});
  base::sha256_each(hashed);
}

// The bytes of what may be accepted, one after the other, for a block to share. They were just read, so that to copy
// them costs less than it costs the loop later.
void Batch::State::lay_down() {
  const auto all = std::span(messages).first(count);
  std::size_t bytes = 0;
  for (const Incoming& one : all) bytes += one.refusal ? 0 : one.native.bytes.size();
  auto laid_down = std::make_shared_for_overwrite<char[]>(bytes);
  char* at = laid_down.get();
  for (Incoming& one : all) {
    if (one.refusal) continue;
    const std::size_t size = one.native.bytes.copy(at, std::string_view::npos);
    one.native.bytes = {at, size};
    at += size;
  }
  shared = {std::move(laid_down), bytes};
}

Batch::Batch() : state_(std::make_unique<State>()) {}
Batch::~Batch() = default;

std::size_t Batch::size() const {
  return state_->count;
}

void Batch::add(const Native& message) {
  if (state_->count == state_->messages.size()) state_->messages.emplace_back();
  Incoming& incoming = state_->messages[state_->count++];
  incoming.native = message;
  incoming.terms = {};
  incoming.took = {};
}

void Batch::let_go() {
  state_->count = 0;
  state_->shared = {};
}

void Batch::prepare() {
  State& state = *state_;
  if (!state.terms.ruleset || state.count == 0) return;
  const base::Duration began = state.clock->monotonic();
  std::size_t inflate_left = ingress::inflated_max;
  const ingress::Options options{state.sender, state.idempotency_key, state.now, {}, &inflate_left, true};
  for (std::size_t i = 0; i < state.count; ++i) state.messages[i].prepare(state.terms, options);
  if (state.has_heard) state.make_gists();
  state.hash_contents();
  state.lay_down();
  const base::Duration each = (state.clock->monotonic() - began) / static_cast<std::int64_t>(state.count);
  for (std::size_t i = 0; i < state.count; ++i) state.messages[i].took = each;
}

}  // namespace parley::broker
