#include "net/workers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "base/test_clock.hpp"
#include "net/loop.hpp"

namespace parley::net {
namespace {

struct Counted final : Job {
  Counted(std::vector<int>& done, int name, base::RunningClock& now, const base::Duration& time)
      : done_order(done), number(name), clock(now), takes(time) {}
  std::vector<int>& done_order;  // the loop's thread's
  int number;
  base::RunningClock& clock;
  const base::Duration& takes;
  std::thread::id ran_on;
  bool by_loop = false;                 // it is expected to run there
  std::shared_future<void> first = {};  // waits for it
  std::promise<void> ran;
  std::promise<void>* begun = nullptr;  // null: nobody wants to know

  void run() override {
    if (begun != nullptr) begun->set_value();
    if (first.valid()) first.wait();
    ran_on = std::this_thread::get_id();
    ran.set_value();
  }
  bool is_short() const override { return by_loop; }
  void done() override {
    EXPECT_EQ(ran_on == std::this_thread::get_id(), by_loop);
    done_order.push_back(number);
    clock.put_forward(takes);
  }
};

struct WorkersTest : testing::Test {
  base::RunningClock clock;
  observe::Metrics metrics;
  std::unique_ptr<observe::Log> log = observe::Log::to_function(clock, observe::Level::info, [](std::string_view) {});
  Loop loop{clock, metrics, *log, {}};
  std::vector<int> done;
  base::Duration takes{};  // on the loop's thread, each

  std::shared_ptr<Counted> job(int number) { return std::make_shared<Counted>(done, number, clock, takes); }
  bool turn_until(std::size_t count) {
    const auto end = clock.monotonic() + std::chrono::seconds(10);
    while (done.size() < count && clock.monotonic() < end) loop.wait(clock.monotonic() + std::chrono::milliseconds(5));
    return done.size() == count;
  }
};

TEST_F(WorkersTest, DoesJobsInOrderAndSaysSoOnTheLoopsThread) {
  Workers workers(clock, loop, 1);
  std::vector<int> expected;
  for (int i = 0; i < 1000; ++i) {
    workers.add(job(i));
    expected.push_back(i);
  }
  ASSERT_TRUE(turn_until(1000));
  EXPECT_EQ(done, expected);
}

TEST_F(WorkersTest, HandsBackTogetherWhatIsReadyTogether) {
  Workers workers(clock, loop, 1);
  auto last = job(2);
  auto ran = last->ran.get_future();
  workers.add(job(0));
  workers.add(job(1));
  workers.add(last);
  ran.wait();
  std::thread([] {}).join();
  loop.poll();  // the last may still be on its way
  EXPECT_GE(done.size(), 2u);
  EXPECT_TRUE(turn_until(3));
}

// D11: many that are done, each of which takes long, keep nobody else waiting.
TEST_F(WorkersTest, HandsBackAsManyAsThereIsTimeFor) {
  Workers workers(clock, loop, 1);
  takes = std::chrono::milliseconds(2);
  auto last = job(99);
  auto ran = last->ran.get_future();
  for (int i = 0; i < 99; ++i) workers.add(job(i));
  workers.add(last);
  ran.wait();
  loop.poll();
  EXPECT_LT(done.size(), 5u);  // a turn looks a few times
  takes = {};
  EXPECT_TRUE(turn_until(100));
}

TEST_F(WorkersTest, OneThatTakesLongHoldsUpNoOtherThread) {
  Workers workers(clock, loop, 2);
  std::promise<void> open;
  auto slow = job(0);
  slow->first = open.get_future().share();
  workers.add(slow);
  workers.add(job(1));
  ASSERT_TRUE(turn_until(1));
  EXPECT_THAT(done, testing::ElementsAre(1));
  open.set_value();
  ASSERT_TRUE(turn_until(2));
}

TEST_F(WorkersTest, TheLoopRunsWhatIsShortAndNoThreadHasBegun) {
  Workers workers(clock, loop, 1);
  EXPECT_FALSE(workers.run_next());
  std::promise<void> open;
  auto slow = job(0);
  slow->first = open.get_future().share();
  std::promise<void> begun;
  slow->begun = &begun;
  workers.add(slow);
  begun.get_future().wait();
  auto next = job(1);
  next->by_loop = true;
  workers.add(next);
  workers.add(job(2));
  EXPECT_TRUE(workers.run_next());
  EXPECT_THAT(done, testing::ElementsAre(1));
  EXPECT_FALSE(workers.run_next());  // one is begun, the other not short
  auto behind = job(3);
  behind->by_loop = true;
  workers.add(behind);
  EXPECT_TRUE(workers.run_next());
  EXPECT_THAT(done, testing::ElementsAre(1, 3));
  open.set_value();
  ASSERT_TRUE(turn_until(4));
}

TEST_F(WorkersTest, EndsAfterWhatIsUnderWayAndDropsTheRest) {
  std::weak_ptr<Counted> waiting, running;
  {
    Workers workers(clock, loop, 1);
    auto first = job(0);
    running = first;
    workers.add(std::move(first));
    for (int i = 1; i < 100; ++i) {
      auto next = job(i);
      waiting = next;
      workers.add(std::move(next));
    }
  }
  EXPECT_TRUE(waiting.expired());
  EXPECT_TRUE(running.expired());
  EXPECT_THAT(done, testing::IsEmpty());
}

}  // namespace
}  // namespace parley::net
