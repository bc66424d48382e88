// A value that most do not have: a pointer is all that it costs them.
#pragma once
#include <memory>

namespace parley::base {

template <class Value>
class Made {
 public:
  explicit operator bool() const { return value_ != nullptr; }
  const Value* get() const { return value_.get(); }  // null: there is none
  Value* get() { return value_.get(); }
  Value& made() {
    if (!value_) value_ = std::make_unique<Value>();
    return *value_;
  }
  void forget() { value_.reset(); }

  template <class Archive>
  void archive(Archive& a) {
    bool there = value_ != nullptr;
    a(there);
    if (there) a(made());
  }

 private:
  std::unique_ptr<Value> value_;
};

}  // namespace parley::base
