// A log that cannot be written stops nothing (B4): its reader is gone, or stands still with the pipe full. The server
// serves, stops when told, and ends where its journal fails, all in time.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "sdk/cpp/client.hpp"
#include "trace.hpp"
#include "trial.hpp"

namespace {

using namespace parley;
using namespace parley::e2e;

// The reading end of the server's log. Resource type.
class LogPipe {
 public:
  explicit LogPipe(std::string path) : path_(std::move(path)) {
    if (::mkfifo(path_.c_str(), 0600) != 0) throw Unusable("no fifo can be made");
    reader_ = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (reader_ < 0) throw Unusable("the fifo cannot be opened");
  }
  ~LogPipe() { close(); }
  LogPipe(const LogPipe&) = delete;
  LogPipe& operator=(const LogPipe&) = delete;

  const std::string& path() const { return path_; }
  void close() {
    if (reader_ >= 0) ::close(std::exchange(reader_, -1));
  }
  void await(std::string_view what) const {
    std::string text;
    std::array<char, 4096> bytes{};
    for (int patience = 0; text.find(what) == text.npos; ++patience) {
      if (patience == 2'000) throw Unusable("the server does not say: " + std::string(what));
      const ssize_t count = ::read(reader_, bytes.data(), bytes.size());
      if (count > 0) text.append(bytes.data(), static_cast<std::size_t>(count));
      if (count <= 0) std::this_thread::sleep_for(Milliseconds(10));
    }
  }
  // Not one byte more goes in.
  void fill() const {
    const int writer = ::open(path_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    const std::array<char, 4096> bytes{};
    while (::write(writer, bytes.data(), bytes.size()) > 0) {
    }
    while (::write(writer, bytes.data(), 1) > 0) {
    }
    ::close(writer);
  }

 private:
  std::string path_;
  int reader_ = -1;
};

struct Served {
  explicit Served(const std::string& name, std::vector<std::string> under = {})
      : folder(name), log(folder / "log"), server(start(std::move(under))) {
    if (!server.wait_until_ready(Milliseconds(20'000))) throw Unusable("the server does not become ready");
    log.await("Ctrl-C");  // its output goes there too
  }

  Server start(std::vector<std::string> under) const {
    auto started = Server::start({server_program, folder / "data", log.path(), std::move(under)});
    if (!started) throw Unusable(started.error().message);
    return std::move(*started);
  }
  base::Result<sdk::Reply> get(const std::string& token) {
    return sdk::Client(server.access(token)).get("/v1/workspaces", {.timeout = std::chrono::seconds(5)});
  }
  void must_serve(const std::string& promise) {
    (void)get("nobody's");  // which is logged
    std::this_thread::sleep_for(Milliseconds(200));
    require(get(server.admin_token()).has_value(), promise + ": the server does not answer");
  }
  void must_stop(const std::string& promise) {
    server.send(SIGTERM);
    const auto end = server.wait(Milliseconds(5'000));
    require(end.has_value(), promise + ": SIGTERM does not stop it within 5 s");
    require(end->signal == 0 && end->status == 0, promise + ": it ends with " + end->text());
  }

  const TempFolder folder;
  LogPipe log;
  Server server;
};

void reader_gone() {
  Served served("stderr-gone");
  served.log.close();
  served.must_serve("its log's reader is gone");
  served.must_stop("its log's reader is gone");
}

void pipe_full() {
  Served served("stderr-full");
  served.log.fill();
  served.must_serve("its log stands still");
  served.must_stop("its log stands still");
}

// B3: also then the process ends.
void pipe_full_and_journal_fails() {
  const TempFolder folder("trace");
  Served served("stderr-fails", under_strace(folder / "trace", "fdatasync:error=EIO:when=12+"));
  served.log.fill();
  (void)served.get("nobody's");
  sdk::Client admin(served.server.access(served.server.admin_token()));
  bool failed = false;
  for (int i = 0; !failed && i < 100; ++i)
    failed = !admin.post("/v1/workspaces", R"({"name":"w)" + std::to_string(i) + R"("})",
                         {.timeout = std::chrono::seconds(2)});
  require(failed, "B3: the server answers though nothing is synced");
  const auto end = served.server.wait(Milliseconds(3'000));
  require(end.has_value(), "B3: with its log standing still a failed sync does not end it within 3 s");
  require(end->signal == 0 && end->status != 0, "B3: after EIO it ends with " + end->text());
}

}  // namespace

int main(int count, char** words) {
  const std::string_view name = count == 2 ? words[1] : "";
  if (name == "gone") return judge(reader_gone);
  if (name == "full") return judge(pipe_full);
  if (name == "full_at_failure") return judge(pipe_full_and_journal_fails);
  std::fputs("usage: stderr_pipe_test gone|full|full_at_failure\n", stderr);
  return 2;
}
