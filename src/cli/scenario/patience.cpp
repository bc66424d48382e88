#include <chrono>
#include <thread>

#include "cli/online.hpp"
#include "cli/scenario/line.hpp"

namespace parley::cli::scenario {
namespace {

constexpr base::Duration moment = std::chrono::milliseconds(10);
constexpr base::Duration longest_wait = std::chrono::seconds(30);

}  // namespace

bool is_worth_another_try(const base::Error& error, base::Duration& waited) {
  if (!is_passing(error) || waited > longest_wait) return false;
  std::this_thread::sleep_for(moment);
  waited += moment;
  return true;
}

base::Result<sdk::Client*> PatientClient::client() {
  if (!client_) {
    PARLEY_TRY(auto access, calls_());
    client_ = std::make_unique<sdk::Client>(std::move(access));
  }
  return client_.get();
}

bool PatientClient::try_again(const base::Error& error, base::Duration& waited) {
  if (!is_worth_another_try(error, waited)) return false;
  client_.reset();
  return true;
}

}  // namespace parley::cli::scenario
