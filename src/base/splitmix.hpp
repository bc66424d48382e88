// SplitMix64 (Steele, Lea, Flood 2014): numbers that look random from one seed, the same on every machine. No secrets.
#pragma once
#include <cstdint>

namespace parley::base {

// Its finaliser: near values become far ones.
constexpr std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
  return value ^ (value >> 31);
}

// The next number; `state` begins as the seed.
constexpr std::uint64_t next_mixed(std::uint64_t& state) {
  return mixed(state += 0x9E3779B97F4A7C15u);
}

}  // namespace parley::base
