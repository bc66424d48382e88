// {"at": pointer, "max_bytes": n}: no string at or below that place is longer. (R44)
#include "profile/checks/checks.hpp"

namespace parley::profile::checks {
namespace {

class StringSize final : public Check {
 public:
  StringSize(json::Pointer at, std::size_t max) : at_(std::move(at)), max_(max) {}

  void run(json::Value message, std::vector<base::Problem>& problems) const override {
    look(message, at_.resolve(message), problems);
  }

 private:
  // As deep as the parser lets a document be.
  void look(json::Value message, json::Value value, std::vector<base::Problem>& problems) const {
    if (value.is_string() && value.as_string().size() > max_)
      problems.push_back({json::pointer_to(message, value),
                          {},
                          "The text has " + std::to_string(value.as_string().size()) + " bytes; more than " +
                              std::to_string(max_) + " are too many."});
    for (const json::Member member : value.members()) look(message, member.value, problems);
    for (const json::Value element : value.elements()) look(message, element, problems);
  }

  json::Pointer at_;
  std::size_t max_;
};

}  // namespace

base::Result<CheckPtr> string_size(json::Value parameters) {
  PARLEY_TRY(json::Pointer at, pointer_parameter(parameters.find("at"), "at"));
  const auto max = parameters.find("max_bytes").if_uint();
  if (!max) return base::fail(base::ErrorCode::PROFILE_INVALID, "string_size needs `max_bytes`", "/parameters");
  return std::make_shared<StringSize>(std::move(at), *max);
}

}  // namespace parley::profile::checks
