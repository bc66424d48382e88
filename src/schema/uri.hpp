// URI references resolved by RFC 3986 §5, as `$id` and `$ref` need it. Pure text: nothing is ever fetched.
#pragma once
#include <string>
#include <string_view>

namespace parley::schema {

std::string resolve_uri(std::string_view base, std::string_view reference);

struct SplitUri {
  std::string absolute;  // without fragment
  std::string fragment;  // percent-decoded
};
SplitUri split_fragment(std::string_view uri);

}  // namespace parley::schema
