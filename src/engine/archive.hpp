// The engine's state as bytes, for snapshots and for the state hash: one `archive` member per type serves both ways,
// so that saving and loading cannot drift apart. Own format, little-endian; ordered containers only, so that equal
// states give equal bytes (O8). A snapshot of another version is not read: the journal is replayed instead.
#pragma once
#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/packed_text.hpp"
#include "base/strong.hpp"

namespace parley::engine {

template <class Derived>
class Archive {
 public:
  template <class... T>
  void operator()(T&... values) {
    (one(values), ...);
  }

 private:
  Derived& self() { return static_cast<Derived&>(*this); }

  template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
  void one(T& value) {
    self().raw(&value, sizeof value);
  }
  template <class Tag, class T>
  void one(base::Strong<Tag, T>& id) {
    one(id.value);
  }
  template <class Clock, class D>
  void one(std::chrono::time_point<Clock, D>& at) {
    auto count = at.time_since_epoch().count();
    one(count);
    at = std::chrono::time_point<Clock, D>(D(count));
  }
  template <class Rep, class Period>
  void one(std::chrono::duration<Rep, Period>& duration) {
    auto count = duration.count();
    one(count);
    duration = std::chrono::duration<Rep, Period>(count);
  }
  void one(std::string& text) {
    std::size_t size = self().size(text.size());
    text.resize(size);
    self().raw(text.data(), size);
  }
  void one(base::PackedText& text) {
    const std::size_t size = self().size(text.view().size());
    if constexpr (Derived::loads) text = base::PackedText(size);
    self().raw(text.data(), size);
  }
  void one(base::PackedTexts& texts) {  // as a vector of strings
    if constexpr (Derived::loads) {
      std::vector<std::string> each;
      one(each);
      texts = base::PackedTexts(each);
    } else {
      self().size(texts.size());
      for (const std::string_view text : texts) {
        self().size(text.size());
        self().raw(const_cast<char*>(text.data()), text.size());
      }
    }
  }
  // Equal neighbours are written once, and shared again when they are read.
  void one(std::shared_ptr<const std::string>& text) {
    std::uint8_t kind = !text ? 0 : last_text_ && *last_text_ == *text ? 2 : 1;
    one(kind);
    if (kind == 1) {
      std::string bytes = text ? *text : std::string();
      one(bytes);
      text = last_text_ = std::make_shared<const std::string>(std::move(bytes));
    } else {
      text = kind == 0 ? nullptr : last_text_;
    }
  }
  template <class T, std::size_t n>
  void one(std::array<T, n>& values) {
    for (T& value : values) one(value);
  }
  template <class A, class B>
  void one(std::pair<A, B>& pair) {
    one(pair.first);
    one(pair.second);
  }
  template <class T>
  void one(std::optional<T>& value) {
    const bool there = self().size(value.has_value() ? 1 : 0) == 1;
    if (!there)
      value.reset();
    else if (!value)
      value.emplace();
    if (value) one(*value);
  }
  template <class T>
  void one(std::unique_ptr<T>& value) {
    if (!value) value = std::make_unique<T>();
    one(*value);
  }
  template <class T>
  void one(std::vector<T>& values) {
    sequence(values);
  }
  template <class T>
  void one(std::deque<T>& values) {
    sequence(values);
  }
  template <class T, std::size_t n>
  void one(absl::InlinedVector<T, n>& values) {
    sequence(values);
  }
  template <class K, class V, class Less>
  void one(absl::btree_map<K, V, Less>& map) {
    const std::size_t size = self().size(map.size());
    if constexpr (Derived::loads) {
      for (std::size_t i = 0; i < size && self().good(); ++i) {
        K key{};
        V value{};
        one(key);
        one(value);
        map.emplace_hint(map.end(), std::move(key), std::move(value));
      }
    } else {
      for (auto& [key, value] : map) {
        if (!self().good()) return;
        one(const_cast<K&>(key));
        one(value);
      }
    }
  }
  // In the order of its keys, whatever order it has them in.
  template <class K, class V, class Hash>
  void one(absl::flat_hash_map<K, V, Hash>& map) {
    const std::size_t size = self().size(map.size());
    if constexpr (Derived::loads) {
      for (std::size_t i = 0; i < size && self().good(); ++i) {
        K key{};
        one(key);
        one(map[key]);
      }
    } else {
      if (!self().good()) return;
      std::vector<K> keys;
      for (const auto& [key, value] : map) keys.push_back(key);
      std::sort(keys.begin(), keys.end());
      for (K& key : keys) {
        if (!self().good()) return;
        one(key);
        one(map.at(key));
      }
    }
  }
  template <class K>
  void one(absl::btree_set<K>& set) {
    const std::size_t size = self().size(set.size());
    if constexpr (Derived::loads) {
      for (std::size_t i = 0; i < size && self().good(); ++i) {
        K key{};
        one(key);
        set.insert(set.end(), std::move(key));
      }
    } else {
      for (const K& key : set) {
        if (!self().good()) return;
        one(const_cast<K&>(key));
      }
    }
  }
  template <class T>
    requires requires(T& value, Derived& archive) { value.archive(archive); }
  void one(T& value) {
    value.archive(self());
  }

  template <class Container>
  void sequence(Container& values) {
    const std::size_t size = self().size(values.size());
    if constexpr (Derived::loads) {
      values.clear();
      for (std::size_t i = 0; i < size && self().good(); ++i) one(values.emplace_back());
    } else {
      for (auto& value : values) {
        if (!self().good()) return;
        one(value);
      }
    }
  }

  std::shared_ptr<const std::string> last_text_;
};

class Saver : public Archive<Saver> {
 public:
  static constexpr bool loads = false;
  explicit Saver(const std::function<bool(std::string_view)>& take) : take_(take) {}

  bool good() const { return good_; }  // else nobody takes any more

  void raw(const void* data, std::size_t count) {
    piece_.append(static_cast<const char*>(data), count);
    if (piece_.size() >= piece_bytes) flush();
  }
  void flush() {
    good_ = good_ && take_(piece_);
    piece_.clear();
  }
  std::size_t size(std::size_t count) {
    const auto narrow = static_cast<std::uint64_t>(count);
    raw(&narrow, sizeof narrow);
    return count;
  }

 private:
  static constexpr std::size_t piece_bytes = 1 << 20;

  const std::function<bool(std::string_view)>& take_;
  std::string piece_;
  bool good_ = true;
};

class Loader : public Archive<Loader> {
 public:
  static constexpr bool loads = true;
  // Of so many bytes in all, which `next` gives piece by piece, and then an empty one.
  Loader(const std::function<std::string_view()>& next, std::uint64_t bytes) : next_(next), to_come_(bytes) {}

  bool good() const { return good_; }
  bool complete() { return good_ && piece_.empty() && to_come_ == 0 && next_().empty(); }

  void raw(void* data, std::size_t count) {
    if (count == 0) return;  // an empty text's data is null, which memcpy may not be given
    if (count > piece_.size()) return raw_of_several(static_cast<char*>(data), count);
    std::memcpy(data, piece_.data(), count);
    piece_.remove_prefix(count);
  }
  std::size_t size(std::size_t) {
    std::uint64_t count = 0;
    raw(&count, sizeof count);
    if (count > piece_.size() + to_come_ && count > 1) good_ = false;  // every element takes at least a byte
    return good_ ? static_cast<std::size_t>(count) : 0;
  }

 private:
  void raw_of_several(char* to, std::size_t count) {
    while (count > 0 && (!piece_.empty() || refill())) {
      const std::size_t part = std::min(count, piece_.size());
      std::memcpy(to, piece_.data(), part);
      piece_.remove_prefix(part);
      to += part;
      count -= part;
    }
  }
  bool refill() {
    piece_ = good_ ? next_() : std::string_view();
    good_ = !piece_.empty() && piece_.size() <= to_come_;
    if (!good_) piece_ = {};
    to_come_ -= piece_.size();
    return good_;
  }

  const std::function<std::string_view()>& next_;
  std::uint64_t to_come_;  // behind this piece
  std::string_view piece_;
  bool good_ = true;
};

}  // namespace parley::engine
