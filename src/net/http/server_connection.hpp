// One HTTP/1.1 connection seen from the server, without input, output or clock: bytes and times come in as arguments,
// what came of them goes out as a step, answers become bytes in an Output. Requests are answered in their order,
// whatever order the answers come in; ambiguous framing is refused and ends the connection (E4).
//
//   while (true) switch (connection.receive(input, now)) {
//     case head:      look at head(): accept(…), respond(…) or upgrade(…)   // the body has not been read (D10)
//     case request:   head() and body() are whole; respond(number(), …) now or later
//     case refused:   respond(number(), rendering of error()); the connection ends after it
//     case blocked:   too many requests wait for answers, or answers for the peer: feed the rest of `input` again later
//     case need_more: all of `input` is used
//   }
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "net/http/head.hpp"
#include "net/http/parser.hpp"
#include "net/http/response.hpp"
#include "net/http/settings.hpp"
#include "net/wire/output.hpp"

namespace parley::net::http {

// Resource type; one owner, one thread. `settings` and `output` outlive it.
class ServerConnection {
 public:
  enum class Step : std::uint8_t { need_more, head, request, refused, blocked, idle_over };

  ServerConnection(const Settings& settings, wire::Output& output, base::Duration now);

  // Takes from the front of `input`. The bytes behind it must stay until the call that answers need_more.
  Step receive(std::string_view& input, base::Duration now);

  std::uint64_t number() const { return next_number_ - 1; }  // of the request the last step spoke of
  const Head& head() const { return head_; }                 // until the next receive
  std::string_view body() const { return body_view_; }       // after `request`, until the next receive
  const base::Error& error() const { return error_; }        // after `refused`

  // After `head`: the body may come, up to this size. `refused` if it says that it is larger, else need_more.
  Step accept(std::uint64_t body_bytes_max, base::Duration now);

  // Answers the request of that number; false where it has been answered, or the connection ended before it.
  // After `head`, in place of accept: the body is not read, and where it is long the connection ends.
  bool respond(std::uint64_t number, Response&& response, base::Duration now);

  // After `head`, in place of accept: respond comes later, and the body is not read.
  void answer_later();

  // After `head`: the connection speaks another protocol from here on; what is left of the input is in that one.
  // Refused where a body follows or earlier requests are unanswered.
  base::Result<> upgrade(std::string_view protocol,
                         const std::vector<std::pair<std::string_view, std::string>>& fields);

  // When on_time should be called next; the far future where nothing is waited for.
  base::Duration next_deadline() const;
  Step on_time(base::Duration now);  // need_more, refused (it took too long) or idle_over (close it)

  void all_written(base::Duration now);  // to the peer, whose times begin anew

  void stop_after_answers();  // shutting down: the answers owed are the last
  std::size_t answers_owed() const { return waiting_.size(); }
  bool finished() const { return stopped_ && waiting_.empty(); }  // close it when the output is written

 private:
  enum class State : std::uint8_t { head, decision, length_body, chunked_body };

  struct Waiting {  // a request without its answer, or with one that has to wait for those before it
    std::uint64_t number;
    Framing framing;
    std::optional<Response> response;
  };

  Step receive_head(std::string_view& input, base::Duration now);
  Step begin_request(std::string_view text);
  void body_comes(std::string_view input, base::Duration now);
  Step receive_length_body(std::string_view& input);
  Step receive_chunked_body(std::string_view& input);
  Step finish_request();
  Step refuse(base::Error error);
  void forget_request();
  void keep_head();
  void leave_body_unread(Waiting& answered);
  void write_answers(base::Duration now);

  const Settings& settings_;
  wire::Output& output_;

  State state_ = State::head;
  bool stopped_ = false;          // reads no more requests
  bool draining_ = false;         // each answer is the last
  bool discarding_ = false;       // the body being read is of a request answered already
  bool continue_due_ = false;     // "100 Continue" is owed to the newest request
  bool delivered_ = false;        // head_ and body_view_ are still the owner's to read
  bool empty_line_read_ = false;  // one is let through before a request (RFC 9112 §2.2)

  HeadScan scan_;
  Head head_;
  std::string head_text_;  // where head_ points, once the input it came in is gone; or the beginning of a head
  bool head_kept_ = false;

  std::string body_;
  std::string_view body_view_;
  std::uint64_t body_left_ = 0;
  std::uint64_t body_received_ = 0;
  std::unique_ptr<ChunkedBody> chunks_;

  std::uint64_t next_number_ = 1;
  std::vector<Waiting> waiting_;
  base::Error error_;

  base::Duration since_;  // the head's or body's first byte, or the begin of idleness
  bool answered_any_ = false;
};

}  // namespace parley::net::http
