#include "base/signing_key.hpp"

#include <fcntl.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/assert.hpp"
#include "base/descriptor.hpp"

namespace parley::base {
namespace {

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;

constexpr off_t file_bytes_max = 4'096;

std::unexpected<Error> key_failed(const std::string& what, const std::string& path) {
  return fail(ErrorCode::INTERNAL, what + ' ' + path + ": " + std::strerror(errno), path);
}

}  // namespace

struct SigningKey::State {
  EVP_PKEY* key = nullptr;
  ~State() { EVP_PKEY_free(key); }  // which wipes it
};

SigningKey::SigningKey(std::unique_ptr<State> state) : state_(std::move(state)) {}
SigningKey::~SigningKey() = default;
SigningKey::SigningKey(SigningKey&&) noexcept = default;
SigningKey& SigningKey::operator=(SigningKey&&) noexcept = default;

SigningKey SigningKey::fresh() {
  auto state = std::make_unique<State>();
  state->key = EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
  PARLEY_ASSERT(state->key);
  return SigningKey(std::move(state));
}

SigningKey SigningKey::of_seed(std::span<const std::uint8_t, 32> seed) {
  auto state = std::make_unique<State>();
  state->key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, seed.data(), seed.size());
  PARLEY_ASSERT(state->key);
  return SigningKey(std::move(state));
}

Result<SigningKey> SigningKey::read(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0)
    return fail(ErrorCode::NOT_FOUND, "no key can be read at " + path + ": " + std::strerror(errno), path);
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return key_failed("cannot look at", path);
  if ((status.st_mode & 077) != 0)
    return fail(ErrorCode::FORBIDDEN, path + " can be read by others", path,
                "chmod 600 the file; if others may have read it, revoke the key and make another.");
  const auto none = [&] {
    return fail(ErrorCode::BAD_REQUEST, path + " holds no Ed25519 key", path,
                "Make one with `parley runner key FILE`.");
  };
  if (!S_ISREG(status.st_mode) || status.st_size > file_bytes_max) return none();
  const Bio bio(BIO_new_fd(file.get(), BIO_NOCLOSE), &BIO_free);
  auto state = std::make_unique<State>();
  // No password is asked for.
  state->key = PEM_read_bio_PrivateKey(bio.get(), nullptr, [](char*, int, int, void*) { return -1; }, nullptr);
  if (!state->key || EVP_PKEY_get_id(state->key) != EVP_PKEY_ED25519) return none();
  return SigningKey(std::move(state));
}

PublicKey SigningKey::public_half() const {
  PublicKey key{};
  std::size_t length = key.size();
  PARLEY_ASSERT(EVP_PKEY_get_raw_public_key(state_->key, key.data(), &length) == 1 && length == key.size());
  return key;
}

Signature SigningKey::sign(std::string_view bytes) const {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  PARLEY_ASSERT(context && EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, state_->key) == 1);
  Signature signature{};
  std::size_t length = signature.size();
  PARLEY_ASSERT(EVP_DigestSign(context.get(), signature.data(), &length,
                               reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()) == 1 &&
                length == signature.size());
  return signature;
}

Result<> SigningKey::write(const std::string& path) const {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file.get() < 0 && errno == EEXIST)
    return fail(ErrorCode::CONFLICT, path + " exists", path, "Name a file that does not; a key is never written over.");
  if (file.get() < 0 && (errno == ENOENT || errno == ENOTDIR))
    return fail(ErrorCode::NOT_FOUND, "there is no folder for " + path, path, "Make the folder first.");
  if (file.get() < 0) return key_failed("cannot make", path);
  const Bio bio(BIO_new_fd(file.get(), BIO_NOCLOSE), &BIO_free);
  const bool written = PEM_write_bio_PrivateKey(bio.get(), state_->key, nullptr, nullptr, 0, nullptr, nullptr) == 1;
  if (written && ::fsync(file.get()) == 0) return {};
  auto failure = key_failed("cannot write", path);
  ::unlink(path.c_str());
  return failure;
}

}  // namespace parley::base
