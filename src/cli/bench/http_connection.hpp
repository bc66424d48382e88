// One kept-alive HTTP/1.1 connection with one request under way, without waiting: for many connections in one loop.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "sdk/cpp/access.hpp"
#include "sdk/cpp/socket.hpp"

namespace parley::cli::bench {

struct Response {
  int status = 0;
  std::string_view body;  // good until the next call
};

// Resource type, one thread.
class HttpConnection {
 public:
  static base::Result<HttpConnection> open(const sdk::Access& access);

  void post(std::string_view target, std::string_view body);
  bool busy() const { return busy_; }
  base::Result<> write();  // as much as can be
  // Writes and reads what can be; the response once it is whole.
  base::Result<std::optional<Response>> turn();

  int descriptor() const { return socket_.descriptor(); }
  bool wants_write() const { return written_ < request_.size(); }

 private:
  HttpConnection(sdk::Socket socket, std::string head) : socket_(std::move(socket)), fields_(std::move(head)) {}

  sdk::Socket socket_;
  std::string fields_;  // of every request
  std::string request_;
  std::size_t written_ = 0;
  std::string received_;
  std::size_t answered_ = 0;  // bytes of `received_` that the last response was
  bool busy_ = false;
};

}  // namespace parley::cli::bench
