// What strace saw of the server: its calls that write, sync, send, create and rename, in order. Value types.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parley::e2e {

// The command that runs the server under strace; `inject` as strace takes it, or empty. Skipped where strace cannot
// attach on this machine.
std::vector<std::string> under_strace(const std::string& trace_file, const std::string& inject = {});

struct SystemCall {
  std::string_view name;
  std::string_view arguments;         // as strace prints them: descriptors with their paths, all bytes of buffers
  std::string_view path;              // of the first descriptor; empty: it is none
  std::int64_t result = 0;            // -1: it failed
  bool injected = false;              // strace answered in the kernel's place
  std::uint64_t begun = 0, done = 0;  // line numbers: an order over all threads
  double time = 0;                    // when done, in seconds
};

// Owns the text that its calls are views into.
class Trace {
 public:
  explicit Trace(const std::string& file);
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  const std::vector<SystemCall>& calls() const { return calls_; }
  double ended_at() const { return ended_at_; }  // when the process was gone; 0: not seen

 private:
  std::string text_;
  std::vector<SystemCall> calls_;
  double ended_at_ = 0;
};

bool is_send(const SystemCall& call);           // to a socket
bool is_journal_write(const SystemCall& call);  // to a segment

// Calls `see` with the number of each message that the buffers mention; one may come more than once.
template <class See>
void for_each_message(const SystemCall& call, const See& see);

}  // namespace parley::e2e

#include "messages.hpp"

namespace parley::e2e {

template <class See>
void for_each_message(const SystemCall& call, const See& see) {
  static constexpr std::string_view prefix = "e2e00000-0000-4000-8000-";
  constexpr std::size_t id_bytes = 36;
  for (std::size_t at = 0; (at = call.arguments.find(prefix, at)) != std::string_view::npos; at += id_bytes)
    if (const auto number = number_of(call.arguments.substr(at, id_bytes))) see(*number);
}

}  // namespace parley::e2e
