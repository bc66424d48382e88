#include "engine/messages/id_index.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

namespace parley::engine {
namespace {

using base::Offset;

// R8: what stands for keys may be the same for several; whoever has the messages tells them apart.
TEST(IdIndex, KeysThatLookAlikeAreToldApart) {
  std::map<std::uint64_t, IdKey> keys;  // by offset, most beyond 32 bits
  IdIndex index;
  for (std::uint32_t i = 0; i < 200'000; ++i) {  // of one table: four pairs or so with the same mark
    IdKey key{};
    std::memcpy(key.data() + 4, &i, sizeof i);
    const std::uint64_t offset = std::uint64_t{i} << 30 | 1;
    keys[offset] = key;
    index.insert(key, Offset(offset));
  }
  const auto found = [&](const IdKey& key) {
    return index.find(key, [&](Offset offset) { return keys.at(offset.value) == key; });
  };
  EXPECT_EQ(index.size(), keys.size());
  for (const auto& [offset, key] : keys) ASSERT_EQ(found(key), Offset(offset));

  const auto [offset, key] = *keys.begin();
  index.erase(key, Offset(offset));
  EXPECT_EQ(index.size(), keys.size() - 1);
  keys.erase(offset);
  EXPECT_FALSE(found(key));
  for (const auto& [other, of_other] : keys) ASSERT_EQ(found(of_other), Offset(other));
}

}  // namespace
}  // namespace parley::engine
