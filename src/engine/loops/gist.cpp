#include "engine/loops/gist.hpp"

#include <array>
#include <bit>

#include "base/hash.hpp"
#include "base/time.hpp"

namespace parley::engine {
namespace {

// A UUID, a trace's or a span's id.
bool is_id(std::string_view text) {
  return text.size() >= 16 && text.find_first_not_of("0123456789abcdefABCDEF-") == text.npos;
}

bool is_instant(std::string_view text) {
  return text.size() >= 20 && text.size() <= 40 && text[4] == '-' && base::parse_rfc3339(text).has_value();
}

class Gist {
 public:
  explicit Gist(const envelope::Envelope& envelope) : envelope_(envelope) {}

  void add(json::Value value) {
    add(static_cast<std::uint64_t>(value.type()));
    for (const auto& [key, member] : value.members()) {
      add(key);
      add(member);
    }
    for (const json::Value element : value.elements()) add(element);
    if (value.is_bool()) add(std::uint64_t{value.as_bool()});
    if (const auto text = value.if_string(); text && is_news(*text)) add(*text);
    if (value.is_number() && (!envelope_.sequence || value.if_int() != envelope_.sequence))
      add(std::bit_cast<std::uint64_t>(value.as_number().i));
  }
  std::uint32_t take() const { return sum_; }

 private:
  bool is_news(std::string_view text) const {
    return text != envelope_.message_id && text != envelope_.reply_to && text != envelope_.correlation &&
           text != envelope_.conversation && !is_id(text) && !is_instant(text);
  }
  void add(std::string_view text) {
    add(std::uint64_t{text.size()});
    sum_ = base::crc32c(text, sum_);
  }
  void add(std::uint64_t number) {
    const auto bytes = std::bit_cast<std::array<char, sizeof number>>(number);
    sum_ = base::crc32c({bytes.data(), bytes.size()}, sum_);
  }

  const envelope::Envelope& envelope_;
  std::uint32_t sum_ = 0;
};

}  // namespace

std::uint32_t gist_of(const envelope::Envelope& envelope, json::Value native) {
  Gist gist(envelope);
  gist.add(native);
  return gist.take();
}

}  // namespace parley::engine
