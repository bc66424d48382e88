#include "engine/messages/messages.hpp"

namespace parley::engine {

const Message* Messages::find(Offset offset) const {
  const std::uint64_t number = offset.value / block_size;
  if (!newest_ || number != newest_number_) {
    const auto at = blocks_.find(number);
    if (at == blocks_.end()) return nullptr;
    newest_ = at->second.get();
    newest_number_ = number;
  }
  return newest_->places[offset.value % block_size].get();
}

Message* Messages::find(Offset offset) {
  return const_cast<Message*>(std::as_const(*this).find(offset));
}

const Message& Messages::at(Offset offset) const {
  const Message* message = find(offset);
  PARLEY_ASSERT(message);
  return *message;
}

Message& Messages::add(Offset offset) {
  auto& block = blocks_.try_emplace(blocks_.end(), offset.value / block_size)->second;
  if (!block) block = std::make_unique<Block>();
  ++block->count;
  ++size_;
  auto& place = block->places[offset.value % block_size];
  PARLEY_ASSERT(!place);
  place = std::make_unique<Message>();
  return *place;
}

void Messages::end(Offset offset) {
  if (Message* const message = find(offset)) message->over = true;
}

void Messages::erase(Offset offset) {
  const auto at = blocks_.find(offset.value / block_size);
  PARLEY_ASSERT(at != blocks_.end() && at->second->places[offset.value % block_size]);
  at->second->places[offset.value % block_size].reset();
  --size_;
  if (--at->second->count > 0) return;
  if (newest_ == at->second.get()) newest_ = nullptr;
  blocks_.erase(at);
}

}  // namespace parley::engine
