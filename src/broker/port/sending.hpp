// Messages on their way in, and what is said of each.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "json/value.hpp"

namespace parley::broker {

// A native message as it came, and parsed.
struct Native {
  std::string_view bytes;
  json::Value value;
};

// Messages of one sender on their way in. Ingress judges each by itself, which takes most of the time and needs nothing
// the broker knows but how the sender is registered: so it may be done ahead, by another thread. Filled again and
// again, its memory is kept. Resource type; bytes and values added must stay until the messages are sent.
class Batch {
 public:
  Batch();
  ~Batch();

  void add(const Native& message);  // after Messages::begin, which empties it
  std::size_t size() const;
  // Judges all of them under what held at begin(). Any thread, before the first is sent; or never: sending does it
  // then.
  void prepare();
  void let_go();  // of the messages; the memory for the next ones stays

  struct State;
  State& state() { return *state_; }  // the broker's

 private:
  std::unique_ptr<State> state_;
};

// What a sender says of a message beside it (R4).
struct SendOptions {
  std::string_view supersedes = {};  // id of an earlier message of its own, in whose place this one stands (BEY-03)
  std::string_view to = {};          // of that one's recipients, where its id alone does not say which it is (R7)
  std::optional<base::Instant> reply_by = {};  // unmet, it bounces (BEY-01)
  std::string_view evidence = {};              // what a runner signed (BEY-05); empty: nothing
  // Where it may reach many and comes in no turn that Gate::in_later_turn gave, nothing is done but to say so: those
  // who read what others send are not kept from it (D11).
  bool may_want_turn = false;
};

struct Sent {
  std::string message_id;
  base::Offset offset;
  bool duplicate = false;
  std::vector<base::Problem> warnings;
  bool wants_turn = false;  // it was not sent: it may reach many
};

}  // namespace parley::broker
