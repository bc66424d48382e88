#include "engine/tasks/tasks.hpp"

#include <gtest/gtest.h>

namespace parley::engine {
namespace {

// D11: what is forgotten is looked into no more, also where it was looked into last.
TEST(Tasks, those_that_are_over_go_from_the_oldest) {
  Tasks tasks;
  for (const std::uint64_t number : {1u, 2u, 3u}) {
    const Offset offset(number);
    Task& task = tasks.add(offset, "t" + std::to_string(number));
    tasks.assign(offset, task, offset, AgentNumber(1), AgentNumber(2));
    tasks.end(offset, task, Offset(10 + number));
  }
  std::vector<std::string> forgotten;
  EXPECT_EQ(tasks.at(Offset(1)).id.view(), "t1");
  tasks.keep(1, [&](Offset offset, const Task& task) {
    EXPECT_EQ(&tasks.at(offset), &task);
    forgotten.emplace_back(task.id.view());
  });
  EXPECT_EQ(forgotten, (std::vector<std::string>{"t1", "t2"}));
  EXPECT_FALSE(tasks.find("t2"));
  EXPECT_EQ(tasks.find("t3"), Offset(3));
  Task& anew = tasks.add(Offset(4), "t2");
  EXPECT_EQ(&tasks.at(Offset(4)), &anew);
  EXPECT_EQ(tasks.find("t2"), Offset(4));
}

}  // namespace
}  // namespace parley::engine
