#include "engine/messages/id_index.hpp"

#include <gtest/gtest.h>

#include <map>

namespace parley::engine {
namespace {

using base::Offset;

// R8: what is kept of keys may be the same of several; whoever has the messages tells them apart.
TEST(IdIndex, KeysThatLookAlikeAreToldApart) {
  std::map<std::uint64_t, IdKey> keys;  // by offset, some beyond 32 bits
  IdIndex index;
  for (std::uint8_t i = 0; i < 40; ++i) {
    IdKey key{};
    key.back() = i;
    const std::uint64_t offset = std::uint64_t{i} << 30 | 1;
    keys[offset] = key;
    index.insert(key, Offset(offset));
  }
  const auto found = [&](const IdKey& key) {
    return index.find(key, [&](Offset offset) { return keys.at(offset.value) == key; });
  };
  EXPECT_EQ(index.size(), keys.size());
  for (const auto& [offset, key] : keys) EXPECT_EQ(found(key), Offset(offset));

  const auto [offset, key] = *keys.begin();
  index.erase(key, Offset(offset));
  EXPECT_EQ(index.size(), keys.size() - 1);
  keys.erase(offset);
  EXPECT_FALSE(found(key));
  for (const auto& [other, of_other] : keys) EXPECT_EQ(found(of_other), Offset(other));
}

}  // namespace
}  // namespace parley::engine
