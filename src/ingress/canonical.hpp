// The canonical envelope out of a native message's places. Lenient messages come here too: what is not of the type it
// should be counts as not there, and a text that is empty or longer than any id may be is no id.
#pragma once
#include <cstddef>

#include "base/assert.hpp"
#include "ingress/check.hpp"
#include "profile/reading.hpp"

namespace parley::ingress {

// The values at the places of a type; valid as long as the message.
class Found {
 public:
  Found(const profile::Places& places, json::Value message) : size_(places.size()) {
    PARLEY_ASSERT(size_ <= profile::Places::max);
    std::uninitialized_default_construct_n(data(), size_);
    places.read(message, {data(), size_});
  }
  Found(const Found&) = delete;
  Found& operator=(const Found&) = delete;

  json::Value at(profile::Slot slot) const { return slot == profile::no_slot ? json::Value() : data()[slot]; }
  std::span<const json::Value> values() const { return {data(), size_}; }  // by slot

 private:
  json::Value* data() { return reinterpret_cast<json::Value*>(storage_); }
  const json::Value* data() const { return reinterpret_cast<const json::Value*>(storage_); }

  std::size_t size_;
  alignas(json::Value) std::byte storage_[profile::Places::max * sizeof(json::Value)];  // made as far as it is used
};

inline constexpr std::size_t id_bytes_max = 1024;  // 256 code points, the most a profile's schema may allow

// Every carried field is written into the event of its message: what is longer stays in the message alone.
inline constexpr std::size_t carried_bytes_max = 1024;
inline constexpr std::size_t carried_list_bytes_max = 8 * 1024;

// The text of an id; empty where the value is none.
std::string_view id_of(json::Value value);

// Sets all of the envelope but its content hash, by the type in `checked`; appends warnings.
void canonicalise(const Found& found, const profile::Ruleset& rules, const Options& options, Checked& checked);

}  // namespace parley::ingress
