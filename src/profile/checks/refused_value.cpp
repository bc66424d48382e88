// {"at": pointer, "value": any}: this very value may not stand there, though the schema allows it (R33). Without
// `value` nothing may (R41).
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "profile/checks/checks.hpp"

namespace parley::profile::checks {
namespace {

class RefusedValue final : public Check {
 public:
  RefusedValue(json::Pointer at, json::Value value) : at_(std::move(at)) {
    if (!value) return;
    text_ = json::to_text(value);
    value_ = *json::Document::parse(text_);
  }

  void run(json::Value message, std::vector<base::Problem>& problems) const override {
    const json::Value found = at_.resolve(message);
    if (!found || (value_ && !json::equal(found, value_->root()))) return;
    problems.push_back({at_.to_text(), {}, value_ ? text_ + " is not taken here." : "Nothing is taken here."});
  }

 private:
  json::Pointer at_;
  std::string text_;
  std::optional<json::Document> value_;
};

}  // namespace

base::Result<CheckPtr> refused_value(json::Value parameters) {
  PARLEY_TRY(json::Pointer at, pointer_parameter(parameters.find("at"), "at"));
  return std::make_shared<RefusedValue>(std::move(at), parameters.find("value"));
}

}  // namespace parley::profile::checks
