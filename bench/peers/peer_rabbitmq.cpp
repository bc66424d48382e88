// RabbitMQ, a quorum queue: persistent messages with publisher confirms, at most `window` unconfirmed; a consumer that
// acks in groups.
#include <amqp.h>
#include <amqp_tcp_socket.h>

#include <atomic>
#include <set>
#include <thread>

#include "bench/peers/measurement.hpp"

namespace {

using namespace parley::peers;

constexpr amqp_channel_t channel = 1;
constexpr std::uint16_t prefetch = 2000;
constexpr std::uint64_t ack_group = 256;

amqp_bytes_t bytes(std::string_view text) {
  return {text.size(), const_cast<char*>(text.data())};
}

void check(amqp_rpc_reply_t reply, const char* what) {
  parley::peers::check(reply.reply_type == AMQP_RESPONSE_NORMAL, what);
}

struct Connected {
  amqp_connection_state_t state = amqp_new_connection();

  explicit Connected(int port) {
    amqp_socket_t* const socket = amqp_tcp_socket_new(state);
    parley::peers::check(amqp_socket_open(socket, "127.0.0.1", port) == AMQP_STATUS_OK, "cannot connect to RabbitMQ");
    check(amqp_login(state, "/", 0, 131'072, 0, AMQP_SASL_METHOD_PLAIN, "guest", "guest"), "login");
    amqp_channel_open(state, channel);
    check(amqp_get_rpc_reply(state), "channel");
  }
  ~Connected() { amqp_destroy_connection(state); }
};

void declare_queue(amqp_connection_state_t state) {
  amqp_table_entry_t entry{};
  entry.key = bytes("x-queue-type");
  entry.value.kind = AMQP_FIELD_KIND_UTF8;
  entry.value.value.bytes = bytes("quorum");
  const amqp_table_t arguments{1, &entry};
  amqp_queue_declare(state, channel, bytes("bench"), 0, 1, 0, 0, arguments);
  check(amqp_get_rpc_reply(state), "declare queue");
}

// Reads confirms until at most `left` of the unconfirmed messages are missing.
void await_confirms(amqp_connection_state_t state, std::set<std::uint64_t>& unconfirmed, std::size_t left) {
  while (unconfirmed.size() > left) {
    amqp_frame_t frame;
    parley::peers::check(amqp_simple_wait_frame(state, &frame) == AMQP_STATUS_OK, "no confirm came");
    if (frame.frame_type != AMQP_FRAME_METHOD) continue;
    parley::peers::check(frame.payload.method.id == AMQP_BASIC_ACK_METHOD, "a message was not confirmed");
    const auto* const ack = static_cast<amqp_basic_ack_t*>(frame.payload.method.decoded);
    if (ack->multiple)
      unconfirmed.erase(unconfirmed.begin(), unconfirmed.upper_bound(ack->delivery_tag));
    else
      unconfirmed.erase(ack->delivery_tag);
    amqp_maybe_release_buffers(state);
  }
}

std::uint64_t publish(amqp_connection_state_t state, const Work& work, Clock::time_point start) {
  amqp_confirm_select(state, channel);
  check(amqp_get_rpc_reply(state), "confirms");
  amqp_basic_properties_t properties{};
  properties._flags = AMQP_BASIC_DELIVERY_MODE_FLAG;
  properties.delivery_mode = 2;
  Payload payload(work.size);
  std::uint64_t sent = 0;
  std::set<std::uint64_t> unconfirmed;
  while (!work.over(sent, start)) {
    const int status = amqp_basic_publish(state, channel, amqp_empty_bytes, bytes("bench"), 0, 0, &properties,
                                          bytes(payload.make(sent)));
    parley::peers::check(status == AMQP_STATUS_OK, "publish");
    unconfirmed.insert(++sent);
    await_confirms(state, unconfirmed, work.window - 1);
  }
  await_confirms(state, unconfirmed, 0);
  return sent;
}

std::uint64_t consume(amqp_connection_state_t state, const std::atomic<std::uint64_t>& published) {
  amqp_basic_qos(state, channel, 0, prefetch, 0);
  amqp_basic_consume(state, channel, bytes("bench"), amqp_empty_bytes, 0, 0, 0, amqp_empty_table);
  check(amqp_get_rpc_reply(state), "consume");
  std::uint64_t received = 0, acked = 0;
  int empty = 0;
  while (acked < published && empty < 100) {
    amqp_maybe_release_buffers(state);
    amqp_envelope_t envelope;
    const timeval timeout{0, 100'000};
    const auto reply = amqp_consume_message(state, &envelope, &timeout, 0);
    const bool came = reply.reply_type == AMQP_RESPONSE_NORMAL;
    empty = came ? 0 : empty + 1;
    if (came) {
      ++received;
      amqp_destroy_envelope(&envelope);
    }
    if (received > acked && (received - acked >= ack_group || !came || received >= published)) {
      amqp_basic_ack(state, channel, received, 1);
      acked = received;
    }
  }
  return acked;
}

}  // namespace

int main(int argc, char** argv) {
  return run_peer([&] {
    const Arguments arguments(argc, argv);
    const Work work(arguments);
    const int port = static_cast<int>(arguments.number("--port", 5672));
    Connected publisher(port), consumer(port);
    declare_queue(publisher.state);

    std::atomic<std::uint64_t> published = UINT64_MAX;
    std::uint64_t acked = 0;
    const auto start = Clock::now();
    std::thread consuming;
    if (!work.publish_only)
      consuming = std::thread([&] { run_peer([&] { acked = consume(consumer.state, published); }); });
    published = publish(publisher.state, work, start);
    if (consuming.joinable()) consuming.join();
    report(published, acked, work, Clock::now() - start);
  });
}
