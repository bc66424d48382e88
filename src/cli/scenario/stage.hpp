// Where a story is played: a data folder, a server of its own on it, a workspace with the cast registered, and one
// child process an actor. Resource type: all of it goes with the object.
#pragma once
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "cli/scenario/story.hpp"
#include "sdk/cpp/client.hpp"
#include "sdk/cpp/server_process.hpp"

namespace parley::cli::scenario {

// What a part tells on its output, one JSON object a line; read by the stage, written by `scenario part`.
struct PartLine {
  std::string actor;
  std::string event;  // "begins", "refused", "answer_lost", "done", "failed"
  std::string step;
  std::string code, message;  // of the error
};
std::string to_json(const PartLine& line);

class Stage {
 public:
  static base::Result<std::unique_ptr<Stage>> set(const Story& story, const std::string& journal);

  base::Result<> begin(base::Duration pace);  // the parts
  base::Result<> restart_server();            // SIGKILL; and again on the same folder

  sdk::Client& admin() { return *admin_; }
  const std::string& workspace() const { return workspace_; }
  const std::string& data_folder() const { return data_folder_; }

  // What the parts told since the last call. An error where one ended, which none does by itself.
  base::Result<std::vector<PartLine>> heard();
  bool all_done() const;                // each part's steps are over
  base::Result<bool> nothing_waits();   // all mailboxes are empty
  std::string where_it_stands() const;  // each part's newest words, for who wonders

  ~Stage();

 private:
  Stage(const Story& story, base::TempFolder folder, std::string journal);
  base::Result<> start_server();
  base::Result<> furnish();
  base::Result<> enter(const Actor& actor);

  struct Part {
    std::string actor, log;
    std::optional<base::Process> process{};
    std::size_t read = 0;  // of its log
    std::string newest{};
    bool done = false;
  };

  const Story& story_;
  base::TempFolder folder_;
  std::string data_folder_, workspace_, journal_;
  std::unique_ptr<sdk::ServerProcess> server_;
  std::unique_ptr<sdk::Client> admin_;
  std::list<Part> parts_;
};

}  // namespace parley::cli::scenario
