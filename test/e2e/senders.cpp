#include "senders.hpp"

#include "base/error.hpp"
#include "sdk/cpp/client.hpp"
#include "sdk/cpp/error_text.hpp"
#include "sdk/cpp/stream.hpp"
#include "server_process.hpp"

namespace parley::e2e {
namespace {

using Why = Sender::Outgoing::Why;

constexpr std::size_t stream_batch = 24;
constexpr std::size_t stream_window = 4;  // batches without an answer
constexpr std::size_t http_batch = 16;

std::string_view code_of(const base::Error& error) {
  return base::info(error.code).name;
}

base::Result<sdk::Sent> read_result(json::Value result) {
  if (const auto error = result.find("error")) {
    const auto code = sdk::code_named(error.find("code").if_string().value_or(""));
    return base::fail(code.value_or(base::ErrorCode::INTERNAL),
                      std::string(error.find("message").if_string().value_or("")));
  }
  return sdk::Sent{std::string(result.find("message_id").if_string().value_or("")),
                   result.find("offset").if_uint().value_or(0),
                   result.find("status").if_string() == "duplicate",
                   {}};
}

// The batches of one connection that have no answer yet, by frame.
using InFlight = std::deque<std::pair<std::uint64_t, Sender::Batch>>;

void take_answer(Sender& sender, InFlight& in_flight, const sdk::Frame& frame) {
  if (in_flight.empty() || in_flight.front().first != frame.re)
    return sender.ledger.wrong("an answer to frame " + std::to_string(frame.re) + " comes out of order");
  Sender::Batch batch = std::move(in_flight.front().second);
  in_flight.pop_front();
  if (!frame.error && frame.results.size() != batch.size())
    return sender.ledger.wrong("a batch has another number of results than messages");
  std::size_t i = 0;
  if (frame.error) {
    for (auto& outgoing : batch) sender.settle(std::move(outgoing), std::unexpected(*frame.error));
  } else {
    for (const json::Value result : frame.results.elements()) sender.settle(std::move(batch[i++]), read_result(result));
  }
}

void send_in_one_session(Sender& sender, const Town::Life& life, sdk::Stream& stream, InFlight& in_flight) {
  bool through = false;
  while (!sender.town.over(life)) {
    bool idle = true;
    while (in_flight.size() < stream_window) {
      Sender::Batch batch = sender.next_batch(stream_batch);
      if (batch.empty()) break;
      std::vector<std::string_view> natives;
      for (const auto& outgoing : batch) natives.push_back(outgoing.bytes());
      const std::uint64_t frame = stream.send(natives);
      in_flight.emplace_back(frame, std::move(batch));
      idle = false;
    }
    sender.note_unsure(!in_flight.empty());
    const auto frame = stream.next(idle && in_flight.empty() ? Milliseconds(3) : Milliseconds(20));
    if (!frame) return;
    if (frame->kind != sdk::Frame::Kind::result) continue;
    take_answer(sender, in_flight, *frame);
    if (!std::exchange(through, true)) sender.town.got_through(life.number);
  }
}

std::string token_of(const Sender& sender) {
  return sender.town.tokens.at(sender.role.workspace + "/" + sender.role.agent_id);
}

template <class Send>
void send_by_http(Sender& sender, std::size_t batch_size, const Send& send) {
  while (const auto life = sender.town.life()) {
    sdk::Client client({life->url, token_of(sender), {}, {}});
    sdk::Workspace workspace(client, sender.role.workspace);
    bool through = false;
    while (!sender.town.over(*life)) {
      Sender::Batch batch = sender.next_batch(batch_size);
      sender.note_unsure(!batch.empty());
      if (batch.empty()) {
        std::this_thread::sleep_for(Milliseconds(2));
        continue;
      }
      if (!send(workspace, batch)) {
        sender.answer_lost(std::move(batch));
        std::this_thread::sleep_for(Milliseconds(2));
      } else if (!std::exchange(through, true)) {
        sender.town.got_through(life->number);
      }
    }
  }
}

}  // namespace

Sender::~Sender() {
  note_unsure(false);
}

Sender::Batch Sender::next_batch(std::size_t size) {
  Batch batch;
  while (batch.size() < size && !unanswered_.empty()) {
    batch.push_back(std::move(unanswered_.front()));
    unanswered_.pop_front();
  }
  if (std::exchange(overloaded_, false)) std::this_thread::sleep_for(Milliseconds(20));
  if (!batch.empty() || town.draining() || ledger.outstanding() > options_.outstanding_max) return batch;
  while (batch.size() < size) {
    if (random_() % 32 == 0) add_repetition(batch);
    Message message = make_message(role, next_number_++, random_);
    ledger.plan(message);
    if (options_.planted == Planted::early_answers) ledger.believed(message.number);
    batch.push_back({std::move(message)});
  }
  return batch;
}

// reliability D1: what was accepted long ago comes again, with the same content or with another.
void Sender::add_repetition(Batch& batch) {
  if (accepted_.empty()) return;
  const Message& message = accepted_[random_() % accepted_.size()];
  if (random_() % 4 == 0)
    batch.push_back({message, Why::conflict, altered(message)});
  else
    batch.push_back({message, Why::again});
}

void Sender::settle(Outgoing&& outgoing, const base::Result<sdk::Sent>& outcome) {
  const std::uint64_t number = outgoing.message.number;
  using enum base::ErrorCode;
  if (!outcome && (outcome.error().code == OVERLOADED || outcome.error().code == SHUTTING_DOWN)) {
    ledger.refused(number, code_of(outcome.error()));
    overloaded_ = true;
    if (outgoing.why == Why::fresh || outgoing.why == Why::unknown) unanswered_.push_back(std::move(outgoing));
    return;
  }
  if (outgoing.why == Why::conflict)
    return ledger.conflict_answered(number, outcome ? std::nullopt : std::optional(code_of(outcome.error())));
  if (!outcome) return ledger.refused(number, std::string(code_of(outcome.error())) + " " + outcome.error().message);
  ledger.answered(number, outcome->offset, outcome->duplicate, outgoing.why == Why::unknown);
  if (outgoing.why != Why::fresh || random_() % 8 != 0) return;
  accepted_.push_back(std::move(outgoing.message));
  if (accepted_.size() > 200) accepted_.pop_front();
}

void Sender::answer_lost(Batch&& batch) {
  std::uint64_t unknown = 0;
  for (Outgoing& outgoing : batch) {
    if (outgoing.why == Why::again || outgoing.why == Why::conflict) continue;
    if (options_.planted == Planted::early_answers) continue;
    if (outgoing.why == Why::fresh) ++unknown;
    outgoing.why = Why::unknown;
    unanswered_.push_back(std::move(outgoing));
  }
  ledger.unknown_after_break(unknown);
  note_unsure(false);
}

void Sender::note_unsure(bool in_flight) {
  const bool unsure = in_flight || !unanswered_.empty();
  if (unsure != std::exchange(unsure_, unsure)) town.unsure_senders += unsure ? 1 : -1;
}

void send_by_stream(Sender& sender) {
  while (const auto life = sender.town.life()) {
    auto stream =
        sdk::Stream::open({life->url, token_of(sender), {}, {}}, sender.role.workspace, sender.role.agent_id, {});
    InFlight in_flight;
    if (stream) send_in_one_session(sender, *life, *stream, in_flight);
    for (auto& [frame, batch] : in_flight) sender.answer_lost(std::move(batch));
    std::this_thread::sleep_for(Milliseconds(2));
  }
}

void send_one_by_one(Sender& sender) {
  send_by_http(sender, 1, [&sender](sdk::Workspace& workspace, Sender::Batch& batch) {
    while (!batch.empty()) {
      const auto sent = workspace.send(batch.back().bytes());
      if (!sent && sent.error().code == base::ErrorCode::UNREACHABLE) return false;
      sender.settle(std::move(batch.back()), sent);
      batch.pop_back();
    }
    return true;
  });
}

void send_in_batches(Sender& sender) {
  send_by_http(sender, http_batch, [&sender](sdk::Workspace& workspace, Sender::Batch& batch) {
    std::string lines;
    for (const auto& outgoing : batch) lines.append(outgoing.bytes()).append("\n");
    const auto results = workspace.send_many(lines, true);
    if (!results && results.error().code == base::ErrorCode::UNREACHABLE) return false;
    if (results && results->size() != batch.size()) {
      sender.ledger.wrong("a batch has another number of results than messages");
      return true;
    }
    for (std::size_t i = 0; i < batch.size(); ++i)
      sender.settle(std::move(batch[i]), results ? (*results)[i] : std::unexpected(results.error()));
    return true;
  });
}

}  // namespace parley::e2e
