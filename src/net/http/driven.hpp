// For tests: a connection driven by hand, what it did as lines of text. No socket, no sleep.
#pragma once
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "net/http/server_connection.hpp"

namespace parley::net::http {

struct Driven {
  Settings settings;
  wire::Output output;
  base::Duration now{0};
  std::unique_ptr<ServerConnection> connection;
  std::uint64_t body_bytes_max = 1 << 20;
  bool answers = true;               // each request, with its method and path as the body
  std::vector<std::string> events;   // "head GET /", "request GET / [body]", "refused BAD_REQUEST"
  std::vector<std::uint64_t> asked;  // numbers of requests not answered by us
  std::string held;                  // what was fed while the connection was blocked

  Driven() { restart(); }

  void restart() {
    output = {};
    events.clear();
    asked.clear();
    held.clear();
    connection = std::make_unique<ServerConnection>(settings, output, now);
  }

  // The bytes are copied to a buffer that ends with the call, so that views kept too long are found.
  void feed(std::string_view bytes) {
    held += bytes;
    const std::string buffer = std::exchange(held, {});
    std::string_view input = buffer;
    while (true) {
      const auto step = connection->receive(input, now);
      if (step == ServerConnection::Step::blocked) {
        held = input;
        return;
      }
      if (!note(step)) return;
    }
  }

  void feed_in_pieces(std::string_view bytes, std::size_t size) {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(size, bytes.size()))) feed(bytes.substr(0, size));
  }

  void answer(std::uint64_t number, const std::string& text) {
    connection->respond(number, {.body = text}, now);
    std::erase(asked, number);
  }

  void wait(base::Duration time) {
    now += time;
    note(connection->on_time(now));
  }

  std::string written() {
    std::string text = output.text();
    output.consume(output.size());
    return text;
  }

  bool note(ServerConnection::Step step) {
    using Step = ServerConnection::Step;
    std::string line;
    if (step == Step::head || step == Step::request)
      line = std::string(connection->head().method) + ' ' + std::string(connection->head().path);
    if (step == Step::head) {
      events.push_back("head " + line);
      const auto then = connection->accept(body_bytes_max, now);
      return then == Step::need_more || note(then);
    }
    if (step == Step::request) {
      events.push_back("request " + line + " [" + std::string(connection->body()) + "]");
      asked.push_back(connection->number());
      if (answers) answer(connection->number(), line);
      return true;
    }
    if (step == Step::refused) {
      const auto& error = connection->error();
      events.push_back("refused " + std::string(info(error.code).name));
      connection->respond(connection->number(), {.status = info(error.code).http_status, .body = error.message}, now);
      return true;
    }
    if (step == Step::idle_over) events.push_back("idle over");
    return false;
  }
};

}  // namespace parley::net::http
