// The first few elements are compared each with each; of many, then those of equal hashes.
#include "schema/twins.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace parley::schema {
namespace {

constexpr std::uint32_t few_elements = 12;

bool may_be_equal(const Tape& tape, std::uint32_t a, std::uint32_t b) {
  return tape.tag(a) == tape.tag(b) || (tape.value(a).is_number() && tape.value(b).is_number());
}

std::int64_t steps_to_compare(const Tape& tape, std::uint32_t element) {
  return 1 + (tape.next(element) - element) / 8;
}

// What has many twins has them at its beginning as a rule: it needs no hashes.
std::optional<Twins> find_among_first(const Tape& tape, std::uint32_t array, Budget& budget) {
  std::array<std::uint32_t, few_elements> places;
  std::uint32_t count = 0;
  const std::uint32_t end = tape.end_of(array);
  for (std::uint32_t element = array + 1; element < end && count < few_elements; element = tape.next(element)) {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!may_be_equal(tape, element, places[i])) continue;
      if (!budget.spend(steps_to_compare(tape, element))) return std::nullopt;
      if (equal(tape.value(element), tape.value(places[i]))) return Twins{i, count};
    }
    places[count++] = element;
  }
  return std::nullopt;
}

std::optional<Twins> find_among_many(const Tape& tape, std::uint32_t array, Budget& budget) {
  struct Element {
    std::uint64_t hash;
    std::uint32_t at, ordinal;
  };
  std::vector<Element> elements;
  elements.reserve(tape.size_of(array));
  const std::uint32_t end = tape.end_of(array);
  if (!budget.spend((end - array) / 2)) return std::nullopt;
  for (std::uint32_t element = array + 1; element < end; element = tape.next(element))
    elements.push_back({json::hash(tape.value(element)), element, static_cast<std::uint32_t>(elements.size())});
  std::sort(elements.begin(), elements.end(), [](const Element& a, const Element& b) {
    return a.hash != b.hash ? a.hash < b.hash : a.ordinal < b.ordinal;
  });
  for (std::size_t i = 0; i < elements.size(); ++i) {
    for (std::size_t j = i + 1; j < elements.size() && elements[j].hash == elements[i].hash; ++j) {
      if (!budget.spend(steps_to_compare(tape, elements[i].at))) return std::nullopt;
      if (equal(tape.value(elements[i].at), tape.value(elements[j].at)))
        return Twins{elements[i].ordinal, elements[j].ordinal};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Twins> find_twins(const Tape& tape, std::uint32_t array, Budget& budget) {
  const auto twins = find_among_first(tape, array, budget);
  const bool is_all = twins || budget.is_exhausted() || tape.size_of(array) <= few_elements;
  return is_all ? twins : find_among_many(tape, array, budget);
}

}  // namespace parley::schema
