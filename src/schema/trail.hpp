// The way to the place being validated, in the instance and in the schema, as links on the stack. Two shapes: one that
// is kept while explaining, one that is nothing at all on the hot path. Internal to schema/.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "json/pointer.hpp"

namespace parley::schema {

template <bool Explains>
struct Link;

template <>
struct Link<false> {
  template <class... Any>
  explicit Link(const Any&...) {}
};

template <>
struct Link<true> {
  const Link* up;
  std::string_view token;
  std::uint32_t index = UINT32_MAX;  // instead of a token

  Link(const Link* above, std::string_view text) : up(above), token(text) {}
  Link(const Link* above, std::uint32_t number) : up(above), index(number) {}
};

template <bool Explains>
struct Trail;

template <>
struct Trail<false> {
  using L = Link<false>;
  const L* instance() const { return nullptr; }
  const L* schema() const { return nullptr; }
  Trail in(const L&) const { return {}; }  // deeper in the instance
  Trail by(const L&) const { return {}; }  // deeper in the schema
};

template <>
struct Trail<true> {
  using L = Link<true>;
  const L* instance_ = nullptr;
  const L* schema_ = nullptr;

  const L* instance() const { return instance_; }
  const L* schema() const { return schema_; }
  Trail in(const L& link) const { return {&link, schema_}; }
  Trail by(const L& link) const { return {instance_, &link}; }
};

inline std::string pointer_of(const Link<true>* last) {
  std::vector<const Link<true>*> links;
  for (; last; last = last->up) links.push_back(last);
  std::string pointer;
  for (auto link = links.rbegin(); link != links.rend(); ++link) {
    if ((*link)->index == UINT32_MAX)
      json::append_token(pointer, (*link)->token);
    else
      pointer.append("/").append(std::to_string((*link)->index));
  }
  return pointer;
}

}  // namespace parley::schema
