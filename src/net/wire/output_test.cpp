#include "net/wire/output.hpp"

#include <gtest/gtest.h>

#include <array>

namespace parley::net::wire {
namespace {

TEST(Output, KeepsTheOrderOfSmallMovedAndSharedPieces) {
  Output output;
  const auto shared = std::make_shared<const std::string>(5000, 's');
  output.append(std::string_view("head "));
  output.append(std::string("small "));
  output.append(std::string(3000, 'm'));
  output.append(shared);
  output.append(std::string_view(" tail"));
  const std::string all = "head small " + std::string(3000, 'm') + *shared + " tail";
  EXPECT_EQ(output.text(), all);
  EXPECT_EQ(output.size(), all.size());

  std::array<std::string_view, 8> pieces;
  EXPECT_EQ(output.gather(pieces), 4u);
  EXPECT_EQ(pieces[2].data(), shared->data()) << "shared bytes are not copied";
}

TEST(Output, IsTheSameWhateverTheWritesTake) {
  for (const std::size_t step : {97u, 1000u, 4096u, 70000u}) {
    Output output;
    std::string expected;
    for (int i = 0; i < 300; ++i) {
      const std::string piece(static_cast<std::size_t>(i * 13 % 3001), static_cast<char>('a' + i % 26));
      expected += piece;
      if (i % 2 == 0)
        output.append(std::string_view(piece));
      else
        output.append(std::string(piece));
    }
    std::string written;
    std::array<std::string_view, 2> pieces;
    while (!output.empty()) {
      const std::size_t count = output.gather(pieces);
      std::string turn;
      for (std::size_t i = 0; i < count; ++i) turn += pieces[i];
      turn.resize(std::min(step, turn.size()));
      written += turn;
      output.consume(turn.size());
    }
    ASSERT_EQ(written, expected) << "step " << step;
  }
}

}  // namespace
}  // namespace parley::net::wire
