// How much work one run may do, counted in steps and never in time: a document is refused on every machine or on none.
// Internal to schema/.
#pragma once
#include <cstdint>

namespace parley::schema {

class Budget {
 public:
  explicit Budget(std::uint64_t steps_max) : steps_left_(static_cast<std::int64_t>(steps_max)) {}

  bool spend(std::int64_t steps) {
    if ((steps_left_ -= steps) >= 0) [[likely]]
      return true;
    exhausted_ = true;
    return false;
  }
  void exhaust() { exhausted_ = true; }
  bool is_exhausted() const { return exhausted_; }

 private:
  std::int64_t steps_left_;
  bool exhausted_ = false;
};

}  // namespace parley::schema
