// Where the server is and who calls: from what the caller names, the environment, and the data folder, in that order.
//   server  --server, PARLEY_SERVER, DATA/server.json {"url": …} as `parley serve` writes it, http://127.0.0.1:7411
//   token   --token, the agent's own in DATA/tokens/, PARLEY_TOKEN, DATA/admin.token (never in an agent's place)
//   DATA    --data, $XDG_DATA_HOME/parley, ~/.local/share/parley
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace parley::sdk {

inline constexpr std::string_view default_url = "http://127.0.0.1:7411";

// The value of a variable, empty where there is none. `system_environment` reads the process's.
using Environment = std::function<std::string(std::string_view name)>;
std::string system_environment(std::string_view name);

// What the caller names; empty: not named.
struct Wanted {
  std::string server{};
  std::string token{};
  std::string data_folder{};
  std::string workspace{};  // with `agent`: call as this agent of it
  std::string agent{};
};

struct Access {
  std::string url;  // without a '/' at the end
  std::string token;
  std::string data_folder;
  std::string workspace;  // as wanted; or, with an agent, the only one that has a token of this name
};

// NOT_FOUND where an agent is wanted and there is no token for it; BAD_REQUEST where its name is in several workspaces.
base::Result<Access> discover(const Wanted& wanted, const Environment& environment = system_environment);

std::string data_folder(const std::string& wanted, const Environment& environment = system_environment);

// Tokens of agents and people, DATA/tokens/WORKSPACE/NAME.token, each readable by its owner alone. They are made by
// whoever registers an agent, so that `--as NAME` works on the same machine.
class TokenStore {
 public:
  explicit TokenStore(const std::string& data_folder) : folder_(data_folder + "/tokens") {}

  base::Result<> put(std::string_view workspace, std::string_view name, std::string_view token) const;
  base::Result<std::string> get(std::string_view workspace, std::string_view name) const;
  void remove(std::string_view workspace, std::string_view name) const;
  std::vector<std::string> workspaces_of(std::string_view name) const;  // sorted
  std::string path(std::string_view workspace, std::string_view name) const;

 private:
  std::string folder_;
};

}  // namespace parley::sdk
