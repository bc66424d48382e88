// {"at": pointer, "value": any}: this very value may not stand there, though the schema allows it. (R33)
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "profile/checks/checks.hpp"

namespace parley::profile::checks {
namespace {

class RefusedValue final : public Check {
 public:
  RefusedValue(json::Pointer at, json::Value value) : at_(std::move(at)), text_(json::to_text(value)) {
    value_ = *json::Document::parse(text_);
  }

  void run(json::Value message, std::vector<base::Problem>& problems) const override {
    const json::Value found = at_.resolve(message);
    if (found && json::equal(found, value_.root()))
      problems.push_back({at_.to_text(), {}, text_ + " is not taken here."});
  }

 private:
  json::Pointer at_;
  std::string text_;
  json::Document value_;
};

}  // namespace

base::Result<CheckPtr> refused_value(json::Value parameters) {
  PARLEY_TRY(json::Pointer at, pointer_parameter(parameters.find("at"), "at"));
  if (!parameters.find("value"))
    return base::fail(base::ErrorCode::PROFILE_INVALID, "refused_value needs a `value`", "/parameters");
  return std::make_shared<RefusedValue>(std::move(at), parameters.find("value"));
}

}  // namespace parley::profile::checks
