// The two grammars of HTTP/1.1 that need care: a request's head and a chunked body. Beast's sans-I/O parser does the
// work, with what it lets through and we do not (E4): obs-fold, repeated or listed lengths, transfer codings other
// than one "chunked", absent or repeated Host, control characters in chunk extensions.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "net/http/head.hpp"
#include "net/http/settings.hpp"

namespace parley::net::http {

// Looks for the end of a head as bytes arrive, and for what may not stand in one. Value type.
class HeadScan {
 public:
  // Where the head ends (its length), or 0 while it goes on. `text` begins as it did in the call before, and is longer.
  base::Result<std::size_t> look(std::string_view text, const Settings& settings);

 private:
  std::size_t looked_at_ = 0;
  std::size_t line_begin_ = 0;
};

// `text` is a whole head, as HeadScan found it. Views of `into` point into `text`.
base::Result<> parse_head(std::string_view text, const Settings& settings, Head& into);

// Takes a chunked body apart. Resource type; one body each.
class ChunkedBody {
 public:
  explicit ChunkedBody(std::uint64_t body_bytes_max);
  ~ChunkedBody();

  // Takes from `input` what it can and appends the contents to `body`. True when the last chunk and the trailer
  // section (which is read over) are in.
  base::Result<bool> receive(std::string_view& input, std::string& body);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
  std::string carried_;  // the beginning of a chunk header or trailer section; bounded
};

}  // namespace parley::net::http
