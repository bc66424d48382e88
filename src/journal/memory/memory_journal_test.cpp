#include "journal/memory/memory_journal.hpp"

#include "journal/conformance_suite.hpp"

namespace parley::journal {
namespace {

class MemorySite final : public Site {
 public:
  Journal& journal() override { return *journal_; }
  void reopen() override {}  // memory keeps nothing beyond its object

 private:
  std::unique_ptr<Journal> journal_ = memory::open({.block_bytes_max = 100'000});
};

INSTANTIATE_TEST_SUITE_P(Memory, JournalConformance,
                         ::testing::Values(Backend{"memory", [] { return std::make_unique<MemorySite>(); }}),
                         [](const auto& test) { return test.param.name; });

TEST(MemoryJournal, ItsCapacityAndReserveAreKept) {
  const auto journal = memory::open({.capacity_bytes = 3000, .reserve_bytes = 1000});
  EXPECT_EQ(journal->room_for(1500), Room::enough);
  ASSERT_TRUE(append_all(*journal, {{"e", std::string(1500, 'x')}}));
  EXPECT_EQ(journal->room_for(700), Room::full);
  ASSERT_TRUE(append_all(*journal, {{"ack", std::nullopt}}));
  auto refused = append_all(*journal, {{"e", std::string(1500, 'x')}});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, base::ErrorCode::STORAGE_FULL);
}

TEST(MemoryJournal, TheSameHistoryHasTheSameChain) {
  const auto one = memory::open();
  const auto two = memory::open();
  for (const auto* journal : {&one, &two}) ASSERT_TRUE(append_all(**journal, {{"e", "x"}}, 5));
  EXPECT_EQ(one->head(), two->head());
}

}  // namespace
}  // namespace parley::journal
