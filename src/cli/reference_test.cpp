// docs/reference/cli.md is what `parley help --reference` writes.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "cli/help.hpp"
#include "cli/verbs.hpp"

namespace parley::cli {
namespace {

TEST(CommandLineReference, the_page_is_that_of_this_program) {
  const char* const source = std::getenv("PARLEY_SOURCE");
  ASSERT_TRUE(source) << "run by ctest";
  std::ifstream file(std::string(source) + "/docs/reference/cli.md");
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(page, reference(all_verbs({}))) << "mend it: parley help --reference > docs/reference/cli.md";
}

}  // namespace
}  // namespace parley::cli
