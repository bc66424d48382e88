#include "journal/file/space.hpp"

#include <algorithm>
#include <utility>

namespace parley::journal::file {
namespace {

// Left to the rest of the machine, and to the folder's own blocks, when a segment is asked for again.
constexpr std::uint64_t free_margin_bytes = 1 << 20;

// The system refused before anything was written: no space, no descriptor, no memory.
bool can_be_tried_again(const base::Error& error) {
  return error.code == base::ErrorCode::STORAGE_FULL || error.code == base::ErrorCode::OVERLOADED;
}

base::Result<std::unique_ptr<base::File>> open_or_create(base::FileSystem& files, const std::string& path) {
  auto made = files.open(path, base::OpenMode::create_new);
  if (made) return made;
  auto there = files.open(path, base::OpenMode::read_write);
  return there || can_be_tried_again(there.error()) ? std::move(there) : std::move(made);
}

}  // namespace

base::Result<std::unique_ptr<base::File>> prepare_segment(base::FileSystem& files, const std::string& folder,
                                                          Generation generation, std::uint64_t bytes, Fill fill) {
  PARLEY_TRY(auto file, open_or_create(files, folder + "/" + segment_name(generation)));
  PARLEY_CHECK(file->truncate(0));
  if (auto allocated = file->allocate(bytes); !allocated) {
    (void)file->truncate(0);  // gives back what was reserved of it; the error that counts is the first
    return std::unexpected(std::move(allocated).error());
  }
  if (fill == Fill::zeros) PARLEY_CHECK(file->write_zeros(0, bytes));
  PARLEY_CHECK(file->sync_data());
  PARLEY_CHECK(files.sync_folder(folder));
  return file;
}

void Space::refill(Fill fill) {
  collect();
  if (state_ == State::failed || state_ == State::making) return;
  if (ready_.size() >= ahead_) {
    state_ = State::idle;
    return;
  }
  if (state_ == State::refused) {
    if (!std::exchange(retry_, false)) return;
    const auto free = files_.free_space(folder_);
    if (!free || *free < segment_bytes_ + free_margin_bytes) return;
  }
  order(fill);
  collect();  // an inline worker is done by now
}

std::optional<ReadySegment> Space::take(Fill fill) {
  refill(fill);
  if (ready_.empty() && state_ == State::making) {
    worker_.finish();
    collect();
  }
  if (ready_.empty()) return std::nullopt;
  ReadySegment segment = std::move(ready_.front());
  ready_.pop_front();
  return segment;
}

void Space::collect() {
  if (state_ != State::making) return;
  std::optional<base::Result<std::unique_ptr<base::File>>> result;
  {
    const std::scoped_lock lock(made_->mutex);
    result.swap(made_->file);
  }
  if (!result) return;
  if (*result) {
    ready_.push_back({newest_, std::move(**result)});
    state_ = State::idle;
    return;
  }
  newest_ = Generation(newest_.value - 1);
  error_ = std::move(*result).error();
  state_ = can_be_tried_again(error_) ? State::refused : State::failed;
}

void Space::order(Fill fill) {
  newest_ = Generation(newest_.value + 1);
  state_ = State::making;
  worker_.give([&files = files_, folder = folder_, generation = newest_, bytes = segment_bytes_, fill, made = made_] {
    auto file = prepare_segment(files, folder, generation, bytes, fill);
    const std::scoped_lock lock(made->mutex);
    made->file = std::move(file);
  });
}

}  // namespace parley::journal::file
