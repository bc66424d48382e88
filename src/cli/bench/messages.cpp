// Hexadecimal by a table of byte pairs: at 200,000 messages a second this is on the measured path.
#include "cli/bench/messages.hpp"

#include <array>
#include <cstring>

#include "base/assert.hpp"
#include "base/splitmix.hpp"

namespace parley::cli::bench {
namespace {

constexpr std::string_view id_place = "00000000-0000-4000-8000-000000000000";
constexpr std::string_view time_place = "2000-01-01T00:00:00.000000Z";
constexpr std::string_view mark_place = "task-0000000000000000-0000000000000000";
constexpr std::string_view folder_place = "src/0000000000000000/";  // of each task its own

constexpr auto hex_pairs = [] {
  std::array<std::array<char, 2>, 256> pairs{};
  constexpr std::string_view digits = "0123456789abcdef";
  for (std::size_t i = 0; i < 256; ++i) pairs[i] = {digits[i >> 4], digits[i & 15]};
  return pairs;
}();

void write_hex(char* at, std::uint64_t value) {
  for (int byte = 7; byte >= 0; --byte, value >>= 8) std::memcpy(at + byte * 2, hex_pairs[value & 255].data(), 2);
}

bool read_hex(std::string_view text, std::uint64_t& value) {
  value = 0;
  for (const char c : text) {
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) return false;
    value = value << 4 | static_cast<std::uint64_t>(digit);
  }
  return true;
}

std::string head(std::string_view sender, std::string_view recipient) {
  std::string text = R"({"message_id":")";
  text.append(id_place).append(R"(","timestamp":")").append(time_place);
  text.append(R"(","sequence_number":1,"from_agent":{"agent_id":")").append(sender);
  text.append(R"(","agent_type":"architect"},"to_agent":{"agent_id":")").append(recipient);
  text.append(R"(","agent_type":"developer"},"message_type":")");
  return text;
}

std::string task_before_padding(std::string_view sender, std::string_view recipient) {
  return head(sender, recipient)
      .append(R"(task_assignment","payload":{"task":{"task_id":")")
      .append(mark_place)
      .append(
          R"(","context":{"specs":[{"path":"docs/settings.md","reason":"Names every key with its type and default"}],)"
          R"("reference_files":[{"path":"src/settings/settings.hpp","reason":"The struct to be filled"}]},)"
          R"("constraints":{"scope":[")")
      .append(folder_place)
      .append(
          R"(**"],"testing_required":true,"must_not_break":["Settings from the environment"]},)"
          R"("acceptance_criteria":["Every key is read","Tests pass"],"task_description":"Load settings from a file.)");
}

std::string remark_before_padding(std::string_view sender, std::string_view recipient) {
  return head(sender, recipient)
      .append(R"(feedback","payload":{"feedback_type":"guidance","action_required":false,"subject":")")
      .append(mark_place)
      .append(R"(","content":"Settings are loaded from a file.)");
}

std::string text_before_padding(Contents contents, std::string_view sender, std::string_view recipient) {
  return contents == Contents::tasks ? task_before_padding(sender, recipient)
                                     : remark_before_padding(sender, recipient);
}

std::string_view text_after_padding(Contents contents) {
  return contents == Contents::tasks ? R"("},"priority":"medium"}})" : R"("},"priority":"normal"})";
}

// Words, so that what is stored and checked is like text.
std::string padding_of(std::size_t bytes) {
  constexpr std::string_view words = " Refuse unknown keys, naming file, line and key; keep what is there.";
  std::string text;
  while (text.size() < bytes) text += words.substr(0, bytes - text.size());
  return text;
}

}  // namespace

bool read_mark(std::string_view text, Mark& mark) {
  return text.size() == mark_bytes && text.starts_with("task-") && read_hex(text.substr(5, 16), mark.number) &&
         read_hex(text.substr(22, 16), mark.due_us);
}

bool read_mark(json::Value message, Mark& mark) {
  const json::Value payload = message.find("payload");
  const auto task = payload.find("task").find("task_id").if_string();
  const auto text = task ? task : payload.find("subject").if_string();
  return text && read_mark(*text, mark);
}

std::size_t smallest_message(Contents contents, std::string_view sender, std::string_view recipient) {
  return text_before_padding(contents, sender, recipient).size() + text_after_padding(contents).size();
}

Messages::Messages(Contents contents, std::string_view sender, std::string_view recipient, std::size_t size,
                   std::size_t batch_max, std::uint64_t seed)
    : state_(seed) {
  std::string text = text_before_padding(contents, sender, recipient);
  const std::size_t least = smallest_message(contents, sender, recipient);
  if (size > least) text += padding_of(size - least);
  text += text_after_padding(contents);
  size_ = text.size();
  id_at_ = text.find(id_place);
  time_at_ = text.find(time_place);
  mark_at_ = text.find(mark_place);
  folder_at_ = text.find(folder_place);
  bytes_.reserve(size_ * batch_max);
  for (std::size_t i = 0; i < batch_max; ++i) bytes_ += text;
  for (std::size_t i = 0; i < batch_max; ++i) views_.push_back(std::string_view(bytes_).substr(i * size_, size_));
}

// RFC 9562 §5.4: version 4, variant 10.
void Messages::write_uuid(char* at) {
  std::array<char, 32> digits;
  write_hex(digits.data(), (base::next_mixed(state_) & ~std::uint64_t{0xF000}) | 0x4000);
  write_hex(digits.data() + 16, (base::next_mixed(state_) & ~(std::uint64_t{3} << 62)) | std::uint64_t{2} << 62);
  std::memcpy(at, digits.data(), 8);
  std::memcpy(at + 9, digits.data() + 8, 4);
  std::memcpy(at + 14, digits.data() + 12, 4);
  std::memcpy(at + 19, digits.data() + 16, 4);
  std::memcpy(at + 24, digits.data() + 20, 12);
}

std::span<const std::string_view> Messages::make(std::size_t count, Mark first, double step_us, base::Instant now) {
  PARLEY_ASSERT(count <= views_.size());
  // Microseconds always, so that the text keeps its length: a whole second has no fraction in RFC 3339's short form.
  std::string time =
      base::to_rfc3339(base::Instant(now.time_since_epoch() / std::chrono::seconds(1) * std::chrono::seconds(1)));
  std::string fraction = std::to_string(1'000'000 + now.time_since_epoch().count() % 1'000'000);
  time.replace(time.size() - 1, 1, "." + fraction.substr(1) + "Z");
  PARLEY_ASSERT(time.size() == time_place.size());

  for (std::size_t i = 0; i < count; ++i) {
    char* const message = bytes_.data() + i * size_;
    write_uuid(message + id_at_);
    std::memcpy(message + time_at_, time.data(), time.size());
    write_hex(message + mark_at_ + 5, first.number + i);
    if (folder_at_ != std::string::npos) write_hex(message + folder_at_ + 4, first.number + i);
    write_hex(message + mark_at_ + 22, first.due_us + static_cast<std::uint64_t>(static_cast<double>(i) * step_us));
  }
  return std::span(views_).first(count);
}

}  // namespace parley::cli::bench
