// A data folder with a server on it, the agents registered in it, and its log read into the ledger. Used by all
// end-to-end tests. Resource type, the main thread's.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ledger.hpp"
#include "load.hpp"
#include "sdk/cpp/client.hpp"
#include "server_process.hpp"

namespace parley::e2e {

class World {
 public:
  // `parent`: the data folder lies in it.
  explicit World(const std::string& parent, std::vector<std::string> under = {});

  // Starts a server and waits for it. Unusable where it does not become ready.
  void start(Milliseconds at_most = Milliseconds(20'000));
  void launch();                                                                     // without waiting
  void run_under(std::vector<std::string> command) { under_ = std::move(command); }  // from the next start on
  Server& server() { return *server_; }

  void enrol(Town& town);  // workspaces and agents of cast(), their tokens into the town
  sdk::Client admin() const;
  std::string url() const;
  const std::string& admin_token() const { return admin_token_; }

  // Reads what is new in the logs of all workspaces.
  void read_logs(Ledger& ledger);
  bool inboxes_empty();

  // `parley verify` (O6); says what is wrong, or nothing.
  std::string verify();

  const std::string& data_folder() const { return data_folder_; }
  std::string log() const { return read_file(log_); }

 private:
  std::string data_folder_, log_;
  std::vector<std::string> under_;
  std::unique_ptr<Server> server_;
  std::string admin_token_;
};

}  // namespace parley::e2e
