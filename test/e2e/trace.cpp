#include "trace.hpp"

#include <charconv>
#include <cstdlib>
#include <unordered_map>

#include "trial.hpp"

namespace parley::e2e {
namespace {

std::int64_t number_at(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// "7</path/of/it>, …"
std::string_view path_of(std::string_view arguments) {
  const std::size_t open = arguments.find('<');
  if (open == std::string_view::npos || open > 8 || arguments.find(',') < open) return {};
  const std::size_t close = arguments.find('>', open);
  return close == std::string_view::npos ? std::string_view() : arguments.substr(open + 1, close - open - 1);
}

// "…) = 0", "…) = -1 EIO (Input/output error) (INJECTED)"
void read_result(SystemCall& call, std::string_view line) {
  const std::size_t equals = line.rfind(" = ");
  call.result = equals == std::string_view::npos ? -1 : number_at(line.substr(equals + 3));
  call.injected = equals != std::string_view::npos && line.find("(INJECTED)", equals) != std::string_view::npos;
}

}  // namespace

std::vector<std::string> under_strace(const std::string& trace_file, const std::string& inject) {
  const std::string probe = trace_file + ".probe";
  if (const End end = run({"strace", "-f", "-o", "/dev/null", "true"}, probe); end.status != 0)
    throw Skipped{"strace cannot attach here (" + end.text() + "): " + read_line(probe)};
  std::vector<std::string> command = {
      "strace",
      "-f",
      "--seccomp-bpf",
      "-y",
      "-ttt",
      "-s",
      "4000000",
      "-o",
      trace_file,
      "-e",
      "trace=pwrite64,pwritev,write,writev,sendto,sendmsg,sync_file_range,fdatasync,fsync,openat,rename,renameat,"
      "renameat2,mkdir"};
  if (!inject.empty()) command.insert(command.end(), {"-e", "inject=" + inject});
  return command;
}

Trace::Trace(const std::string& file) : text_(read_file(file)) {
  std::unordered_map<std::int64_t, std::size_t> unfinished;  // thread → its call
  std::uint64_t line_number = 0;
  for (std::size_t at = 0; at < text_.size();) {
    const std::size_t end = std::min(text_.find('\n', at), text_.size());
    std::string_view line = std::string_view(text_).substr(at, end - at);
    at = end + 1;
    ++line_number;

    const std::int64_t thread = number_at(line);
    line.remove_prefix(std::min(line.find(' '), line.size()));
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const double time = std::strtod(std::string(line.substr(0, line.find(' '))).c_str(), nullptr);
    line.remove_prefix(std::min(line.find(' ') + 1, line.size()));

    if (line.starts_with("+++")) {
      ended_at_ = time;
    } else if (line.starts_with("<... ")) {
      const auto begun = unfinished.find(thread);
      if (begun == unfinished.end()) continue;
      SystemCall& call = calls_[begun->second];
      read_result(call, line);
      call.done = line_number;
      call.time = time;
      unfinished.erase(begun);
    } else if (const std::size_t bracket = line.find('('); bracket != std::string_view::npos && line[0] != '-') {
      SystemCall call;
      call.name = line.substr(0, bracket);
      call.arguments = line.substr(bracket + 1);
      call.path = path_of(call.arguments);
      call.begun = line_number;
      call.done = UINT64_MAX;
      if (line.ends_with("<unfinished ...>")) {
        call.result = -1;
        unfinished[thread] = calls_.size();
      } else {
        read_result(call, line);
        call.done = line_number;
        call.time = time;
      }
      calls_.push_back(call);
    }
  }
}

bool is_send(const SystemCall& call) {
  const bool sends = call.name.starts_with("send") || call.name.starts_with("write");
  return sends && (call.path.starts_with("socket:") || call.path.starts_with("TCP"));
}

bool is_journal_write(const SystemCall& call) {
  return call.name.starts_with("pwrite") && call.path.ends_with(".segment");
}

}  // namespace parley::e2e
