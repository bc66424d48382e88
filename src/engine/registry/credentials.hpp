// Tokens' hashes and whom they stand for (D10: 256 random bits, kept as SHA-256).
#pragma once
#include "engine/state.hpp"

namespace parley::engine {

// `tokens` are the owner's, oldest first.
using Tokens = std::vector<base::Digest>;

void add_credential(State& state, Tokens& tokens, std::string_view token_hash, const Credential& credential);
void remove_credentials(State& state, Tokens& tokens);
// The ones there are end at `until`. What has ended by now goes; of many within their grace the newest few stay.
void limit_credentials(State& state, Tokens& tokens, Instant now, Instant until);

}  // namespace parley::engine
