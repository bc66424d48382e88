// Hexadecimal eight digits at once, in a word: at 200,000 messages a second this is on the measured path.
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
constexpr std::string_view mark_start = mark_place.substr(0, 5);
constexpr std::string_view folder_place = "src/0000000000000000/";  // of each task its own

constexpr std::uint64_t every_byte = 0x0101010101010101;

// Eight digits as they stand in memory: the nibbles are spread, and all turned into digits at once.
std::uint64_t digits_of(std::uint32_t value) {
  std::uint64_t nibbles = value;
  nibbles = (nibbles | nibbles << 16) & 0x0000FFFF0000FFFF;
  nibbles = (nibbles | nibbles << 8) & 0x00FF00FF00FF00FF;
  nibbles = (nibbles | nibbles << 4) & 0x0F0F0F0F0F0F0F0F;
  const std::uint64_t letters = (nibbles + 6 * every_byte) >> 4 & every_byte;
  return __builtin_bswap64(nibbles + '0' * every_byte + letters * ('a' - '0' - 10));
}

// The other way; what is no digit gives some value, of which `digits_of` makes other digits.
std::uint32_t value_of(std::uint64_t digits) {
  const std::uint64_t bytes = __builtin_bswap64(digits);
  std::uint64_t nibbles = (bytes & 0x0F * every_byte) + (bytes >> 6 & every_byte) * 9;
  nibbles = (nibbles | nibbles >> 4) & 0x00FF00FF00FF00FF;
  nibbles = (nibbles | nibbles >> 8) & 0x0000FFFF0000FFFF;
  return static_cast<std::uint32_t>(nibbles | nibbles >> 16);
}

void write_hex(char* at, std::uint64_t value) {
  const std::array words{digits_of(static_cast<std::uint32_t>(value >> 32)),
                         digits_of(static_cast<std::uint32_t>(value))};
  std::memcpy(at, words.data(), sizeof words);
}

bool read_hex(std::string_view text, std::uint64_t& value) {
  std::array<std::uint64_t, 2> words;
  PARLEY_ASSERT(text.size() == sizeof words);
  std::memcpy(words.data(), text.data(), sizeof words);
  const std::uint32_t high = value_of(words[0]), low = value_of(words[1]);
  value = std::uint64_t{high} << 32 | low;
  return digits_of(high) == words[0] && digits_of(low) == words[1];
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
  return text.size() == mark_bytes && text.starts_with(mark_start) && read_hex(text.substr(5, 16), mark.number) &&
         read_hex(text.substr(22, 16), mark.due_us);
}

bool MarkFinder::find(std::string_view native, Mark& mark) {
  if (at_ < native.size() && read_mark(native.substr(at_, mark_bytes), mark)) return true;
  for (at_ = native.find(mark_start); at_ != native.npos; at_ = native.find(mark_start, at_ + 1))
    if (read_mark(native.substr(at_, mark_bytes), mark)) return true;
  return false;
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
  const std::uint64_t first = (base::next_mixed(state_) & ~std::uint64_t{0xF000}) | 0x4000;
  const std::uint64_t second = (base::next_mixed(state_) & ~(std::uint64_t{3} << 62)) | std::uint64_t{2} << 62;
  const auto put = [](char* to, std::uint64_t digits, std::size_t count) { std::memcpy(to, &digits, count); };
  put(at, digits_of(static_cast<std::uint32_t>(first >> 32)), 8);
  const std::uint64_t middle = digits_of(static_cast<std::uint32_t>(first));
  put(at + 9, middle, 4);
  put(at + 14, middle >> 32, 4);
  const std::uint64_t after = digits_of(static_cast<std::uint32_t>(second >> 32));
  put(at + 19, after, 4);
  put(at + 24, after >> 32, 4);
  put(at + 28, digits_of(static_cast<std::uint32_t>(second)), 8);
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
