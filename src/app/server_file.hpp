// DATA/server.json {"url", "pid"}, for the command line to find the server. It is locked as long as the server lives: a
// killed one leaves its file, and without the lock nobody sends a token there. A full disk keeps no server from
// serving: the file is then written as soon as there is room (B4). Resource type, the loop's.
#pragma once
#include <memory>
#include <string>

#include "base/file.hpp"
#include "base/result.hpp"
#include "observe/log.hpp"

namespace parley::app {

class ServerFile {
 public:
  ServerFile(base::FileSystem& files, std::string folder, std::string url, observe::Log& log);

  // Errors: as write_private(), but for a full disk.
  base::Result<> write();
  void look();  // tries again where it is not written yet
  void remove();

 private:
  base::Result<> try_to_write();

  base::FileSystem& files_;
  const std::string folder_, url_;
  observe::Log& log_;
  std::unique_ptr<base::FileLock> alive_;  // null: not written
};

}  // namespace parley::app
