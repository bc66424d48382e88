// Storing beside the loop as the simulator has it: on one thread, by the seed. A block is written and synced within
// begin() or some looks at its outcome later, and is told of then or later still: so the end of the power or of the
// process meets blocks that are not written, written and not synced, and synced and not told of. Resource type.
#pragma once
#include <utility>

#include "journal/file/syncer.hpp"
#include "sim/dice.hpp"

namespace parley::sim {

class LateSyncer final : public journal::file::Syncer {
 public:
  // One block in `once_in` is late, none with 0. `early`: the planted fault of outcomes that come before their sync.
  LateSyncer(Dice dice, std::uint64_t once_in, bool early) : dice_(dice), once_in_(once_in), early_(early) {}

  // While the server starts nothing else is to be done, and no block is late.
  void started() { started_ = true; }

  void begin(journal::file::Storing& what, std::uint64_t) override {
    if (what_ != nullptr) sync();  // only with the planted fault
    result_.reset();
    what_ = &what;
    const bool late = started_ && once_in_ != 0 && dice_.one_in(once_in_);
    looks_until_written_ = late && !early_ ? dice_.below(4) : 0;
    looks_until_synced_ = late ? dice_.below(6) : 0;
    looks_until_told_ = late ? dice_.below(4) : 0;
    if (looks_until_written_ == 0) write();
    if (what_ != nullptr && looks_until_written_ + looks_until_synced_ == 0) sync();
  }

  std::optional<base::Result<>> outcome() override {
    if (what_ != nullptr && early_) return base::Result<>();
    if (what_ != nullptr) {
      if (looks_until_written_ > 0) {
        if (--looks_until_written_ == 0) write();
      } else if (looks_until_synced_ == 0 || --looks_until_synced_ == 0) {
        sync();
      }
      return std::nullopt;
    }
    if (looks_until_told_ > 0) {
      --looks_until_told_;
      return std::nullopt;
    }
    return std::exchange(result_, std::nullopt);
  }

  base::Result<> wait() override {
    if (what_ != nullptr && looks_until_written_ > 0) write();
    if (what_ != nullptr) sync();
    return *std::exchange(result_, std::nullopt);
  }

  bool unsynced() const { return what_ != nullptr; }
  bool under_way() const { return what_ != nullptr || result_.has_value(); }
  bool failed() const { return failed_; }

  // The process is gone: what was not synced is not, and nobody hears of it.
  void die() {
    what_ = nullptr;
    result_ = base::Result<>();
  }

 private:
  void write() {
    if (auto written = what_->write(); !written) end(std::move(written));
  }
  void sync() { end(what_->sync()); }
  void end(base::Result<> result) {
    what_ = nullptr;
    failed_ = failed_ || !result;
    result_ = std::move(result);
  }

  Dice dice_;
  const std::uint64_t once_in_;
  const bool early_;
  bool started_ = false;
  journal::file::Storing* what_ = nullptr;  // to be stored
  std::uint64_t looks_until_written_ = 0;
  std::uint64_t looks_until_synced_ = 0;
  std::uint64_t looks_until_told_ = 0;
  std::optional<base::Result<>> result_;  // to be told
  bool failed_ = false;
};

}  // namespace parley::sim
