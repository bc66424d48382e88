// Bytes on their way to one peer, in pieces: small ones are copied together, large ones are moved in or shared, so
// that a message's bytes are copied at most once before the kernel takes them.
// Value type (moves only); an idle one holds no memory.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parley::net::wire {

class Output {
 public:
  using Shared = std::shared_ptr<const std::string>;

  Output() = default;
  Output(Output&&) = default;
  Output& operator=(Output&&) = default;

  void append(std::string_view bytes);  // copied
  void append(std::string&& bytes);     // kept as it is where it is large
  void append(const Shared& bytes);     // one payload, many recipients

  // The first pieces in order, for one gathered write; views are good until the next append or consume.
  std::size_t gather(std::span<std::string_view> into) const;
  void consume(std::size_t bytes);  // they were written

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::string text() const;  // all of it, copied: for short answers, and tests

 private:
  struct Piece {
    std::string own;
    Shared shared;  // in place of `own`
    bool open;      // small bytes may still be added to `own`
    std::string_view view() const { return shared ? std::string_view(*shared) : std::string_view(own); }
  };

  void release_written();

  std::vector<Piece> pieces_;
  std::size_t first_ = 0;    // pieces before it are written
  std::size_t written_ = 0;  // bytes of pieces_[first_] that are written
  std::size_t size_ = 0;
};

}  // namespace parley::net::wire
