// A short text that is set once and kept in great numbers: one pointer, and its bytes in one allocation.
#pragma once
#include <cstddef>
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

// Several of them likewise, in order: how many, where each ends, and then their bytes.
class PackedTexts {
 public:
  class Iterator {
   public:
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    Iterator(const PackedTexts& texts, std::uint32_t at) : texts_(&texts), at_(at) {}
    std::string_view operator*() const { return texts_->at(at_); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return {*texts_, at_++}; }
    bool operator==(const Iterator&) const = default;

   private:
    const PackedTexts* texts_ = nullptr;
    std::uint32_t at_ = 0;
  };

  PackedTexts() = default;
  template <class Texts>
  explicit PackedTexts(const Texts& texts) {
    std::uint32_t count = 0, bytes = 0;
    for (const auto& text : texts) {
      ++count;
      bytes += static_cast<std::uint32_t>(text.size());
    }
    if (count == 0) return;
    packed_ = PackedText((1 + count) * sizeof count + bytes);
    put(0, count);
    std::uint32_t i = 0, end = 0;
    for (const auto& text : texts) {
      std::memcpy(packed_.data() + (1 + count) * sizeof count + end, text.data(), text.size());
      put(++i, end += static_cast<std::uint32_t>(text.size()));
    }
  }

  std::uint32_t size() const { return packed_.view().empty() ? 0 : get(0); }
  bool empty() const { return size() == 0; }
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }
  std::string_view at(std::uint32_t i) const {
    const std::uint32_t begin = i == 0 ? 0 : get(i);
    return packed_.view().substr((1 + get(0)) * sizeof begin + begin, get(i + 1) - begin);
  }

 private:
  std::uint32_t get(std::uint32_t place) const {
    std::uint32_t number = 0;
    std::memcpy(&number, packed_.view().data() + place * sizeof number, sizeof number);
    return number;
  }
  void put(std::uint32_t place, std::uint32_t number) {
    std::memcpy(packed_.data() + place * sizeof number, &number, sizeof number);
  }

  PackedText packed_;
};

}  // namespace parley::base
