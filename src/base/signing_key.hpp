// The secret half of an Ed25519 key pair. It has no text: it cannot be printed, compared or copied, only used, and kept
// in a file of its owner's alone (PKCS#8 in PEM, as `openssl pkey` reads it). Resource type, any one thread.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/signature.hpp"

namespace parley::base {

class SigningKey {
 public:
  static SigningKey fresh();  // from the operating system's randomness
  static SigningKey of_seed(std::span<const std::uint8_t, 32> seed);
  // Error: NOT_FOUND, FORBIDDEN where others can read it, BAD_REQUEST where it holds no such key.
  static Result<SigningKey> read(const std::string& path);

  ~SigningKey();
  SigningKey(SigningKey&&) noexcept;
  SigningKey& operator=(SigningKey&&) noexcept;

  PublicKey public_half() const;
  Signature sign(std::string_view bytes) const;
  // A new file of mode 0600, whole on disk on return; never over another. Error: CONFLICT, INTERNAL.
  Result<> write(const std::string& path) const;

 private:
  struct State;
  explicit SigningKey(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace parley::base
