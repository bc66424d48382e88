// Redis Streams: XADD in pipelines of `window` over some connections, a consumer group with XREADGROUP and XACK. What
// the server does between two of its syncs is what the pipelines hold together: that is why it likes many connections.
#include <hiredis/hiredis.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "bench/peers/measurement.hpp"

namespace {

using namespace parley::peers;

constexpr const char* stream = "bench";
constexpr std::size_t read_max = 256;

struct Closer {
  void operator()(redisContext* context) const { redisFree(context); }
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Connection = std::unique_ptr<redisContext, Closer>;
using Reply = std::unique_ptr<redisReply, Closer>;

Connection connect(int port) {
  Connection connection(redisConnect("127.0.0.1", port));
  check(connection && connection->err == 0, "cannot connect to Redis");
  return connection;
}

Reply next_reply(redisContext* connection) {
  void* raw = nullptr;
  check(redisGetReply(connection, &raw) == REDIS_OK, std::string("Redis: ") + connection->errstr);
  Reply reply(static_cast<redisReply*>(raw));
  if (reply->type == REDIS_REPLY_ERROR) throw std::runtime_error(std::string("Redis: ") + reply->str);
  return reply;
}

void append(redisContext* connection, const std::vector<std::string_view>& words) {
  std::vector<const char*> texts;
  std::vector<std::size_t> lengths;
  for (const auto word : words) {
    texts.push_back(word.data());
    lengths.push_back(word.size());
  }
  redisAppendCommandArgv(connection, static_cast<int>(words.size()), texts.data(), lengths.data());
}

void flush(redisContext* connection) {
  for (int done = 0; done == 0;) check(redisBufferWrite(connection, &done) == REDIS_OK, "cannot write to Redis");
}

// Every connection has one pipeline under way; answers are taken in turn and the next pipeline goes out at once.
std::uint64_t publish(int port, std::size_t connections, const Work& work, Clock::time_point start) {
  struct Producer {
    Connection connection;
    std::size_t unanswered = 0;
  };
  std::vector<Producer> producers;
  for (std::size_t i = 0; i < connections; ++i) producers.push_back({connect(port)});
  Payload payload(work.size);
  std::uint64_t sent = 0, answered = 0;
  while (true) {
    for (auto& [connection, unanswered] : producers) {
      for (; unanswered > 0; --unanswered, ++answered) next_reply(connection.get());
      for (; unanswered < work.window && !work.over(sent, start); ++unanswered, ++sent)
        append(connection.get(), {"XADD", stream, "*", "m", payload.make(sent)});
      flush(connection.get());
    }
    if (answered == sent && work.over(sent, start)) return sent;
  }
}

std::uint64_t consume(int port, std::size_t window, const std::atomic<std::uint64_t>& published) {
  const auto connection = connect(port);
  const std::string count = std::to_string(std::min(window, read_max));
  std::uint64_t acked = 0;
  int empty = 0;
  while (acked < published && empty < 100) {
    append(connection.get(), {"XREADGROUP", "GROUP", "g", "c", "COUNT", count, "BLOCK", "100", "STREAMS", stream, ">"});
    const Reply read = next_reply(connection.get());
    if (read->type != REDIS_REPLY_ARRAY || read->elements == 0) {
      ++empty;
      continue;
    }
    empty = 0;
    const redisReply* const entries = read->element[0]->element[1];
    std::vector<std::string_view> words{"XACK", stream, "g"};
    for (std::size_t i = 0; i < entries->elements; ++i) {
      const redisReply* const id = entries->element[i]->element[0];
      words.emplace_back(id->str, id->len);
    }
    append(connection.get(), words);
    acked += static_cast<std::uint64_t>(next_reply(connection.get())->integer);
  }
  return acked;
}

}  // namespace

int main(int argc, char** argv) {
  return run_peer([&] {
    const Arguments arguments(argc, argv);
    const Work work(arguments);
    const int port = static_cast<int>(arguments.number("--port", 6379));
    const auto group = connect(port);
    append(group.get(), {"XGROUP", "CREATE", stream, "g", "0", "MKSTREAM"});
    next_reply(group.get());

    std::atomic<std::uint64_t> published = UINT64_MAX;
    std::uint64_t acked = 0;
    const auto start = Clock::now();
    std::thread consuming;
    if (!work.publish_only)
      consuming = std::thread([&] { run_peer([&] { acked = consume(port, work.window, published); }); });
    published = publish(port, arguments.number("--connections", 16), work, start);
    if (consuming.joinable()) consuming.join();
    report(published, acked, work, Clock::now() - start);
  });
}
