// Results as scripts show them: one line a thing, nothing that differs from run to run.
#pragma once
#include <string>

#include "world.hpp"

namespace parley::scenarios {

std::string print(const base::Error& error);
std::string print(const broker::Sent& sent);
// `show`: JSON Pointers into the message whose values are wanted.
std::string print(World& world, const std::string& workspace, const broker::Delivery& delivery,
                  const std::vector<std::string>& show);
std::string print_problem(const base::Problem& problem);
std::string joined(const std::vector<std::string>& words, std::string_view between = ", ");

}  // namespace parley::scenarios
