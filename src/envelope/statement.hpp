// What a runner says that it ran, and what came of it: the results of `parley review run-checks`, signed (BEY-05). It
// travels beside the message that uses it, as one token: base64url(statement) "." base64url(signature). Value types;
// who the runner is, and whether its key is good, is not known here.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "base/result.hpp"
#include "base/signature.hpp"
#include "base/signing_key.hpp"
#include "base/time.hpp"

namespace parley::envelope {

inline constexpr std::size_t evidence_bytes_max = 16'384;  // of a token
inline constexpr std::size_t signed_checks_max = 100;

struct SignedCheck {
  std::string name;     // of the verification
  std::string command;  // as it was given to the shell
  bool custom = false;
  std::int64_t expected = 0;
  std::optional<std::int64_t> exit_code;  // none: it was not done in time

  bool passed() const { return exit_code == expected; }
};

struct Statement {
  std::string runner, workspace, task, review;
  base::Instant at;
  base::Digest tree{};   // of the work tree as it was before the checks
  bool changed = false;  // it was another after them
  std::vector<SignedCheck> checks;
};

// Error: PAYLOAD_TOO_LARGE.
base::Result<std::string> sign(const Statement& statement, const base::SigningKey& key);

// A token that was read. Nothing in it is to be believed before `verifies`.
class Evidence {
 public:
  static base::Result<Evidence> parse(std::string_view token);  // Error: EVIDENCE_MALFORMED

  const Statement& statement() const { return statement_; }
  bool verifies(const base::PublicKey& key) const;

 private:
  std::string text_;  // that was signed
  base::Signature signature_{};
  Statement statement_;
};

}  // namespace parley::envelope
