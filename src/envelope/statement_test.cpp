#include "envelope/statement.hpp"

#include <gtest/gtest.h>

namespace parley::envelope {
namespace {

Statement of_two_checks() {
  Statement statement{
      .runner = "ci", .workspace = "team", .task = "t", .review = "r", .at = {}, .tree = {}, .checks = {}};
  statement.tree = base::sha256("a work tree");
  statement.checks = {{.name = "tests", .command = "./dev test", .custom = false, .expected = 0, .exit_code = 0},
                      {.name = "slow", .command = "sleep 60", .custom = true, .expected = 1, .exit_code = {}}};
  return statement;
}

// BEY-05: what was signed is read again as it was, and by no other key.
TEST(Statement, is_read_as_it_was_signed) {
  const base::SigningKey key = base::SigningKey::fresh();
  const auto token = sign(of_two_checks(), key);
  ASSERT_TRUE(token) << token.error().message;
  const auto evidence = Evidence::parse(*token);
  ASSERT_TRUE(evidence) << evidence.error().message;
  EXPECT_TRUE(evidence->verifies(key.public_half()));
  EXPECT_FALSE(evidence->verifies(base::SigningKey::fresh().public_half()));
  const Statement& read = evidence->statement();
  EXPECT_EQ(read.runner + ' ' + read.workspace + ' ' + read.task + ' ' + read.review, "ci team t r");
  EXPECT_EQ(read.tree, base::sha256("a work tree"));
  ASSERT_EQ(read.checks.size(), 2u);
  EXPECT_TRUE(read.checks[0].passed());
  EXPECT_EQ(read.checks[0].command, "./dev test");
  EXPECT_TRUE(read.checks[1].custom);
  EXPECT_FALSE(read.checks[1].passed()) << "it was not done in time";
}

// Each byte of the token counts: changed, it is another statement, no signature, or nothing at all.
TEST(Statement, is_believed_in_no_other_bytes) {
  const base::SigningKey key = base::SigningKey::fresh();
  const std::string token = sign(of_two_checks(), key).value();
  for (std::size_t at = 0; at < token.size(); ++at) {
    std::string other = token;
    other[at] = other[at] == 'A' ? 'B' : 'A';
    const auto evidence = Evidence::parse(other);
    EXPECT_FALSE(evidence && evidence->verifies(key.public_half())) << at;
    if (!evidence) {
      EXPECT_EQ(evidence.error().code, base::ErrorCode::EVIDENCE_MALFORMED);
    }
  }
}

TEST(Statement, is_bounded) {
  const base::SigningKey key = base::SigningKey::fresh();
  Statement statement = of_two_checks();
  statement.checks[0].command = std::string(evidence_bytes_max, 'x');
  EXPECT_EQ(sign(statement, key).error().code, base::ErrorCode::PAYLOAD_TOO_LARGE);
  statement.checks.assign(signed_checks_max + 1, {.name = "n", .command = "c", .exit_code = {}});
  EXPECT_EQ(sign(statement, key).error().code, base::ErrorCode::PAYLOAD_TOO_LARGE);
  EXPECT_EQ(Evidence::parse(std::string(evidence_bytes_max + 1, 'A')).error().code,
            base::ErrorCode::EVIDENCE_MALFORMED);
}

}  // namespace
}  // namespace parley::envelope
