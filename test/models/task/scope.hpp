// The small worlds that the model is explored in, and the faults that are planted in them.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "engine/state.hpp"
#include "tables.hpp"

namespace parley::models::task_model {

using namespace std::chrono_literals;

struct Cast {
  std::string id, type;
  std::vector<std::string> capabilities{};
};

struct Scope {
  std::string profile;
  std::vector<Cast> agents;   // the first assigns
  engine::TaskTimes times;    // short ones
  std::uint32_t epochs = 2;   // a task is assigned so often
  std::uint32_t tasks = 2;    // the workspace's setting: that may be open, and as many that are over are kept
  base::Duration deadline{};  // of the first task, from its assignment on; 0: none
  base::Duration downtime{};  // of a crash
  base::Duration step{};    // in place of the profile's own times: one for a task, one until its one retry; 0: its own
  bool comes_back = false;  // a removed assigner registers anew
  bool rests_by_time = true;  // the profile watches its tasks
  std::uint32_t reviews = 0;  // of a task; 0: nobody asks for one
  bool limited = false;       // to so many: the last is escalated to a human (R37); of one task
  bool offers = false;        // owners offer their tasks to others (HND-02): the first task's for a time, the other's
                              // to whoever has its capability
  base::Duration offer_time = 4s;
  std::vector<std::string> ids{"one", "two"};
};

enum class Planted {
  none,
  two_owners,
  double_decision,
  lost_completion,
  late_ack,
  skipped_epoch,
  early_owner,
  double_answer,
  lost_answer,
  late_answer,
  skipped_epoch_of_offer,
  taken_back_late
};

inline const std::vector<std::pair<Fault, Planted>> faults{{{"two_owners", 1}, Planted::two_owners},
                                                           {{"double_decision", 2}, Planted::double_decision},
                                                           {{"lost_completion", 3}, Planted::lost_completion},
                                                           {{"late_ack", 7}, Planted::late_ack},
                                                           {{"skipped_epoch", 6}, Planted::skipped_epoch}};
inline const std::vector<std::pair<Fault, Planted>> faults_of_offers{
    {{"two_owners", 20}, Planted::early_owner},
    {{"double_decision", 20}, Planted::double_answer},
    {{"lost_completion", 3}, Planted::lost_answer},
    {{"late_ack", 7}, Planted::late_answer},
    {{"skipped_epoch", 6}, Planted::skipped_epoch_of_offer},
    {{"taken_back_late", 20}, Planted::taken_back_late}};

}  // namespace parley::models::task_model
