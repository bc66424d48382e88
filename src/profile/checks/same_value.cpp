// {"at": [pointer, pointer, …]}: all these places that are there hold the same value. (R38, R22)
#include "profile/checks/checks.hpp"

namespace parley::profile::checks {
namespace {

class SameValue final : public Check {
 public:
  explicit SameValue(std::vector<json::Pointer> at) : at_(std::move(at)) {}

  void run(json::Value message, std::vector<base::Problem>& problems) const override {
    const json::Value first = at_.front().resolve(message);
    if (!first) return;
    for (std::size_t i = 1; i < at_.size(); ++i) {
      const json::Value other = at_[i].resolve(message);
      if (other && !json::equal(first, other))
        problems.push_back({at_[i].to_text(), {}, "The value differs from that at " + at_.front().to_text() + '.'});
    }
  }

 private:
  std::vector<json::Pointer> at_;
};

}  // namespace

base::Result<CheckPtr> same_value(json::Value parameters) {
  std::vector<json::Pointer> places;
  for (const json::Value stated : parameters.find("at").elements()) {
    PARLEY_TRY(json::Pointer at, pointer_parameter(stated, "at"));
    places.push_back(std::move(at));
  }
  if (places.size() < 2)
    return base::fail(base::ErrorCode::PROFILE_INVALID, "same_value needs two pointers or more in `at`",
                      "/parameters/at");
  return std::make_shared<SameValue>(std::move(places));
}

}  // namespace parley::profile::checks
