// The state of a work tree as one hash: what a runner signs that it has checked (BEY-05).
#pragma once
#include <string>

#include "base/hash.hpp"
#include "base/result.hpp"

namespace parley::cli {

// SHA-256 over the files with their contents, which of them can be run, and where links point. In a git work tree those
// that git knows or would take up, and an error where git does not tell them; else all in the folder. Where it lies and
// when it changed says nothing.
base::Result<base::Digest> hash_of_tree(const std::string& directory);

}  // namespace parley::cli
