// What became of a delivery that its agent settles.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace parley::envelope {

enum class Settled : std::uint8_t { done, already, superseded, unknown };
inline constexpr std::array<std::string_view, 4> settled_names{"done", "already", "superseded", "unknown"};

constexpr std::string_view name(Settled settled) {
  return settled_names[static_cast<std::size_t>(settled)];
}

}  // namespace parley::envelope
