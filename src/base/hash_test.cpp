#include "base/hash.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace parley::base {
namespace {

TEST(Hash, MatchesThePublishedVectors) {
  EXPECT_EQ(to_hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);  // RFC 3720 §B.4's polynomial
  EXPECT_EQ(crc32c("56789", crc32c("1234")), crc32c("123456789"));
}

// Long texts are read in stripes, short ones word by word.
TEST(Hash, AChecksumIsThatOfItsPieces) {
  std::string text;
  for (std::uint32_t i = 0; text.size() < 5'000; ++i) text += static_cast<char>(i * i >> 3);
  for (std::size_t length = 0; length <= text.size(); length += 61) {
    const std::string_view whole = std::string_view(text).substr(text.size() - length);
    std::uint32_t bytewise = 0;
    for (const char& byte : whole) bytewise = crc32c({&byte, 1}, bytewise);
    ASSERT_EQ(crc32c(whole), bytewise) << length;
  }
}

// Of any lengths, alone and side by side, on both sides of where a text's end takes one more block.
TEST(Hash, ManyTogetherAreHashedAsEachAlone) {
  std::string bytes;
  for (std::uint32_t i = 0; bytes.size() < 4'000; ++i) bytes += static_cast<char>(i * i >> 3);
  for (std::size_t length = 0; length < 200; ++length) {
    std::vector<std::string_view> texts;
    for (std::size_t i = 0; i < 40; ++i) texts.push_back(std::string_view(bytes).substr(i, length + i % 5));
    if (length % 3 == 0) texts[length % texts.size()] = bytes;
    std::vector<Digest> digests(texts.size());
    sha256_each(texts, digests);
    for (std::size_t i = 0; i < texts.size(); ++i) ASSERT_EQ(digests[i], sha256(texts[i])) << length << ' ' << i;
  }
}

TEST(Hash, PiecesGiveTheHashOfTheWhole) {
  Sha256 hasher;
  EXPECT_EQ(hasher.add("a").add("bc").finish(), sha256("abc"));
  EXPECT_EQ(hasher.add("abc").finish(), sha256("abc"));
  Digest digest;
  ASSERT_TRUE(from_hex(to_hex(sha256("abc")), digest));
  EXPECT_EQ(digest, sha256("abc"));
  EXPECT_FALSE(from_hex("zz", digest));
}

}  // namespace
}  // namespace parley::base
