#include "engine/currentness/replacements.hpp"

namespace parley::engine {

const Offset* Replacements::after(Offset message) const {
  const auto at = after_.find(message);
  return at == after_.end() ? nullptr : &at->second;
}

auto Replacements::before(Offset message) const -> const Before* {
  const auto at = before_.find(message);
  return at == before_.end() ? nullptr : &at->second;
}

std::uint32_t Replacements::depth(Offset message) const {
  const Before* const at = before(message);
  return at ? at->depth : 0;
}

Offset Replacements::newest(Offset message) const {
  const Offset* next = after(message);
  for (; next; next = after(message)) message = *next;
  return message;
}

void Replacements::add(Offset message, std::string_view id, Offset by) {
  after_.emplace(message, by);
  if (by == Offset{}) return;
  const std::uint32_t deep = depth(message) + 1;
  Before& before = before_.try_emplace(by, Before{message, base::PackedText(id), deep}).first->second;
  before.depth = std::max(before.depth, deep);  // of what a held one would have taken the place of, too
}

void Replacements::forget(Offset message) {
  after_.erase(message);
  before_.erase(message);
}

}  // namespace parley::engine
