// UUIDs made from what is known already, so that the same seed gives the same one (D2).
#pragma once
#include <string>
#include <string_view>

namespace parley::base {

// In the form of RFC 9562 §5.4 (version 4), its bits from the seed's SHA-256.
std::string uuid_of(std::string_view seed);

}  // namespace parley::base
