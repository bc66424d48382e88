// Addresses, paths and answers: what can be told without a server.
#include "sdk/cpp/client.hpp"

#include <gtest/gtest.h>

#include "sdk/cpp/error_text.hpp"
#include "sdk/cpp/socket.hpp"
#include "sdk/cpp/stream.hpp"
#include "sdk/cpp/workspace.hpp"

namespace parley::sdk {
namespace {

using base::ErrorCode;

TEST(ClientPaths, names_become_one_segment_each) {
  EXPECT_EQ(path_of("demo"), "/v1/workspaces/demo");
  EXPECT_EQ(path_of("a/b", {"agents", "x y?z", "ä"}), "/v1/workspaces/a%2Fb/agents/x%20y%3Fz/%C3%A4");
  EXPECT_EQ(escape("Az09-._~"), "Az09-._~");
}

TEST(ClientAddress, host_port_and_authority_are_read) {
  auto endpoint = endpoint_of("http://127.0.0.1:7411/");
  ASSERT_TRUE(endpoint);
  EXPECT_EQ(endpoint->host, "127.0.0.1");
  EXPECT_EQ(endpoint->port, "7411");
  EXPECT_EQ(endpoint->authority, "127.0.0.1:7411");
  endpoint = endpoint_of("http://[::1]:7411");
  EXPECT_EQ(endpoint->host, "::1");
  EXPECT_EQ(endpoint->port, "7411");
  EXPECT_EQ(endpoint_of("http://parley.example")->port, "80");
  EXPECT_EQ(endpoint_of("http://[::1]")->port, "80");
  for (const char* url : {"", "127.0.0.1:7411", "https://a:1", "http://", "http://:1", "http://a:", "http://a:b"})
    EXPECT_FALSE(endpoint_of(url)) << url;
}

TEST(ClientCalls, a_port_nobody_listens_on_is_unreachable_on_both_fronts) {
  const Access access{.url = "http://127.0.0.1:9", .token = "t", .data_folder = {}, .workspace = {}};
  Client client(access);
  const auto reply = client.get("/healthz");
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::UNREACHABLE);
  const auto stream = Stream::open(access, "demo", "a", {});
  ASSERT_FALSE(stream);
  EXPECT_EQ(stream.error().code, ErrorCode::UNREACHABLE);
}

TEST(ClientCalls, a_headers_value_stays_one_line) {
  const std::string url = "http://127.0.0.1:9";
  Client client({.url = url, .token = "t", .data_folder = {}, .workspace = {}});
  Client with_odd_token({.url = url, .token = "pt_a\r\nX: y", .data_folder = {}, .workspace = {}});
  for (const std::string value : {"a\r\nX: y", "a\nb", "a\x7f", "\t"}) {
    const auto reply = client.post("/v1", "{}", {.headers = {{"Idempotency-Key", value}}});
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code, ErrorCode::BAD_REQUEST) << value;
    EXPECT_EQ(reply.error().where, "Idempotency-Key");
  }
  const auto reply = with_odd_token.get("/v1/limits");
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::BAD_REQUEST);
  EXPECT_EQ(reply.error().message.find("pt_a"), std::string::npos) << "a token is not repeated";
  EXPECT_EQ(client.post("/v1", "{}", {.headers = {{"Idempotency-Key", "ä b"}}}).error().code, ErrorCode::UNREACHABLE);
}

TEST(ClientDeliveries, every_part_of_a_frame_is_read_whatever_the_order) {
  const auto taken = Taken::read(R"({"deliveries": [
      {"message": {"a": [1, "}"] }, "made": {"x": [{}]}, "warnings": [{"instance": "/x"}], "priority": "high", "attempt": 2,
       "lease_until": "2026-01-01T00:00:00Z", "offset": 17, "delivery_id": "17-2"},
      {"delivery_id": "18-1", "notice": {"notice": "expired"}, "origin": "server", "offset": 18}]})");
  ASSERT_TRUE(taken);
  const Deliveries all = taken->deliveries();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].delivery_id, "17-2");
  EXPECT_EQ(all[0].offset, 17u);
  EXPECT_EQ(all[0].attempt, 2u);
  EXPECT_EQ(all[0].priority, "high");
  EXPECT_EQ(all[0].lease_until, "2026-01-01T00:00:00Z");
  EXPECT_EQ(all[0].message, R"({"a": [1, "}"] })");
  EXPECT_EQ(all[0].warnings, R"([{"instance": "/x"}])");
  EXPECT_FALSE(all[0].by_server);
  EXPECT_EQ(all[1].message, "");
  EXPECT_EQ(all[1].notice, R"({"notice": "expired"})");
  EXPECT_TRUE(all[1].by_server);
  EXPECT_EQ(all[1].lease_until, "") << "at most once: no ack is expected";
}

TEST(ClientDeliveries, they_stay_where_their_answer_is_moved) {
  auto taken = Taken::read(R"({"deliveries":[{"delivery_id":"1-1","message":{}}]})");
  ASSERT_TRUE(taken);
  const Taken moved = std::move(*taken);
  EXPECT_EQ(moved.deliveries().front().delivery_id, "1-1");
  EXPECT_EQ(moved.deliveries().front().message, "{}");
}

TEST(ClientDeliveries, a_frame_of_another_kind_has_none) {
  DeliveryReader reader;
  const auto result = reader.read(R"({"op":"result","re":1,"results":[]})");
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->has_value());
  const auto deliver = reader.read(R"({"deliveries":[{"delivery_id":"1-1"}],"op":"deliver"})");
  ASSERT_TRUE(deliver);
  ASSERT_TRUE(deliver->has_value());
  EXPECT_EQ((*deliver)->front().delivery_id, "1-1");
}

TEST(ClientDeliveries, a_reader_reads_texts_of_every_size_one_after_the_other_whatever_stands_behind_them) {
  DeliveryReader reader;
  for (const std::size_t bytes : {10u, 100'000u, 1u, 5'000u, 300'000u}) {
    const std::string message = "{\"a\":\"" + std::string(bytes, 'x') + "\"}";
    const std::string text = R"({"op":"deliver","deliveries":[{"delivery_id":"\u0031-1","message":)" + message + " }]}";
    for (const char stale : {'}', ']', ',', '"', 'x'}) {
      const std::string padded = text + std::string(json::padding, stale);
      const auto read = reader.read_padded(std::string_view(padded).substr(0, text.size()));
      ASSERT_TRUE(read && *read) << bytes << stale;
      EXPECT_EQ((*read)->front().delivery_id, "1-1");
      EXPECT_EQ((*read)->front().message, message);
    }
    EXPECT_FALSE(reader.read("{\"op\":\"deliver\",\"deliveries\":[{}"));
  }
}

TEST(ClientDeliveries, an_answer_that_is_none_is_an_error) {
  for (const char* text : {"<html>", "", "[]", "{\"deliveries\":{}}", R"({"deliveries":[{"offset":"1"}]})",
                           R"({"deliveries":[{"attempt":4294967296}]})", R"({"deliveries":[{"delivery_id":1}]})",
                           R"({"deliveries":[{"delivery_id":"1-1","message":{})", R"({"op":1})", R"({"op")",
                           R"({"deliveries":[]} {})", R"({"deliveries":[]}})"}) {
    const auto taken = Taken::read(text);
    ASSERT_FALSE(taken) << text;
    EXPECT_EQ(taken.error().code, ErrorCode::INTERNAL) << text;
  }
  const auto empty = Taken::read("{}");
  ASSERT_TRUE(empty);
  EXPECT_TRUE(empty->deliveries().empty());
}

}  // namespace
}  // namespace parley::sdk
