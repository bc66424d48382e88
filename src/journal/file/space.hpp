// Segments made ready ahead of time: space reserved, filled with zeros where many syncs gain by them, synced, and
// listed in a synced folder, so that on the loop a roll needs no folder operation and a write in ready space cannot
// meet a full disk. One is made at a time, in the order of generations: a gap between segments can never arise.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/file.hpp"
#include "journal/file/format.hpp"
#include "journal/file/worker.hpp"

namespace parley::journal::file {

enum class Fill : std::uint8_t {
  zeros,  // a sync into it costs less, but each byte is written twice
  none,   // the space is only reserved
};

// Makes the segment's file ready, whatever half-made form it is in, and opens it. Holds nothing worth keeping before.
base::Result<std::unique_ptr<base::File>> prepare_segment(base::FileSystem& files, const std::string& folder,
                                                          Generation generation, std::uint64_t bytes, Fill fill);

struct ReadySegment {
  Generation generation;
  std::unique_ptr<base::File> file;
};

// Resource type of the loop; the work itself runs on the worker.
class Space {
 public:
  enum class State : std::uint8_t {
    idle,  // none is being made
    making,
    refused,  // no space, or no descriptor or memory, as error() says; retry() tries again
    failed,   // a write or sync failed: the journal must stop
  };

  Space(base::FileSystem& files, std::string folder, std::uint64_t segment_bytes, std::size_t ahead, Worker& worker)
      : files_(files), folder_(std::move(folder)), segment_bytes_(segment_bytes), ahead_(ahead), worker_(worker) {}
  ~Space() { worker_.finish(); }

  void add(ReadySegment segment) { ready_.push_back(std::move(segment)); }  // found at the start, in order
  void continue_after(Generation newest) { newest_ = newest; }
  // Takes in what the worker has made and orders what is missing.
  void refill(Fill fill);
  void retry() { retry_ = true; }

  // The next segment, waiting for one that is being made; nothing if there is none to wait for.
  std::optional<ReadySegment> take(Fill fill);

  State state() const { return state_; }
  std::size_t ready() const { return ready_.size(); }
  const base::Error& error() const { return error_; }

 private:
  struct Made {
    std::mutex mutex;
    std::optional<base::Result<std::unique_ptr<base::File>>> file;
  };

  void collect();
  void order(Fill fill);

  base::FileSystem& files_;
  const std::string folder_;
  const std::uint64_t segment_bytes_;
  const std::size_t ahead_;
  Worker& worker_;

  std::deque<ReadySegment> ready_;
  Generation newest_;  // made or being made
  std::shared_ptr<Made> made_ = std::make_shared<Made>();
  State state_ = State::idle;
  bool retry_ = false;
  base::Error error_;
};

}  // namespace parley::journal::file
