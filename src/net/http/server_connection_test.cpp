// COR-07 (HTTP/1.1): the connection machine, fed by hand.
#include "net/http/server_connection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/http/driven.hpp"

namespace parley::net::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Step = ServerConnection::Step;

const std::string get = "GET /a?x=1 HTTP/1.1\r\nHost: h\r\n\r\n";
const std::string post = "POST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello";
const std::string chunked =
    "PUT /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
    "3;a=b\r\nhel\r\n2\r\nlo\r\n0\r\nTrailer: x\r\n\r\n";

TEST(ServerConnection, AnswersPipelinedRequestsWhateverTheReadsCutThemInto) {
  const std::string all = get + post + chunked + "\r\n" + get;
  for (std::size_t size = 1; size <= all.size(); ++size) {
    Driven driven;
    driven.feed_in_pieces(all, size);
    ASSERT_THAT(driven.events,
                ElementsAre("head GET /a", "request GET /a []", "head POST /b", "request POST /b [hello]",
                            "head PUT /c", "request PUT /c [hello]", "head GET /a", "request GET /a []"))
        << "pieces of " << size;
    EXPECT_EQ(driven.written(),
              "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 6\r\n\r\nGET /a"
              "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\nPOST /b"
              "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 6\r\n\r\nPUT /c"
              "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 6\r\n\r\nGET /a");
    EXPECT_FALSE(driven.connection->finished());
  }
}

TEST(ServerConnection, IsTheSameAtEverySplitPoint) {
  const std::string all = post + chunked;
  for (std::size_t cut = 0; cut <= all.size(); ++cut) {
    Driven driven;
    driven.feed(all.substr(0, cut));
    driven.feed(all.substr(cut));
    ASSERT_THAT(driven.events,
                ElementsAre("head POST /b", "request POST /b [hello]", "head PUT /c", "request PUT /c [hello]"))
        << "cut at " << cut;
  }
}

TEST(ServerConnection, ShowsTheHeadBeforeTheBodyIsRead) {  // D10
  Driven driven;
  std::string_view input =
      "POST /x?q HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer t\r\nContent-Length: 100000\r\n\r\nabc";
  ASSERT_EQ(driven.connection->receive(input, driven.now), Step::head);
  EXPECT_EQ(input, "abc");
  EXPECT_EQ(driven.connection->head().find("authorization"), "Bearer t");
  EXPECT_EQ(driven.connection->head().query, "q");
  EXPECT_EQ(driven.connection->head().content_length, 100000u);
  EXPECT_TRUE(driven.connection->respond(driven.connection->number(), {.status = 401}, driven.now));
  EXPECT_EQ(driven.connection->receive(input, driven.now), Step::need_more);
  EXPECT_TRUE(driven.connection->finished()) << "a long unread body ends the connection";
  EXPECT_THAT(driven.written(), HasSubstr("401 Unauthorized\r\nContent-Length: 0\r\nConnection: close"));
}

TEST(ServerConnection, ReadsOverAShortBodyOfARefusedRequest) {
  for (const std::size_t size : {1u, 7u, 1000u}) {
    Driven driven;
    std::string input = post + get;
    bool refused = false;
    for (std::size_t at = 0; at < input.size(); at += size) {
      const std::string piece = input.substr(at, size);
      std::string_view rest = piece;
      Step step;
      while ((step = driven.connection->receive(rest, driven.now)) != Step::need_more) {
        if (step == Step::head && !std::exchange(refused, true))
          driven.connection->respond(driven.connection->number(), {.status = 401}, driven.now);
        else
          driven.note(step);
      }
    }
    EXPECT_THAT(driven.events, ElementsAre("head GET /a", "request GET /a []"));
    EXPECT_THAT(driven.written(), Not(HasSubstr("close")));
  }
}

TEST(ServerConnection, KeepsTheOrderOfAnswersThatComeInAnother) {
  Driven driven;
  driven.answers = false;
  driven.feed(get + post + get);
  ASSERT_EQ(driven.asked.size(), 3u);
  const auto [first, second, third] = std::tuple(driven.asked[0], driven.asked[1], driven.asked[2]);
  driven.answer(third, "3");
  driven.answer(second, "2");
  EXPECT_TRUE(driven.output.empty());
  driven.answer(first, "1");
  const std::string text = driven.written();
  EXPECT_LT(text.find("\r\n\r\n1"), text.find("\r\n\r\n2"));
  EXPECT_LT(text.find("\r\n\r\n2"), text.find("\r\n\r\n3"));
  EXPECT_FALSE(driven.connection->respond(first, {}, driven.now)) << "answered before";
  EXPECT_FALSE(driven.connection->respond(99, {}, driven.now)) << "never asked";
}

TEST(ServerConnection, ReadsNoFurtherAheadThanItsBound) {
  Driven driven;
  driven.answers = false;
  driven.settings.pipelined_max = 2;
  driven.feed(get + post + chunked + get);
  EXPECT_EQ(driven.asked.size(), 2u);
  EXPECT_EQ(driven.held, chunked + get);
  driven.answer(driven.asked[0], "1");
  driven.feed("");
  EXPECT_EQ(driven.asked.size(), 2u);
  EXPECT_EQ(driven.held, get);
}

TEST(ServerConnection, SaysContinueOnlyWhenTheBodyIsAwaited) {
  const std::string head = "POST /b HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n";
  Driven driven;
  driven.feed(head);
  EXPECT_EQ(driven.written(), "HTTP/1.1 100 Continue\r\n\r\n");
  driven.feed("hello");
  EXPECT_EQ(driven.events.back(), "request POST /b [hello]");
  driven.written();
  driven.feed(head + "h");
  EXPECT_EQ(driven.written(), "") << "the body is coming already";
  driven.feed("ello");

  Driven ordered;  // no "100 Continue" may come before the answer to an earlier request
  ordered.answers = false;
  ordered.feed(get + head);
  EXPECT_EQ(ordered.written(), "");
  ordered.answer(ordered.asked[0], "1");
  EXPECT_THAT(ordered.written(), testing::EndsWith("\r\n\r\n1HTTP/1.1 100 Continue\r\n\r\n"));

  Driven large;
  large.body_bytes_max = 4;
  large.feed(head);
  EXPECT_THAT(large.written(), testing::StartsWith("HTTP/1.1 413")) << "asked before sending, told before sending";
}

TEST(ServerConnection, AnswersHeadWithoutABodyAndClosesWhenAsked) {
  Driven driven;
  driven.feed("HEAD /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n" + get);
  EXPECT_EQ(driven.written(),
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 7\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(driven.events, ElementsAre("head HEAD /a", "request HEAD /a []")) << "nothing is read after a close";
  EXPECT_TRUE(driven.connection->finished());

  Driven old;
  old.feed("GET / HTTP/1.0\r\nHost: h\r\n\r\n");
  EXPECT_TRUE(old.connection->finished());
  Driven kept;
  kept.feed("GET / HTTP/1.0\r\nHost: h\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_FALSE(kept.connection->finished());
  EXPECT_THAT(kept.written(), HasSubstr("Connection: keep-alive\r\n"));
}

TEST(ServerConnection, WritesStandingFieldsAndNoLineACallerMadeUp) {  // G3
  Driven driven;
  driven.settings.standing_fields = "X-Standing: 1\r\n";
  driven.answers = false;
  driven.feed(get);
  driven.connection->respond(driven.asked[0], {.status = 204, .fields = {{"Location", "a\r\nSet-Cookie: b"}}},
                             driven.now);
  EXPECT_EQ(driven.written(), "HTTP/1.1 204 No Content\r\nX-Standing: 1\r\nLocation: a  Set-Cookie: b\r\n\r\n");
}

// E4: whoever stands between us and the caller may read such bytes otherwise than we do.
class AmbiguousFraming : public testing::TestWithParam<const char*> {};

TEST_P(AmbiguousFraming, IsRefusedAndEndsTheConnection) {
  const std::string bytes = GetParam();
  for (const std::size_t size : {std::size_t{1}, std::size_t{3}, bytes.size()}) {
    Driven driven;
    driven.feed_in_pieces(bytes + "GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n", size);
    ASSERT_FALSE(driven.events.empty()) << "in pieces of " << size;
    EXPECT_EQ(driven.events.back(), "refused BAD_REQUEST") << "in pieces of " << size;
    EXPECT_THAT(driven.events, Not(testing::Contains(HasSubstr("request"))));
    const std::string written = driven.written();
    EXPECT_THAT(written, testing::StartsWith("HTTP/1.1 400 Bad Request\r\n"));
    EXPECT_THAT(written, HasSubstr("Connection: close\r\n"));
    EXPECT_TRUE(driven.connection->finished());
  }
}

#define POST_ "POST / HTTP/1.1\r\nHost: h\r\n"
#define CHUNKED_ POST_ "Transfer-Encoding: chunked\r\n\r\n"
INSTANTIATE_TEST_SUITE_P(
    E4, AmbiguousFraming,
    testing::Values(
        POST_ "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        POST_ "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        POST_ "Transfer-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
        POST_ "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
        POST_ "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", POST_ "Content-Length: 5, 5\r\n\r\nhello",
        POST_ "Content-Length: +5\r\n\r\nhello", POST_ "Content-Length: -1\r\n\r\n",
        POST_ "Content-Length: 0x5\r\n\r\nhello", POST_ "Content-Length: 5 5\r\n\r\nhello",
        POST_ "Content-Length:\r\n\r\n", POST_ "Content-Length: 18446744073709551617\r\n\r\n",
        POST_ "Content-Length: 9999999999999999999\r\n\r\n", POST_ "Content-Length : 5\r\n\r\nhello",
        POST_ "Content-Length\t: 5\r\n\r\nhello", POST_ "Content-Length\r\n\r\n",
        POST_ "Transfer-Encoding: identity\r\n\r\n", POST_ "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        POST_ "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        POST_ "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
        POST_ "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        POST_ "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
        POST_ "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
        POST_ "Transfer-Encoding: \x0b"
              "chunked\r\n\r\n0\r\n\r\n",
        POST_ "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n", POST_ "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nhOsT: evil\r\n\r\n", "GET / HTTP/1.1\nHost: h\n\n",
        "GET / HTTP/1.1\r\nHost: h\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\nA: b\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\n\n",
        "GET / HTTP/1.1\r\nHost: h\rX: y\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n c\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n\tc\r\n\r\n", "GET / HTTP/1.1\r\n Host: h\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\n: v\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\nA B: v\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nA: \x01\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\nA\x80: v\r\n\r\n",
        "GET  / HTTP/1.1\r\nHost: h\r\n\r\n", "GET / HTTP/1.1 \r\nHost: h\r\n\r\n",
        "GET /  HTTP/1.1\r\nHost: h\r\n\r\n", "GET / HTTP/1.2\r\nHost: h\r\n\r\n", "GET / HTTP/2.0\r\nHost: h\r\n\r\n",
        "GET / http/1.1\r\nHost: h\r\n\r\n", "GET /\r\nHost: h\r\n\r\n", "GET\t/ HTTP/1.1\r\nHost: h\r\n\r\n",
        " GET / HTTP/1.1\r\nHost: h\r\n\r\n", "G@T / HTTP/1.1\r\nHost: h\r\n\r\n",
        "\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", "GET /\x80 HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /a#b HTTP/1.1\r\nHost: h\r\n\r\n", "GET * HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET http://evil/ HTTP/1.1\r\nHost: h\r\n\r\n", "GET http://h HTTP/1.1\r\nHost: h\r\n\r\n",
        "CONNECT h:80 HTTP/1.1\r\nHost: h\r\n\r\n", "GET ftp://h/ HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nAuthorization: a\r\nAuthorization: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nAuthorization:\r\nAuthorization: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nOrigin: a\r\nOrigin: b\r\n\r\n", "\x16\x03\x01\x02\x00\x01", "\x80",
        "SSH-2.0-x\r\n", "{\"json\": 1}", CHUNKED_ "fffffffffffffffff\r\n", CHUNKED_ "10000000000000000\r\n",
        CHUNKED_ "-1\r\n\r\n", CHUNKED_ "0x1\r\na\r\n0\r\n\r\n", CHUNKED_ "+1\r\na\r\n0\r\n\r\n",
        CHUNKED_ "1\na\n0\n\n....", CHUNKED_ "2\n{}\n0\n\n", CHUNKED_ "1\r\na\n0\n\n", CHUNKED_ "1\r\nab\r\n0\r\n\r\n",
        CHUNKED_ "1\r\na0\r\n\r\n..", CHUNKED_ "\r\n\r\n\r\n", CHUNKED_ "1 \r\na\r\n0\r\n\r\n",
        CHUNKED_ "1;a=\"\n\"\r\na\r\n0\r\n\r\n", CHUNKED_ "1;\r\na\r\n0\r\n\r\n", CHUNKED_ "1;a\nb\r\na\r\n0\r\n\r\n",
        CHUNKED_ "1\r\na\r\n0\r\nBad Trailer: x\r\n\r\n", CHUNKED_ "1\r\na\r\n0\r\nX: y\nZ: w\r\n\r\n"));

TEST(ServerConnection, TakesTheAbsoluteFormThatNamesTheHostAgain) {
  Driven driven;
  driven.feed("GET http://H:1/a?b HTTP/1.1\r\nHost: h:1\r\n\r\nOPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(driven.events, ElementsAre("head GET /a", "request GET /a []", "head OPTIONS *", "request OPTIONS * []"));
}

std::string head_of(std::size_t bytes) {
  const std::string begin = "GET / HTTP/1.1\r\nHost: h\r\nA: ", end = "\r\n\r\n";
  return begin + std::string(bytes - begin.size() - end.size(), 'x') + end;
}

// F3: at the limit, one below, one above and far above; whole, and byte by byte.
TEST(ServerConnection, HoldsItsLimits) {
  const auto outcome = [](const Driven& like, const std::string& bytes, std::size_t size) {
    Driven driven;
    driven.settings = like.settings;
    driven.body_bytes_max = like.body_bytes_max;
    driven.feed_in_pieces(bytes, size);
    return driven.events.empty() ? "" : driven.events.back().substr(0, driven.events.back().find('['));
  };
  const Driven plain;
  for (const std::size_t size : {std::size_t{1000}, std::size_t{1} << 30}) {
    EXPECT_EQ(outcome(plain, head_of(32767), size), "request GET / ");
    EXPECT_EQ(outcome(plain, head_of(32768), size), "request GET / ");
    EXPECT_EQ(outcome(plain, head_of(32769), size), "refused HEAD_TOO_LARGE");
    EXPECT_EQ(outcome(plain, head_of(327680), size), "refused HEAD_TOO_LARGE");
    const auto url = [](std::size_t bytes) {
      return "GET /?" + std::string(bytes - 2, 'x') + " HTTP/1.1\r\nHost: h\r\n\r\n";
    };
    EXPECT_EQ(outcome(plain, url(8191), size), "request GET / ");
    EXPECT_EQ(outcome(plain, url(8192), size), "request GET / ");
    EXPECT_EQ(outcome(plain, url(8193), size), "refused URL_TOO_LONG");
    EXPECT_EQ(outcome(plain, url(81920), size), "refused URL_TOO_LONG");
    EXPECT_EQ(outcome(plain, std::string(20000, 'A'), size), "refused URL_TOO_LONG") << "before the line is whole";
    const auto fields = [](int count) {
      std::string text = "GET / HTTP/1.1\r\nHost: h\r\n";
      for (int i = 1; i < count; ++i) text += "A: b\r\n";
      return text + "\r\n";
    };
    EXPECT_EQ(outcome(plain, fields(100), size), "request GET / ");
    EXPECT_EQ(outcome(plain, fields(101), size), "refused HEAD_TOO_LARGE");
    Driven small;
    small.body_bytes_max = 1000;
    const auto length = [](std::size_t bytes) {
      return "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(bytes) + "\r\n\r\n" +
             std::string(bytes, 'x');
    };
    const auto chunks = [](int bytes) {
      std::string text = CHUNKED_;
      for (int i = 0; i < bytes; ++i) text += "1\r\nx\r\n";
      return text + "0\r\n\r\n";
    };
    for (const int bytes : {999, 1000}) {
      EXPECT_EQ(outcome(small, length(static_cast<std::size_t>(bytes)), size), "request POST / ");
      EXPECT_EQ(outcome(small, chunks(bytes), size), "request POST / ");
    }
    for (const int bytes : {1001, 10000}) {
      EXPECT_EQ(outcome(small, length(static_cast<std::size_t>(bytes)), size), "refused PAYLOAD_TOO_LARGE");
      EXPECT_EQ(outcome(small, chunks(bytes), size), "refused PAYLOAD_TOO_LARGE");
    }
    EXPECT_EQ(outcome(small, CHUNKED_ "3e9\r\n", size), "refused PAYLOAD_TOO_LARGE") << "before a byte of it came";
    const std::string extension = CHUNKED_ "1;a=";
    EXPECT_EQ(outcome(plain, extension + std::string(100'000, 'x'), size), "refused BAD_REQUEST")
        << "endless extension";
    EXPECT_EQ(outcome(plain, CHUNKED_ "0\r\nA: " + std::string(100'000, 'x'), size), "refused BAD_REQUEST")
        << "endless trailer";
  }
}

// E2: slow heads, slow bodies, idle connections. Time is an argument.
TEST(ServerConnection, GivesAHeadTenSecondsFromItsFirstByte) {
  Driven driven;
  driven.feed("GET / HT");
  for (int i = 0; i < 9; ++i) {
    driven.wait(seconds(1));
    driven.feed("T");
  }
  EXPECT_THAT(driven.events, IsEmpty());
  EXPECT_EQ(driven.connection->next_deadline(), seconds(10));
  driven.wait(milliseconds(999));
  EXPECT_THAT(driven.events, IsEmpty());
  driven.wait(milliseconds(1));
  EXPECT_THAT(driven.events, ElementsAre("refused REQUEST_TIMEOUT"));
  EXPECT_THAT(driven.written(), testing::StartsWith("HTTP/1.1 408"));
  EXPECT_TRUE(driven.connection->finished());
}

TEST(ServerConnection, AsksABodyForItsMinimumRate) {
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n";
  Driven slow;
  slow.feed(head);
  for (int second = 0; second < 10; ++second) {
    slow.feed(std::string(100, 'x'));
    slow.wait(seconds(1));
  }
  EXPECT_EQ(slow.events.back(), "refused REQUEST_TIMEOUT");
  Driven steady;
  steady.feed(head);
  for (int second = 0; second < 97; ++second) {
    steady.feed(std::string(1024, 'x'));
    steady.wait(seconds(1));
  }
  EXPECT_THAT(steady.events, ElementsAre("head POST /"));
  steady.feed(std::string(1024, 'x'));
  EXPECT_THAT(steady.events.back(), HasSubstr("request POST /"));
  Driven dripping;  // one byte chunks count their bytes, too
  dripping.feed(CHUNKED_);
  for (int second = 0; second < 10; ++second) {
    dripping.feed("1\r\nx\r\n");
    dripping.wait(seconds(1));
  }
  EXPECT_EQ(dripping.events.back(), "refused REQUEST_TIMEOUT");
}

TEST(ServerConnection, IsIdleOnlyWhenNothingIsOwed) {
  Driven driven;
  driven.answers = false;
  driven.feed(get);
  EXPECT_EQ(driven.connection->next_deadline(), base::Duration::max()) << "a long poll may take its time";
  driven.wait(seconds(1000));
  driven.answer(driven.asked[0], "1");
  driven.wait(seconds(75) - milliseconds(1));
  EXPECT_THAT(driven.events, ElementsAre("head GET /a", "request GET /a []"));
  driven.wait(milliseconds(1));
  EXPECT_EQ(driven.events.back(), "idle over");
  Driven silent;
  silent.wait(seconds(10));
  EXPECT_THAT(silent.events, ElementsAre("idle over")) << "one that never says a word has ten seconds";
}

TEST(ServerConnection, IdlesFromTheAnswerAlsoAfterABodyInPieces) {
  Driven driven;
  driven.answers = false;
  driven.feed_in_pieces(post, 10);
  driven.wait(seconds(500));
  driven.answer(driven.asked[0], "1");
  driven.wait(seconds(74));
  EXPECT_EQ(driven.events.back(), "request POST /b [hello]");
}

TEST(ServerConnection, StopsAfterTheAnswersItOwes) {
  Driven idle;
  idle.connection->stop_after_answers();
  EXPECT_TRUE(idle.connection->finished());
  Driven owing;
  owing.answers = false;
  owing.feed(get + post);
  owing.connection->stop_after_answers();
  owing.feed(get);
  EXPECT_EQ(owing.asked.size(), 2u) << "takes no more";
  owing.answer(owing.asked[0], "1");
  EXPECT_THAT(owing.written(), Not(HasSubstr("close")));
  EXPECT_FALSE(owing.connection->finished());
  owing.answer(owing.asked[0], "2");
  EXPECT_THAT(owing.written(), HasSubstr("Connection: close"));
  EXPECT_TRUE(owing.connection->finished());
  Driven reading;
  reading.feed(post.substr(0, post.size() - 2));
  reading.connection->stop_after_answers();
  reading.feed("lo" + get);
  EXPECT_THAT(reading.written(), HasSubstr("Connection: close"));
  EXPECT_THAT(reading.events, ElementsAre("head POST /b", "request POST /b [hello]"));
}

TEST(ServerConnection, UpgradesAndLeavesWhatFollowsToTheOtherProtocol) {
  Driven driven;
  std::string_view input =
      "GET /s HTTP/1.1\r\nHost: h\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\r\nframes";
  ASSERT_EQ(driven.connection->receive(input, driven.now), Step::head);
  EXPECT_TRUE(driven.connection->head().asks_upgrade);
  ASSERT_TRUE(driven.connection->upgrade("websocket", {{"Sec-WebSocket-Accept", "x"}}));
  EXPECT_EQ(input, "frames");
  EXPECT_EQ(driven.written(),
            "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: x\r\nUpgrade: websocket\r\nConnection: "
            "Upgrade\r\n\r\n");
}

TEST(ServerConnection, ReadsNothingAfterARequestThatIsTheLast) {  // RFC 9112 §9.6
  const std::string last = "GET /last HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
  Driven driven;
  driven.answers = false;
  driven.feed(last + post);
  EXPECT_THAT(driven.events, ElementsAre("head GET /last", "request GET /last []"));
  EXPECT_FALSE(driven.connection->finished());
  driven.answer(driven.asked[0], "1");
  EXPECT_TRUE(driven.connection->finished());

  Driven refused;  // behind one that is not answered yet
  refused.answers = false;
  refused.feed(get);
  std::string_view input = last;
  ASSERT_EQ(refused.connection->receive(input, refused.now), Step::head);
  refused.connection->respond(refused.connection->number(), {.status = 401}, refused.now);
  refused.feed(post);
  EXPECT_EQ(refused.events.size(), 2u);
}

TEST(ServerConnection, WaitsForABodyOnlyOnceItHasSaidContinue) {
  Driven driven;
  driven.answers = false;
  driven.feed(get + "POST /b HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
  driven.wait(std::chrono::minutes(1));
  driven.answer(driven.asked[0], "1");
  EXPECT_THAT(driven.written(), testing::EndsWith("100 Continue\r\n\r\n"));
  driven.wait(std::chrono::seconds(9));
  driven.feed("hello");
  EXPECT_EQ(driven.events.back(), "request POST /b [hello]");
}

TEST(ServerConnection, ReadsNoFurtherWhileItsAnswersAreNotTaken) {  // D11
  Driven driven;
  driven.settings.unwritten_max = 50;
  driven.feed(get + get + get);
  EXPECT_EQ(driven.events.size(), 2u);
  EXPECT_EQ(driven.held, get + get);
  driven.written();
  driven.feed("");
  EXPECT_EQ(driven.events.size(), 4u);
}

TEST(ServerConnection, AnswersAlsoWhoseRefusedBodyDoesNotCome) {
  Driven driven;
  std::string_view input = post;
  input.remove_suffix(4);
  ASSERT_EQ(driven.connection->receive(input, driven.now), Step::head);
  const auto number = driven.connection->number();
  driven.connection->answer_later();
  EXPECT_EQ(driven.connection->receive(input, driven.now), Step::need_more);
  driven.wait(std::chrono::minutes(1));
  EXPECT_THAT(driven.events, IsEmpty());
  driven.connection->respond(number, {.status = 401}, driven.now);
  EXPECT_THAT(driven.written(), testing::AllOf(testing::StartsWith("HTTP/1.1 401 "), HasSubstr("Connection: close")));
  EXPECT_TRUE(driven.connection->finished());
}

TEST(ServerConnection, BecomesNothingElseWhileItStops) {
  Driven driven;
  std::string_view input = "GET /s HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n";
  EXPECT_EQ(driven.connection->receive(input, driven.now), Step::need_more);
  driven.connection->stop_after_answers();
  input = "\r\n";
  ASSERT_EQ(driven.connection->receive(input, driven.now), Step::head);
  EXPECT_EQ(driven.connection->upgrade("websocket", {}).error().code, base::ErrorCode::SHUTTING_DOWN);
}

TEST(ServerConnection, AnswersLaterWhoseBodyItDoesNotRead) {
  Driven driven;
  std::string_view input = post;
  ASSERT_EQ(driven.connection->receive(input, driven.now), Step::head);
  const auto number = driven.connection->number();
  driven.connection->answer_later();
  const std::string rest(input);
  driven.feed(rest + get);
  EXPECT_THAT(driven.events, ElementsAre("head GET /a", "request GET /a []"));
  EXPECT_EQ(driven.written(), "");
  driven.connection->respond(number, {.status = 401}, driven.now);
  EXPECT_THAT(driven.written(), testing::StartsWith("HTTP/1.1 401 "));
}

}  // namespace
}  // namespace parley::net::http
