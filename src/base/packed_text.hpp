// A short text that is set once and kept in great numbers: one pointer, and its bytes in one allocation.
#pragma once
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

namespace parley::base {

class PackedText {
 public:
  PackedText() = default;
  explicit PackedText(std::string_view text) : PackedText(text.size()) {
    if (!text.empty()) std::memcpy(data(), text.data(), text.size());
  }
  // To be written to data().
  explicit PackedText(std::size_t length) {
    if (length == 0) return;
    const auto size = static_cast<std::uint32_t>(length);
    bytes_ = std::make_unique_for_overwrite<char[]>(sizeof size + size);
    std::memcpy(bytes_.get(), &size, sizeof size);
  }

  std::string_view view() const {
    if (!bytes_) return {};
    std::uint32_t size = 0;
    std::memcpy(&size, bytes_.get(), sizeof size);
    return {bytes_.get() + sizeof size, size};
  }
  char* data() { return bytes_ ? bytes_.get() + sizeof(std::uint32_t) : nullptr; }

 private:
  std::unique_ptr<char[]> bytes_;
};

}  // namespace parley::base
