// Tokens' hashes and whom they stand for (D10: 256 random bits, kept as SHA-256).
#pragma once
#include "engine/state.hpp"

namespace parley::engine {

void add_credential(State& state, std::string_view token_hash, const Credential& credential);
void remove_credentials(State& state, const Credential& whose);
// The ones there are expire at `until`.
void limit_credentials(State& state, const Credential& whose, Instant until);

}  // namespace parley::engine
