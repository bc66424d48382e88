// JSON Pointer: reading, writing, following.
#include "json/pointer.hpp"

#include <charconv>

namespace parley::json {
namespace {

std::uint32_t index_of(std::string_view token) {
  if (token.empty() || (token.size() > 1 && token[0] == '0')) return UINT32_MAX;
  std::uint32_t index = UINT32_MAX;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  return error == std::errc() && end == token.data() + token.size() ? index : UINT32_MAX;
}

bool unescape(std::string_view text, std::string& key) {
  key.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '~') {
      key += text[i];
      continue;
    }
    ++i;
    if (i == text.size() || (text[i] != '0' && text[i] != '1')) return false;
    key += text[i] == '0' ? '~' : '/';
  }
  return true;
}

}  // namespace

base::Result<Pointer> Pointer::parse(std::string_view text) {
  Pointer pointer;
  while (!text.empty()) {
    if (text[0] != '/') return base::fail(base::ErrorCode::BAD_REQUEST, "A JSON Pointer begins with '/'.");
    text.remove_prefix(1);
    const std::string_view token = text.substr(0, text.find('/'));
    text.remove_prefix(token.size());
    std::string key;
    if (!unescape(token, key))
      return base::fail(base::ErrorCode::BAD_REQUEST, "'~' in a JSON Pointer is followed by '0' or '1'.");
    const std::uint32_t index = index_of(key);
    pointer.tokens_.push_back({std::move(key), index});
  }
  return pointer;
}

Value Pointer::resolve(Value document) const {
  for (const Token& token : tokens_) {
    document = document.is_array() ? (token.index == no_index ? Value() : document.element(token.index))
                                   : document.find(token.key);
    if (!document) break;
  }
  return document;
}

std::string Pointer::to_text() const {
  std::string text;
  for (const Token& token : tokens_) append_token(text, token.key);
  return text;
}

void append_token(std::string& pointer, std::string_view token) {
  pointer += '/';
  for (const char c : token) {
    if (c == '~')
      pointer += "~0";
    else if (c == '/')
      pointer += "~1";
    else
      pointer += c;
  }
}

std::string pointer_to(Value root, Value place) {
  std::string pointer;
  while (root.at() != place.at()) {
    const auto holds = [&](const Value& child) {
      return child.at() <= place.at() && place.at() < Value::next_of(child.words(), child.at());
    };
    Value inside;
    std::size_t index = 0;
    for (const Value element : root.elements()) {
      if (holds(element)) {
        append_token(pointer, std::to_string(index));
        inside = element;
        break;
      }
      ++index;
    }
    for (const auto [key, value] : root.members()) {
      if (!holds(value)) continue;
      append_token(pointer, key);
      inside = value;
      break;
    }
    if (!inside) break;  // a key: its object is as near as a pointer gets
    root = inside;
  }
  return pointer;
}

}  // namespace parley::json
