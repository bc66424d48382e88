// The data of spec/ that the binary carries: spec/profiles/** and spec/envelope/kinds.json, written by
// tools/gen/embed.py.
#pragma once
#include <span>
#include <string_view>

namespace parley::profile {

struct EmbeddedFile {
  std::string_view path;  // below spec/: "profiles/collab/profile.json"
  std::string_view bytes;
};

std::span<const EmbeddedFile> embedded_files();  // sorted by path

}  // namespace parley::profile
