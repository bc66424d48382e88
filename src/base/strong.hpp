// Numbers and names that cannot be swapped for one another: Strong<struct OffsetTag, uint64_t>.
#pragma once
#include <compare>
#include <functional>

namespace parley::base {

template <class Tag, class T>
struct Strong {
  T value{};

  constexpr Strong() = default;
  constexpr explicit Strong(T v) : value(v) {}
  friend constexpr auto operator<=>(const Strong&, const Strong&) = default;
};

}  // namespace parley::base

template <class Tag, class T>
struct std::hash<parley::base::Strong<Tag, T>> {
  std::size_t operator()(const parley::base::Strong<Tag, T>& id) const noexcept { return std::hash<T>{}(id.value); }
};
