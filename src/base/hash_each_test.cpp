#include "base/hash_each.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace parley::base {
namespace {

// As many as there are lanes, fewer, more, and of every length to some blocks; long ones go by themselves.
TEST(HashEach, GivesEachTextsOwnHash) {
  std::mt19937 random(7);
  for (std::size_t count = 0; count <= 70; ++count) {
    std::vector<std::string> texts(count);
    for (std::string& text : texts) {
      text.resize(random() % 8 == 0 ? random() % 20'000 : random() % 1'200);
      for (char& byte : text) byte = static_cast<char>(random());
    }
    std::vector<Digest> digests(count);
    std::vector<ToHash> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back({texts[i], &digests[i]});
    sha256_each(all);
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_EQ(digests[i], sha256(texts[i])) << count << " texts, of " << texts[i].size();
  }
}

TEST(HashEach, HashesEveryLengthAboutABlock) {
  const std::string text(300, 'x');
  std::vector<Digest> digests(text.size());
  std::vector<ToHash> all;
  all.push_back({{}, &digests[0]});
  for (std::size_t i = 1; i < digests.size(); ++i) all.push_back({std::string_view(text).substr(0, i), &digests[i]});
  sha256_each(all);
  for (std::size_t i = 0; i < digests.size(); ++i) ASSERT_EQ(digests[i], sha256(all[i].text)) << i;
}

}  // namespace
}  // namespace parley::base
