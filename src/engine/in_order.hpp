// Ordered sets whose values come and leave in their order as a rule: what is put last or taken first is not searched
// for.
#pragma once
#include <cstddef>

namespace parley::engine {

template <class Set>
void put_in(Set& set, const typename Set::value_type& value) {
  set.insert(set.end(), value);
}

// How many there were: 0 or 1.
template <class Set>
std::size_t take_out(Set& set, const typename Set::value_type& value) {
  if (set.empty() || *set.begin() != value) return set.erase(value);
  set.erase(set.begin());
  return 1;
}

}  // namespace parley::engine
