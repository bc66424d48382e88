#include "engine/registry/credentials.hpp"

#include <cstring>

#include "base/assert.hpp"

namespace parley::engine {
namespace {

constexpr std::size_t tokens_kept = 8;  // of one owner, within their grace

}  // namespace

void add_credential(State& state, Tokens& tokens, std::string_view token_hash, const Credential& credential) {
  base::Digest hash{};
  PARLEY_ASSERT(token_hash.size() == hash.size());
  std::memcpy(hash.data(), token_hash.data(), hash.size());
  if (state.credentials.insert_or_assign(hash, credential).second) tokens.push_back(hash);
}

void remove_credentials(State& state, Tokens& tokens) {
  for (const base::Digest& hash : tokens) state.credentials.erase(hash);
  tokens.clear();
}

void limit_credentials(State& state, Tokens& tokens, Instant now, Instant until) {
  std::size_t too_many = tokens.size() > tokens_kept ? tokens.size() - tokens_kept : 0;
  std::erase_if(tokens, [&](const base::Digest& hash) {
    Instant& ends = state.credentials.at(hash).valid_until;
    if (ends == Instant{} || ends > until) ends = until;
    const bool goes = ends <= now || too_many > 0;
    if (too_many > 0) --too_many;
    if (goes) state.credentials.erase(hash);
    return goes;
  });
}

}  // namespace parley::engine
