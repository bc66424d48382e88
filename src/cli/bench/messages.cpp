// Hexadecimal eight digits at once, in a word: at 200,000 messages a second this is on the measured path.
#include "cli/bench/messages.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/assert.hpp"
#include "base/splitmix.hpp"

namespace parley::cli::bench {
namespace {

constexpr std::array<std::string_view, 3> contents_words{"tasks", "remarks", "work"};

constexpr std::string_view id_start = R"({"message_id":")";  // of every message
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

std::string head(std::string_view sender, std::string_view sender_type, std::string_view recipient,
                 std::string_view recipient_type) {
  std::string text(id_start);
  text.append(id_place).append(R"(","timestamp":")").append(time_place);
  text.append(R"(","sequence_number":1,"from_agent":{"agent_id":")").append(sender);
  text.append(R"(","agent_type":")").append(sender_type);
  text.append(R"("},"to_agent":{"agent_id":")").append(recipient);
  text.append(R"(","agent_type":")").append(recipient_type).append(R"("},)");
  return text;
}

std::string assignment_before_padding(std::string_view sender, std::string_view recipient) {
  return head(sender, "architect", recipient, "developer")
      .append(R"("message_type":"task_assignment","payload":{"task":{"task_id":")")
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
  return head(sender, "architect", recipient, "developer")
      .append(R"("message_type":"feedback","payload":{"feedback_type":"guidance","action_required":false,"subject":")")
      .append(mark_place)
      .append(R"(","content":"Settings are loaded from a file.)");
}

std::string answer_head(std::string_view sender, std::string_view recipient) {
  return head(sender, "developer", recipient, "architect")
      .append(R"("correlation_id":")")
      .append(mark_place)
      .append(R"(",)");
}

std::string acknowledgment_before_padding(std::string_view sender, std::string_view recipient) {
  return answer_head(sender, recipient)
      .append(R"("message_type":"acknowledgment","payload":{"acknowledged_message_id":")")
      .append(id_place)
      .append(R"(","accepted":true,"files_read":["docs/settings.md","src/settings/settings.hpp)");
}

std::string completion_before_padding(std::string_view sender, std::string_view recipient) {
  return answer_head(sender, recipient)
      .append(R"("message_type":"task_completion","payload":{"task_id":")")
      .append(mark_place)
      .append(R"(","status":"completed","changes":{"files_created":[{"path":")")
      .append(folder_place)
      .append(R"(load.cpp","change_type":"created","lines_added":148}],"files_modified":[],"files_deleted":[]},)"
              R"("self_review":{"tests_run":true,"tests_passed":true,"type_check_passed":true},)"
              R"("summary":"Settings are loaded from a file.)");
}

std::string before_padding(Text text, std::string_view sender, std::string_view recipient) {
  switch (text) {
    case Text::assignment:
      return assignment_before_padding(sender, recipient);
    case Text::remark:
      return remark_before_padding(sender, recipient);
    case Text::acknowledgment:
      return acknowledgment_before_padding(sender, recipient);
    case Text::completion:
      return completion_before_padding(sender, recipient);
  }
  return {};
}

std::string_view after_padding(Text text) {
  switch (text) {
    case Text::assignment:
      return R"("},"priority":"medium"}})";
    case Text::remark:
      return R"("},"priority":"normal"})";
    case Text::acknowledgment:
      return R"("]}})";
    case Text::completion:
      return R"("}})";
  }
  return {};
}

// Words, so that what is stored and checked is like text.
std::string words_of(std::size_t bytes) {
  constexpr std::string_view words = " Refuse unknown keys, naming file, line and key; keep what is there.";
  std::string text;
  while (text.size() < bytes) text += words.substr(0, bytes - text.size());
  return text;
}

// More paths behind one; what is left of `bytes` belongs to the last.
std::string paths_of(std::size_t bytes) {
  constexpr std::string_view one = R"(","src/settings/keys.hpp)";
  std::string text;
  while (text.size() + one.size() <= bytes) text += one;
  return text.append(bytes - text.size(), 'x');
}

std::string padding_of(Text text, std::size_t bytes) {
  return text == Text::acknowledgment ? paths_of(bytes) : words_of(bytes);
}

// Microseconds always, so that the text keeps its length: a whole second has no fraction in RFC 3339's short form.
std::string time_of(base::Instant now) {
  std::string time =
      base::to_rfc3339(base::Instant(now.time_since_epoch() / std::chrono::seconds(1) * std::chrono::seconds(1)));
  const std::string fraction = std::to_string(1'000'000 + now.time_since_epoch().count() % 1'000'000);
  time.replace(time.size() - 1, 1, "." + fraction.substr(1) + "Z");
  PARLEY_ASSERT(time.size() == time_place.size());
  return time;
}

void write_mark(char* at, const Mark& mark) {
  write_hex(at + 5, mark.number);
  write_hex(at + 22, mark.due_us);
}

std::size_t next_place(std::string_view text, std::string_view place, std::size_t after) {
  return after == text.npos ? text.npos : text.find(place, after + place.size());
}

}  // namespace

std::string_view word_of(Contents contents) {
  return contents_words[static_cast<std::size_t>(contents)];
}

Contents contents_of(std::string_view word) {
  const auto* const found = std::ranges::find(contents_words, word);
  PARLEY_ASSERT(found != contents_words.end());
  return static_cast<Contents>(found - contents_words.begin());
}

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

std::size_t smallest_message(Text text, std::string_view sender, std::string_view recipient) {
  return before_padding(text, sender, recipient).size() + after_padding(text).size();
}

Task task_of(const Mark& mark, std::string_view assignment) {
  Task task{.mark = mark, .order = {}};
  PARLEY_ASSERT(assignment.size() >= id_start.size() + task.order.size());
  assignment.copy(task.order.data(), task.order.size(), id_start.size());
  return task;
}

Messages::Messages(Text text, std::string_view sender, std::string_view recipient, std::size_t size,
                   std::size_t batch_max, std::uint64_t seed)
    : state_(seed) {
  std::string one = before_padding(text, sender, recipient);
  const std::size_t least = smallest_message(text, sender, recipient);
  if (size > least) one += padding_of(text, size - least);
  one += after_padding(text);
  size_ = one.size();
  at_ = {.id = id_start.size(),
         .order = next_place(one, id_place, id_start.size()),
         .time = one.find(time_place),
         .mark = one.find(mark_place),
         .task = next_place(one, mark_place, one.find(mark_place)),
         .folder = one.find(folder_place)};
  bytes_.reserve(size_ * batch_max);
  for (std::size_t i = 0; i < batch_max; ++i) bytes_ += one;
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

// What every message has of its own.
char* Messages::begin(std::size_t i, std::string_view time, const Mark& mark, std::uint64_t task) {
  char* const message = bytes_.data() + i * size_;
  write_uuid(message + at_.id);
  std::memcpy(message + at_.time, time.data(), time.size());
  write_mark(message + at_.mark, mark);
  if (at_.folder != std::string::npos) write_hex(message + at_.folder + 4, task);
  return message;
}

std::span<const std::string_view> Messages::make(std::size_t count, Mark first, double step_us, base::Instant now) {
  PARLEY_ASSERT(count <= views_.size());
  const std::string time = time_of(now);
  for (std::size_t i = 0; i < count; ++i) {
    const Mark mark{.number = first.number + i,
                    .due_us = first.due_us + static_cast<std::uint64_t>(static_cast<double>(i) * step_us)};
    begin(i, time, mark, mark.number);
  }
  return std::span(views_).first(count);
}

std::span<const std::string_view> Messages::reply(std::span<const Task> tasks, Stage stage, std::uint64_t due_us,
                                                  base::Instant now) {
  PARLEY_ASSERT(tasks.size() <= views_.size());
  const std::string time = time_of(now);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const Task& task = tasks[i];
    const Mark mark{.number = number_of(task.mark.number, stage), .due_us = due_us};
    char* const message = begin(i, time, mark, task.mark.number);
    if (at_.order != std::string::npos) std::memcpy(message + at_.order, task.order.data(), task.order.size());
    if (at_.task != std::string::npos) write_mark(message + at_.task, task.mark);
  }
  return std::span(views_).first(tasks.size());
}

}  // namespace parley::cli::bench
