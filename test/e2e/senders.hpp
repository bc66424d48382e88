// One sending agent: what it sends next, and what it is unsure of. Resource type, one thread.
#pragma once
#include <deque>
#include <random>
#include <vector>

#include "base/result.hpp"
#include "load.hpp"
#include "sdk/cpp/workspace.hpp"

namespace parley::e2e {

class Sender {
 public:
  // A message on its way. What is sent on purpose a second time is judged at once and not sent again after a break.
  struct Outgoing {
    Message message;
    enum class Why { fresh, unknown, again, conflict } why = Why::fresh;
    std::string conflicting{};  // the other content
    std::string_view bytes() const { return why == Why::conflict ? conflicting : message.native; }
  };
  using Batch = std::vector<Outgoing>;

  Sender(Town& the_town, Ledger& the_ledger, const LoadOptions& options, const AgentRole& its_role, std::uint64_t seed,
         std::uint64_t first_number)
      : town(the_town),
        ledger(the_ledger),
        role(its_role),
        options_(options),
        random_(seed),
        next_number_(first_number) {}
  ~Sender();

  Batch next_batch(std::size_t size);  // empty: nothing is to be sent now
  void settle(Outgoing&& outgoing, const base::Result<sdk::Sent>& outcome);
  void answer_lost(Batch&& batch);  // the connection broke
  void note_unsure(bool in_flight);

  Town& town;
  Ledger& ledger;
  const AgentRole& role;

 private:
  void add_repetition(Batch& batch);

  const LoadOptions options_;
  std::mt19937_64 random_;
  std::uint64_t next_number_;
  std::deque<Outgoing> unanswered_;
  std::deque<Message> accepted_;  // some of the newest
  bool unsure_ = false;
  bool overloaded_ = false;  // the server asked to wait
};

void send_by_stream(Sender& sender);
void send_one_by_one(Sender& sender);
void send_in_batches(Sender& sender);

}  // namespace parley::e2e
