// Where a block is stored: within the call, or beside the loop, which goes on reading, validating and deciding
// meanwhile; in the simulator at later moments that the seed chose. An outcome is taken once, and the first failed
// write or sync is the last one (D3): nobody here tries again.
#pragma once
#include <functional>
#include <memory>
#include <optional>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace parley::journal::file {

// What is to be stored: written once, then synced once. Called by whatever thread, one after the other.
class Storing {
 public:
  virtual ~Storing() = default;
  virtual base::Result<> write() = 0;
  virtual base::Result<> sync() = 0;

  base::Result<> run() {
    PARLEY_CHECK(write());
    return sync();
  }
};

class Syncer {
 public:
  virtual ~Syncer() = default;
  // One at a time: the next begins after the last one's outcome was taken. Until then what is stored stays as it is.
  virtual void begin(Storing& what, std::uint64_t bytes) = 0;  // of so many bytes
  virtual std::optional<base::Result<>> outcome() = 0;         // nothing while it is under way
  virtual base::Result<> wait() = 0;                           // for the outcome
};

// Within begin(), on the caller's thread.
class InlineSyncer final : public Syncer {
 public:
  void begin(Storing& what, std::uint64_t bytes) override;
  std::optional<base::Result<>> outcome() override;
  base::Result<> wait() override;

 private:
  std::optional<base::Result<>> outcome_;
};

// On a thread of its own where that is worth the hand-over: the block is large, and the loop has more to do. Otherwise
// within begin(): while the loop stands still, input gathers, and a fuller turn costs less (decision 5). Resource type
// of the loop.
class BesideSyncer final : public Syncer {
 public:
  struct Setup {
    base::Clock* clock = nullptr;
    std::function<bool()> loop_has_more;  // asked in begin()
    std::uint64_t bytes_min = 128 << 10;  // of a large block
    std::function<void()> wake;           // any thread: an outcome is there to be taken
    // What lasts longer is waited for in outcome(): the loop then stands still as whoever watches it expects.
    base::Duration patience = std::chrono::milliseconds(100);
  };
  explicit BesideSyncer(Setup setup);
  ~BesideSyncer() override;

  void begin(Storing& what, std::uint64_t bytes) override;
  std::optional<base::Result<>> outcome() override;
  base::Result<> wait() override;

  base::Duration last_took() const;  // the last one that ended

 private:
  struct Thread;
  Setup setup_;
  std::optional<base::Result<>> here_;  // of what was stored within begin()
  base::Duration began_{};
  base::Duration took_{};
  std::unique_ptr<Thread> thread_;  // once it was needed
};

}  // namespace parley::journal::file
