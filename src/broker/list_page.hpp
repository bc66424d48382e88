// A page of a list: {items, next}, where `next` is the cursor of the following page, null at the end. It ends where it
// is full, of items or of bytes (D11); one item is given whatever its size. What was read from the journal for the
// items before counts as well.
#pragma once
#include <algorithm>
#include <charconv>
#include <string>

#include "base/excerpt.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "broker/history.hpp"
#include "broker/port/call.hpp"
#include "json/writer.hpp"

namespace parley::broker {

class ListPage {
 public:
  static constexpr std::uint32_t items_max = 1'000;
  static constexpr std::uint64_t bytes_max = 4u << 20;  // of the items' bodies

  // `history`: where the items' bodies are read, if they have any.
  explicit ListPage(std::uint32_t limit = items_max, const History* history = nullptr)
      : history_(history), read_before_(history ? history->bytes_read() : 0), limit_(std::min(limit, items_max)) {
    writer.begin_object().key("items").begin_array();
  }
  ListPage(const ListPage&) = delete;

  // Whether one more item, with a body of so many bytes, is part of it: then the caller writes it.
  bool takes(std::uint64_t bytes = 0) {
    if (count_ > 0 && (full() || bytes_ + bytes + bytes_read() > bytes_max)) return false;
    ++count_;
    bytes_ += bytes;
    return true;
  }
  bool full() const { return count_ >= limit_; }
  std::uint64_t bytes_read() const { return history_ ? history_->bytes_read() - read_before_ : 0; }

  Answer end(std::string_view next = {}) {
    writer.end_array().key("next");
    if (next.empty())
      writer.null();
    else
      writer.string(next);
    return close();
  }
  // Of a list without an end: where to go on, now or later.
  Answer end_at(std::uint64_t next) {
    writer.end_array().member("next", next);
    return close();
  }

 private:
  const History* history_;
  std::uint64_t read_before_;
  std::string json_;
  std::uint32_t limit_;
  std::uint32_t count_ = 0;
  std::uint64_t bytes_ = 0;

  Answer close() {
    writer.end_object();
    return {200, std::move(json_)};
  }

 public:
  json::Writer writer{json_};
};

// One page of a map from names, in the order of the names.
template <class Map, class Write>
Answer page_of(const Map& map, const Page& page, Write write) {
  ListPage list(page.limit);
  std::string_view last;
  for (auto at = page.after.empty() ? map.begin() : map.upper_bound(page.after); at != map.end(); ++at) {
    if (!list.takes()) return list.end(last);
    write(list.writer, at->second);
    last = at->first;
  }
  return list.end();
}

// A cursor that is a number: an offset.
template <class Value>
base::Result<Value> parse_cursor(std::string_view text) {
  Value value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  return base::fail(base::ErrorCode::BAD_CURSOR, "'" + base::excerpt(text, 64) + "' is no cursor of this list");
}

// What a call looks at, wanted or not (D11): its page may hold few or none of a long list, and have a following one.
inline constexpr std::size_t looks_max = 10'000;

// The page of `all` (by offset) after the cursor. `wanted(value)`; `write(writer, offset, value)` -> Result<>.
template <class Map, class Wanted, class Write>
base::Result<Answer> list_by_offset(const History& history, const Map& all, const Page& page, const Wanted& wanted,
                                    const Write& write) {
  base::Offset last;
  if (!page.after.empty()) {
    PARLEY_TRY(last.value, parse_cursor<std::uint64_t>(page.after));
  }
  ListPage list(page.limit, &history);
  std::size_t looks = 0;
  for (auto at = all.upper_bound(last); at != all.end(); ++at) {
    if (looks++ == looks_max) return list.end(std::to_string(last.value));
    if (wanted(at->second)) {
      if (list.full()) return list.end(std::to_string(last.value));
      std::string text;
      json::Writer writer(text);
      PARLEY_CHECK(write(writer, at->first, at->second));
      if (!list.takes(text.size())) return list.end(std::to_string(last.value));
      list.writer.raw(text);
    }
    last = at->first;
  }
  return list.end();
}

}  // namespace parley::broker
