#include "engine/timers.hpp"

#include "engine/in_order.hpp"

namespace parley::engine {

void Timers::insert(const Timer& timer) {
  put_in(of(timer.kind), timer);
}

void Timers::erase(const Timer& timer) {
  take_out(of(timer.kind), timer);
}

std::size_t Timers::size() const {
  std::size_t size = 0;
  for (const Set& set : sets_) size += set.size();
  return size;
}

std::optional<base::Instant> Timers::first_due() const {
  std::optional<base::Instant> first;
  for (const Set& set : sets_)
    if (!set.empty() && (!first || set.begin()->due < *first)) first = set.begin()->due;
  return first;
}

}  // namespace parley::engine
