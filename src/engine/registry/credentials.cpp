#include "engine/registry/credentials.hpp"

#include <cstring>

#include "base/assert.hpp"

namespace parley::engine {
namespace {

bool same_owner(const Credential& a, const Credential& b) {
  return a.workspace == b.workspace && a.agent == b.agent && a.person == b.person;
}

}  // namespace

void add_credential(State& state, std::string_view token_hash, const Credential& credential) {
  base::Digest hash{};
  PARLEY_ASSERT(token_hash.size() == hash.size());
  std::memcpy(hash.data(), token_hash.data(), hash.size());
  state.credentials[hash] = credential;
}

void remove_credentials(State& state, const Credential& whose) {
  absl::erase_if(state.credentials, [&](const auto& entry) { return same_owner(entry.second, whose); });
}

void limit_credentials(State& state, const Credential& whose, Instant until) {
  for (auto& [hash, credential] : state.credentials)
    if (same_owner(credential, whose) && (credential.valid_until == Instant{} || credential.valid_until > until))
      credential.valid_until = until;
}

}  // namespace parley::engine
