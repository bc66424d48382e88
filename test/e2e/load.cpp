#include "load.hpp"

#include "receivers.hpp"
#include "senders.hpp"

namespace parley::e2e {

void Town::server_up(const std::string& url) {
  const std::scoped_lock lock(mutex_);
  url_ = url;
  through_ = 0;
  life_ = ++lives_;
  up_ = true;
  changed_.notify_all();
}

void Town::server_down() {
  const std::scoped_lock lock(mutex_);
  up_ = false;
  life_ = 0;
}

void Town::stop() {
  const std::scoped_lock lock(mutex_);
  stopping_ = true;
  changed_.notify_all();
}

std::optional<Town::Life> Town::life() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return up_ || stopping_; });
  if (stopping_) return std::nullopt;
  return Life{life_, url_};
}

void Town::got_through(std::uint32_t life) {
  if (life_ == life) ++through_;
}

Load::Load(Town& town, Ledger& ledger, const LoadOptions& options) : town_(town) {
  std::uint64_t seed = options.seed * 1000;
  std::uint64_t numbers = 0;  // each sender has a range of its own
  const auto sends = [&](void (*how)(Sender&), std::size_t role) {
    threads_.emplace_back([&town, &ledger, options, how, role, seed = ++seed, first = ++numbers << 32] {
      Sender sender(town, ledger, options, cast()[role], seed, first);
      how(sender);
    });
  };
  sends(send_by_stream, 0);
  sends(send_by_stream, 1);
  sends(send_one_by_one, 2);
  sends(send_by_stream, 4);
  sends(send_by_stream, 5);
  sends(send_in_batches, 6);
  sends(send_by_stream, 8);
  sends(send_in_batches, 9);

  const auto receives = [&](void (*how)(Receiver&), std::string workspace, std::vector<std::string> agents) {
    threads_.emplace_back([&town, &ledger, options, how, workspace, agents, seed = ++seed] {
      Receiver receiver{town, ledger, options, workspace, agents, std::mt19937_64(seed)};
      how(receiver);
    });
  };
  receives(receive_by_stream, "collab", {"developer-01"});
  receives(receive_by_take, "handoff", {"dispatcher"});
  receives(receive_by_stream, "mesh", {"reader-stream"});
  receives(receive_in_competition, "mesh", {"reader-shared"});
  receives(receive_in_competition, "mesh", {"reader-shared"});
  receives(receive_by_take, "mesh", {"writer-1", "writer-2"});
}

Load::~Load() {
  town_.stop();
}

}  // namespace parley::e2e
