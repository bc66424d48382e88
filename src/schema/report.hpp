// What is said of an instance that does not fit. Internal to schema/.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "json/value.hpp"
#include "schema/trail.hpp"

namespace parley::schema {

struct Report {
  std::size_t problems_max = 0;
  bool hide_values = false;
  std::vector<base::Problem> problems = {};
  std::vector<std::uint32_t> depths = {};  // of each problem's instance
  std::size_t found = 0;                   // also those that had no room
  bool cut_short = false;                  // a list had so many that the rest of it was not looked at

  // Where there is no room, what lies deepest goes: what is wrong near the root, as in an envelope, is always told.
  void add(const Trail<true>& trail, std::string message);
  void take_over(Report branch);

  // D11: a list of which so many were found says nothing new any more. Only lists end early: the members that a schema
  // names are few, and those of an envelope are always looked at.
  bool is_enough_of_a_list(std::size_t found_in_it) const {
    return found_in_it >= std::max<std::size_t>(1, 2 * problems_max);
  }

  // How far a branch is from fitting: of the wrong type altogether, told apart by a const or enum, or merely flawed.
  std::size_t distance(std::uint32_t depth) const;

 private:
  bool make_room(std::uint32_t depth);
};

std::uint32_t depth_of(const Link<true>* link);

std::string shortened(std::string text, std::size_t characters);
std::string number_text(const json::Number& number);
std::string types_text(std::uint8_t bits);
std::string found_text(json::Value value, bool hide);  // what is there instead

}  // namespace parley::schema
