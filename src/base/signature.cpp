#include "base/signature.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <memory>

#include "base/base64.hpp"

namespace parley::base {
namespace {

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

bool verifies(const PublicKey& key, std::string_view bytes, const Signature& signature) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> pkey(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, key.data(), key.size()), &EVP_PKEY_free);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  // Where OpenSSL is set up without Ed25519, nothing verifies.
  if (!pkey || !context || EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, pkey.get()) != 1)
    return false;
  return EVP_DigestVerify(context.get(), signature.data(), signature.size(), bytes_of(bytes), bytes.size()) == 1;
}

std::string to_text(const PublicKey& key) {
  return to_base64({reinterpret_cast<const char*>(key.data()), key.size()}, Alphabet::standard);
}

std::optional<PublicKey> parse_public_key(std::string_view text) {
  const auto bytes = from_base64(text, Alphabet::standard);
  PublicKey key{};
  if (!bytes || bytes->size() != key.size()) return std::nullopt;
  std::copy(bytes->begin(), bytes->end(), key.begin());
  return key;
}

}  // namespace parley::base
