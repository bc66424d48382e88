// All types, keys and values of the document in its order, but for what is news to nobody.
#include "envelope/gist.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "base/ascii.hpp"
#include "base/hash.hpp"
#include "base/time.hpp"

namespace parley::envelope {
namespace {

// A UUID, a trace's or a span's id.
bool is_id(std::string_view text) {
  return text.size() >= 16 && std::ranges::all_of(text, [](char c) { return c == '-' || base::is_hex_digit(c); });
}

bool is_instant(std::string_view text) {
  return text.size() >= 20 && text.size() <= 40 && base::is_digit(text[0]) && text[4] == '-' &&
         base::parse_rfc3339(text).has_value();
}

class Gist {
 public:
  explicit Gist(const Envelope& envelope) : envelope_(envelope) {}

  void add(json::Value value) {
    const json::Type type = value.type();
    add(static_cast<std::uint64_t>(type));
    switch (type) {
      case json::Type::object:
        for (const auto& [key, member] : value.members()) {
          add(key);
          add(member);
        }
        break;
      case json::Type::array:
        for (const json::Value element : value.elements()) add(element);
        break;
      case json::Type::string:
        if (const std::string_view text = value.as_string(); is_news(text)) add(text);
        break;
      case json::Type::boolean:
        add(std::uint64_t{value.as_bool()});
        break;
      case json::Type::integer:
      case json::Type::unsigned_integer:
      case json::Type::real:
        if (!envelope_.sequence || value.if_int() != envelope_.sequence)
          add(std::bit_cast<std::uint64_t>(value.as_number().i));
        break;
      case json::Type::null:
      case json::Type::absent:
        break;
    }
  }

  std::uint32_t take() {
    flush();
    return sum_;
  }

 private:
  bool is_news(std::string_view text) const {
    return text != envelope_.message_id && text != envelope_.reply_to && text != envelope_.correlation &&
           text != envelope_.conversation && !is_id(text) && !is_instant(text);
  }
  void add(std::string_view text) {
    add(std::uint64_t{text.size()});
    put(text);
  }
  void add(std::uint64_t number) {
    const auto bytes = std::bit_cast<std::array<char, sizeof number>>(number);
    put({bytes.data(), bytes.size()});
  }

  // Most of what comes is short: one sum of all of it takes two thirds of the time.
  void put(std::string_view bytes) {
    if (bytes.size() > gathered_.size() - size_) flush();
    if (bytes.size() > gathered_.size()) {
      sum_ = base::crc32c(bytes, sum_);
      return;
    }
    bytes.copy(gathered_.data() + size_, bytes.size());
    size_ += bytes.size();
  }
  void flush() {
    sum_ = base::crc32c({gathered_.data(), size_}, sum_);
    size_ = 0;
  }

  const Envelope& envelope_;
  std::uint32_t sum_ = 0;
  std::size_t size_ = 0;
  std::array<char, 1024> gathered_;
};

}  // namespace

std::uint32_t gist_of(const Envelope& envelope, json::Value native) {
  Gist gist(envelope);
  gist.add(native);
  return gist.take();
}

}  // namespace parley::envelope
