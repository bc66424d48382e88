#include "broker/prefetch.hpp"

#include <algorithm>

namespace parley::broker {
namespace {

// Four steps of fetching, so many messages before one's turn: each follows what the one before it has fetched.
constexpr std::size_t messages_ahead = 16;
constexpr std::size_t fields_ahead = 12;
constexpr std::size_t values_ahead = 8;
constexpr std::size_t ids_ahead = 4;

void fetch(const void* begin, std::size_t bytes) {
  constexpr std::size_t line = 64;
  const char* const at = static_cast<const char*>(begin);
  for (std::size_t i = 0; i < bytes; i += line) __builtin_prefetch(at + i);
}

// Of a list, and of what is in it.
void fetch_texts(json::Value list) {
  constexpr std::uint32_t words_max = 16;
  const std::uint64_t* const words = list.words();
  const std::uint32_t end = std::min(json::Value::next_of(words, list.at()), list.at() + words_max);
  for (std::uint32_t at = list.at() + 1; at < end; ++at) {
    const char tag = json::Value::tag_of(words[at]);
    if (tag == '"') __builtin_prefetch(json::Value::text_of(words[at], list.strings()).data());
    if (tag == 'l' || tag == 'u' || tag == 'd') ++at;  // the number itself is the word behind it
  }
}

void fetch_message(const Incoming& message) {
  fetch(&message, sizeof message);
}
void fetch_fields(const Incoming& message) {
  const auto& fields = message.checked.envelope.fields;
  fetch(fields.data(), fields.size() * sizeof(envelope::Field));
}
void fetch_values(const Incoming& message) {
  if (!message.terms.ruleset || message.refusal) return;  // they are of no document any more
  for (const envelope::Field& field : message.checked.envelope.fields)
    if (!field.recorded) __builtin_prefetch(field.value.words() + field.value.at());
}
void fetch_ids(const Incoming& message, const engine::Workspace& workspace) {
  if (!message.terms.ruleset || message.refusal) return;
  workspace.ids.prefetch(message.id_key);
  if (!message.checked.envelope.task.empty()) workspace.tasks.prefetch(message.checked.task_key);
  for (const envelope::Field& field : message.checked.envelope.fields)
    if (!field.recorded && field.value.is_array()) fetch_texts(field.value);
}

}  // namespace

void fetch_ahead(const Batch::State& batch, std::size_t index, const engine::Workspace& workspace) {
  const auto& messages = batch.messages;
  if (index + messages_ahead < batch.count) fetch_message(messages[index + messages_ahead]);
  if (index + fields_ahead < batch.count) fetch_fields(messages[index + fields_ahead]);
  if (index + values_ahead < batch.count) fetch_values(messages[index + values_ahead]);
  if (index + ids_ahead < batch.count) fetch_ids(messages[index + ids_ahead], workspace);
}

}  // namespace parley::broker
