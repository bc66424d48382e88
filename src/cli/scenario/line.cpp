#include "cli/scenario/line.hpp"

#include "sdk/cpp/delivery.hpp"

namespace parley::cli::scenario {

base::Result<> pass_on(const Ear& ear, std::string_view message, bool of_the_server) {
  if (message.empty()) {
    ear({{}, of_the_server});
    return {};
  }
  PARLEY_TRY(const auto document, json::Document::parse(message, sdk::limits_of_delivered));
  ear({document.root(), of_the_server});
  return {};
}

}  // namespace parley::cli::scenario
