// `parley serve`: the options it takes and what it says once it listens. The serving itself is app's.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/verb.hpp"

namespace parley::cli {

struct ServeOptions {
  std::string data_folder;  // never empty: the default is found already
  std::string listen = "127.0.0.1:7411";
  std::string journal = "file";
  std::vector<std::string> allowed_hosts;    // Host headers answered besides the address listened on
  std::vector<std::string> allowed_origins;  // of browsers
  std::string log_level = "info";
};

// What is known once the server can be called.
struct Started {
  std::string url;
  std::string data_folder;
  std::string admin_token_file;
  bool first_start = false;
};

// Serves until it is told to stop. `started` is called once, when connections are accepted.
using ServeEntry =
    std::function<base::Result<>(const ServeOptions& options, const std::function<void(const Started&)>& started)>;

}  // namespace parley::cli
