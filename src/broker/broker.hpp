// The broker: what its fronts call, around one core, and its turns. One thread (D8); knows no socket.
//
//   call ─► ingress ─► core: decide, apply, block      turn(): timers, offers, append + sync, gate
#pragma once
#include "broker/core.hpp"
#include "broker/delivery_calls.hpp"
#include "broker/message_calls.hpp"
#include "broker/port.hpp"
#include "broker/registry_calls.hpp"
#include "broker/work_calls.hpp"

namespace parley::broker {

class Broker final : public Gate {
 public:
  Broker(const Parts& parts, const Options& options) : core_(parts, options) {}

  // Reads what the journal has, then journals the start. Before anything else.
  base::Result<Recovery> start();
  // Journals that it stops in order. When all is settled(), as it is again once that is synced.
  base::Result<> stop();

  // Timers, offers, commit, releases. Called after each round of input, and when until_next_due() is over.
  // An error is the journal's failure: stop the process, answer nobody.
  base::Result<> turn();
  // Whether there is nothing for a turn to do before input, until_next_due() or an outcome of the journal.
  bool idle() const { return deliveries_.all_served() && core_.idle(); }
  // Whether moreover everything is durable, and told.
  bool settled() const { return idle() && !core_.syncing(); }
  // Whether what comes soon should join what was decided, if anything was: a turn then syncs both at once.
  bool gathers() const { return core_.gathers(); }
  bool has_decided() const { return !core_.block().empty(); }
  std::optional<base::Duration> until_next_due();  // from now

  const engine::Engine& engine() const { return core_.engine(); }
  const journal::Journal& journal() const { return core_.parts().journal; }
  const Counts& counts() const { return core_.counts(); }

  Port port() { return {*this, messages_, deliveries_, deliveries_, deliveries_, registry_, work_}; }
  std::optional<Caller> caller_of(std::string_view token) override;
  void after_sync(std::move_only_function<void()> then) override { core_.after_sync(std::move(then)); }
  bool turn_is_full() const override { return core_.turn_is_full(); }
  bool in_later_turn(const Caller& caller, std::size_t bytes, std::move_only_function<void()> go_on) override {
    return core_.later().add(caller, bytes, std::move(go_on));
  }
  Answer limits() const override;
  base::Result<> ready() const override;
  journal::Room room() const { return core_.room_for(message_room(), journal::Need::growth); }  // for a small message

 private:
  Core core_;
  MessageCalls messages_{core_};
  DeliveryCalls deliveries_{core_};
  RegistryCalls registry_{core_, deliveries_};
  WorkCalls work_{core_};
  base::Instant forgot_at_;
};

}  // namespace parley::broker
