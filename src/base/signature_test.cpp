#include "base/signature.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/base64.hpp"
#include "base/hash.hpp"
#include "base/signing_key.hpp"

namespace parley::base {
namespace {

template <class T>
concept printable = requires(std::ostream& out, const T& value) { out << value; };
static_assert(!printable<SigningKey> && !std::is_copy_constructible_v<SigningKey>);

// RFC 8032 §7.1, test 2.
TEST(Signature, is_that_of_the_standard) {
  Digest seed{};
  ASSERT_TRUE(from_hex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb", seed));
  const SigningKey key = SigningKey::of_seed(seed);
  const PublicKey half = key.public_half();
  EXPECT_EQ(to_hex(Digest(half)), "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
  Signature signature = key.sign("\x72");
  EXPECT_EQ(to_hex({reinterpret_cast<const char*>(signature.data()), signature.size()}),
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
            "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");
  EXPECT_TRUE(verifies(half, "\x72", signature));
  EXPECT_FALSE(verifies(half, "\x73", signature));
  EXPECT_FALSE(verifies(SigningKey::fresh().public_half(), "\x72", signature));
  signature[63] ^= 1;
  EXPECT_FALSE(verifies(half, "\x72", signature));
  EXPECT_EQ(parse_public_key(to_text(half)), half);
  EXPECT_FALSE(parse_public_key("c2hvcnQ="));
}

TEST(SigningKey, is_kept_in_a_file_of_its_owners_alone) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "parley-signing-key";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string path = folder / "key.pem";
  const SigningKey key = SigningKey::fresh();
  ASSERT_TRUE(key.write(path));
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  const auto again = SigningKey::read(path);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->public_half(), key.public_half());
  EXPECT_EQ(key.write(path).error().code, ErrorCode::CONFLICT);
  const auto homeless = key.write(folder / "none/key.pem");
  EXPECT_EQ(homeless.error().code, ErrorCode::NOT_FOUND);
  EXPECT_EQ(homeless.error().hint, "Make the folder first.");
  std::filesystem::permissions(path, std::filesystem::perms(0644));
  EXPECT_EQ(SigningKey::read(path).error().code, ErrorCode::FORBIDDEN);
  std::filesystem::permissions(path, std::filesystem::perms(0600));
  std::ofstream(path) << "no key";
  EXPECT_EQ(SigningKey::read(path).error().code, ErrorCode::BAD_REQUEST);
  EXPECT_EQ(SigningKey::read(folder / "none").error().code, ErrorCode::NOT_FOUND);
  std::filesystem::remove_all(folder);
}

// RFC 4648 §10.
TEST(Base64, is_read_in_one_way_alone) {
  for (const auto& [bytes, text] :
       {std::pair("", ""), {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foobar", "Zm9vYmFy"}}) {
    EXPECT_EQ(to_base64(bytes, Alphabet::standard), text);
    EXPECT_EQ(from_base64(text, Alphabet::standard), bytes);
  }
  EXPECT_EQ(to_base64("\xfb\xff", Alphabet::url), "-_8");
  EXPECT_EQ(from_base64("-_8", Alphabet::url), "\xfb\xff");
  for (const char* other : {"Zg", "Zh==", "Zg=", "Z===", "Zm9v=", "Zm 9v", "-_8="})
    EXPECT_FALSE(from_base64(other, Alphabet::standard)) << other;
  for (const char* other : {"Zg==", "Zh", "Z", "+/8"}) EXPECT_FALSE(from_base64(other, Alphabet::url)) << other;
}

}  // namespace
}  // namespace parley::base
