// What the clients did and were told, kept apart from the server (reliability O1). An answer counts only once it was
// released; what a crash swallowed is unknown: neither done nor failed. Value type.
#pragma once
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/hash.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"

namespace parley::sim {

// One offer of a message to an agent, as the numbers behind a delivery_id say.
struct OfferKey {
  std::uint32_t workspace = 0;
  std::uint32_t agent = 0;
  std::uint64_t offset = 0;
  std::uint32_t epoch = 0;
  friend auto operator<=>(const OfferKey&, const OfferKey&) = default;
};

// A native message that a client handed in. Messages of one group have the same id: at most one may be accepted.
struct Issued {
  std::uint64_t group = 0;
  std::set<std::uint32_t> senders;  // agent numbers
  bool dated = true;                // has a timestamp: repeated after its id is forgotten it is TOO_OLD, never new
};
struct ContentKey {
  std::uint32_t workspace = 0;
  base::Digest hash{};
  friend auto operator<=>(const ContentKey&, const ContentKey&) = default;
};

struct AcceptedAnswer {
  ContentKey content;
  std::uint64_t offset = 0;
};

struct ReceivedDelivery {
  OfferKey offer;
  std::uint32_t attempt = 0;
  std::optional<base::Instant> lease_until;
  base::Digest hash{};
  bool notice = false;
};

struct Ledger {
  std::map<ContentKey, Issued> issued;
  std::set<OfferKey> acks_granted;                    // settle() said `done`, released or not
  std::map<std::uint64_t, std::uint32_t> credit_max;  // by session
  // Released since the chronicle was last compared.
  std::vector<AcceptedAnswer> accepted;
  std::vector<ReceivedDelivery> received;
  std::vector<OfferKey> acked;
};

}  // namespace parley::sim
