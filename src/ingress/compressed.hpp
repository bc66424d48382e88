// R27: content that comes compressed, {compressed: true, encoding, data}, is held against the type's schema and checks
// as it is inside. The message limit holds for what comes of it, too (F6).
#pragma once
#include "base/result.hpp"
#include "ingress/check.hpp"
#include "ingress/defects.hpp"

namespace parley::ingress {

// Adds what is wrong inside. PAYLOAD_TOO_LARGE where the message would be over its limit, OVERLOADED where the call's
// contents come to more than is left. Nothing where the profile has no such content, or the message's is not
// compressed.
base::Result<> check_compressed(const Native& native, const profile::Ruleset& rules, profile::TypeIndex type,
                                std::size_t* left, Defects& defects);

}  // namespace parley::ingress
