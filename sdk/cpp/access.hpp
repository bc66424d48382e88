// Where the server is and who calls: from what the caller names, the environment, and the data folder, in that order.
//   server  --server, PARLEY_SERVER, DATA/server.json {"url": …} as `parley serve` writes it and locks it while it
//           lives, http://127.0.0.1:7411
//   token   --token, the agent's or person's own in DATA/tokens/, PARLEY_TOKEN, DATA/admin.token, which never stands in
//           for an agent's. What is kept in DATA is sent to the server that gave it, and to no other.
//   CA      SSL_CERT_FILE, for https://
//   DATA    --data, PARLEY_DATA, $XDG_DATA_HOME/parley, ~/.local/share/parley
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <utility>
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
  std::string workspace{};      // with `agent`: call as this agent of it
  std::string agent{};          // an agent; or a person, where no agent's token of this name is kept
  bool prefers_person = false;  // the other way round
};

struct Access {
  std::string url;  // without a '/' at the end
  std::string token;
  std::string data_folder;
  std::string workspace;   // as wanted; or, with an agent, the only one that has a token of this name
  bool of_folder = false;  // the token is one that the data folder's own server gave
  std::string ca_file{};   // certificates to trust, PEM; empty: those that the system trusts
};

// Before each call with it: who waits through a restart does not know who listens there meanwhile. UNREACHABLE where
// the token is for the data folder's own server, and that has ended.
base::Result<> check_alive(const Access& access);

// NOT_FOUND where an agent is wanted and there is no token for it; BAD_REQUEST where its name is in several workspaces,
// or the server named is no URL;
// FORBIDDEN where the token that is kept is another server's than the one named; UNREACHABLE where it is of the data
// folder's own server, and that does not run.
base::Result<Access> discover(const Wanted& wanted, const Environment& environment = system_environment);

std::string data_folder(const std::string& wanted, const Environment& environment = system_environment);
std::string own_server(const std::string& data_folder);  // address of the server that runs with it; empty: none does

// The right to keep a new token in a folder, had before one is asked for: what would keep it from being kept is told
// then, and no other program keeps one there meanwhile, so that the newest stays. Where none was given, no empty folder
// is left. Resource type.
class TokenPlace {
 public:
  TokenPlace(std::string path, int folder) : path_(std::move(path)), folder_(folder) {}
  ~TokenPlace();
  TokenPlace(TokenPlace&& other) noexcept : path_(std::move(other.path_)), folder_(std::exchange(other.folder_, -1)) {}
  TokenPlace& operator=(TokenPlace&&) = delete;

 private:
  std::string path_;
  int folder_;  // open, with its lock
};

// Tokens of "agents" and "people", DATA/tokens/WORKSPACE/agents/NAME.token, each readable by its owner alone. They are
// made by whoever registers one, so that `--as NAME` works on the same machine. NAME.token.server beside it: the
// address of the server that gave it, where that is not the data folder's own.
class TokenStore {
 public:
  explicit TokenStore(const std::string& data_folder) : folder_(data_folder + "/tokens") {}

  struct Owner {
    std::string_view workspace;
    std::string_view whose;  // "agents" or "people": the same name may be in both
    std::string_view name;
  };
  base::Result<TokenPlace> place(const Owner& owner) const;
  base::Result<> put(const Owner& owner, std::string_view token, std::string_view server = {}) const;
  base::Result<std::string> get(const Owner& owner) const;
  std::string server(const Owner& owner) const;  // empty: the data folder's own
  void remove(const Owner& owner) const;
  std::vector<std::string> workspaces_of(std::string_view whose, std::string_view name) const;  // sorted
  std::string path(const Owner& owner) const;

 private:
  std::string folder_;
};

}  // namespace parley::sdk
