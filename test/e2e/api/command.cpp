#include "command.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

namespace parley::e2e {

namespace {

// With these as standard output and error; `out` empty: closed.
pid_t start(const std::vector<std::string>& arguments, const std::vector<std::string>& more, const std::string& out,
            const std::string& err) {
  const pid_t process = ::fork();
  if (process != 0) return process;
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  if (!out.empty()) ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO);
  ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
  if (out.empty()) ::close(STDOUT_FILENO);
  std::vector<char*> words{const_cast<char*>("parley")};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  char path[] = "PATH=/usr/bin:/bin";
  std::vector<char*> environment{path};
  for (const std::string& variable : more) environment.push_back(const_cast<char*>(variable.c_str()));
  environment.push_back(nullptr);
  ::execve(std::getenv("PARLEY_BINARY"), words.data(), environment.data());
  ::_exit(127);
}

Ran run(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
        const std::optional<std::string>& wanted_out) {
  char folder[] = "/tmp/parley-ran-XXXXXX";
  const std::string place = ::mkdtemp(folder);
  const std::string out = wanted_out.value_or(place + "/out"), err = place + "/err";
  const pid_t process = start(arguments, environment, out, err);
  int status = 0;
  ::waitpid(process, &status, 0);
  Ran ran{WIFEXITED(status) ? WEXITSTATUS(status) : -1, wanted_out ? "" : read_file(out), read_file(err)};
  std::filesystem::remove_all(place);
  return ran;
}

}  // namespace

Ran run_parley(const std::vector<std::string>& arguments) {
  return run(arguments, {}, std::nullopt);
}

Ran run_parley_with(const std::vector<std::string>& environment, const std::vector<std::string>& arguments) {
  return run(arguments, environment, std::nullopt);
}

Ran run_parley(const Server& server, std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--data", server.folder()});
  return run_parley(arguments);
}

pid_t start_parley(const std::string& out, const std::vector<std::string>& arguments,
                   const std::vector<std::string>& environment) {
  return start(arguments, environment, out, "/dev/null");
}

Ran run_parley_into(const std::string& out, const Server& server, std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--data", server.folder()});
  return run(arguments, {}, out);
}

}  // namespace parley::e2e
