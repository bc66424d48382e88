// What lies between the command line and its server: proxies of the environment, reverse proxies, certificates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "api.hpp"
#include "base/process.hpp"
#include "command.hpp"
#include "stand_in.hpp"

namespace parley::e2e {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const std::string forbidden = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

TEST(CommandsNetwork, A_proxy_is_not_told_the_token_of_a_server_on_this_machine) {
  const Server server;
  const StandIn proxy(forbidden);
  for (const char* name : {"http_proxy", "ALL_PROXY", "all_proxy"}) {
    const Ran ran = run_parley_with({name + ("=" + proxy.url())}, {"workspace", "list", "--data", server.folder()});
    EXPECT_EQ(ran.status, 0) << name << ran.err;
  }
  EXPECT_THAT(proxy.heard(), IsEmpty());
  for (const char* host : {"https://127.0.0.1:9", "https://127.1:9", "https://localhost:9", "https://LOCALHOST.:9",
                           "https://[::1]:9", "https://a.localhost:9", "https://user@127.0.0.1:9"})
    EXPECT_EQ(run_parley_with({"https_proxy=" + proxy.url(), "ALL_PROXY=" + proxy.url()},
                              {"workspace", "list", "--server", host, "--token", "t"})
                  .status,
              3)
        << host;
  EXPECT_THAT(proxy.heard(), IsEmpty());
}

TEST(CommandsNetwork, A_proxy_is_used_for_https_alone_and_sees_no_token) {
  const StandIn proxy(forbidden);
  const std::vector<std::string> environment{"http_proxy=" + proxy.url(), "https_proxy=" + proxy.url(),
                                             "ALL_PROXY=" + proxy.url()};
  const auto call = [&](const std::string& server) {
    return run_parley_with(environment, {"workspace", "list", "--server", server, "--token", "pt_secret"});
  };
  EXPECT_EQ(call("http://parley.invalid:7411").status, 3) << "there is no such name";
  EXPECT_THAT(proxy.heard(), IsEmpty());
  const Ran ran = call("https://parley.invalid:7411");
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.err, HasSubstr("NO_PROXY"));
  EXPECT_THAT(proxy.heard(), ElementsAre(StartsWith("CONNECT parley.invalid:7411 ")));
  for (const std::string& heard : proxy.heard()) EXPECT_THAT(heard, Not(HasSubstr("pt_secret")));
}

TEST(CommandsNetwork, A_proxy_whose_server_is_away_is_not_reached) {
  const StandIn proxy(bad_gateway);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"inbox"}, {"wait", "--timeout", "10s"}, {"tail", "-f"}}) {
    auto arguments = words;
    arguments.insert(arguments.end(), {"--as", "a", "-w", "w", "--server", proxy.url(), "--token", "t"});
    const Ran ran = run_parley(arguments);
    EXPECT_EQ(ran.status, 3) << words.front() << ran.out;
    EXPECT_THAT(ran.err, StartsWith("not reached: UNREACHABLE")) << words.front();
  }
}

TEST(CommandsNetwork, The_agent_of_the_guide_tries_again_where_a_proxy_says_that_its_server_is_away) {
  const auto folder = base::TempFolder::make("agent");
  ASSERT_TRUE(folder);
  const StandIn proxy(bad_gateway);
  auto agent = base::Process::start({"env", "PARLEY_SERVER=" + proxy.url(), "PARLEY_WORKSPACE=w", "PARLEY_TOKEN=t",
                                     "AGENT=a", "python3", source_folder() + "/docs/guide/agents/agent.py"},
                                    *folder / "log");
  ASSERT_TRUE(agent);
  EXPECT_GE(proxy.wait_for_calls(2), 2u) << read_file(*folder / "log");
  EXPECT_FALSE(agent->wait({})) << read_file(*folder / "log");
}

// An HTTPS server with a certificate of its own for `localhost`, in FOLDER/certificate.pem; its port in FOLDER/port.
constexpr std::string_view https_server = R"(
import http.server, os, ssl, subprocess, sys
os.chdir(sys.argv[1])
subprocess.run("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out certificate.pem "
               "-days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost".split(), check=True)
class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b'{"items": [{"name": "reached"}], "next": null}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
server = http.server.HTTPServer(("127.0.0.1", 0), Answers)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("certificate.pem", "key.pem")
server.socket = context.wrap_socket(server.socket, server_side=True)
open("port.new", "w").write(str(server.server_port))
os.rename("port.new", "port")
server.serve_forever()
)";

TEST(CommandsNetwork, A_certificate_of_ones_own_is_trusted_where_it_is_named) {
  const auto folder = base::TempFolder::make("certificate");
  ASSERT_TRUE(folder);
  auto server = base::Process::start({"python3", "-c", std::string(https_server), folder->path()}, *folder / "log");
  ASSERT_TRUE(server);
  for (int i = 0; i < 1'000 && read_file(*folder / "port").empty() && !server->wait({}); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const std::string port = read_file(*folder / "port");
  if (port.empty() && read_file(*folder / "log").find("'openssl'") != std::string::npos)
    GTEST_SKIP() << "there is no openssl to make a certificate";
  ASSERT_NE(port, "") << read_file(*folder / "log");
  const auto call = [&](const std::string& host, const std::vector<std::string>& environment) {
    return run_parley_with(environment,
                           {"workspace", "list", "--server", "https://" + host + ":" + port, "--token", "t"});
  };
  const std::vector<std::string> trusted{"SSL_CERT_FILE=" + *folder / "certificate.pem"};
  const Ran reached = call("localhost", trusted);
  EXPECT_EQ(reached.status, 0) << reached.err;
  EXPECT_THAT(reached.out, HasSubstr("reached"));
  for (const Ran& refused : {call("localhost", {}), call("127.0.0.1", trusted)}) {
    EXPECT_EQ(refused.status, 3);
    EXPECT_THAT(refused.err, HasSubstr("certificate"));
    EXPECT_THAT(refused.err, HasSubstr("SSL_CERT_FILE"));
    EXPECT_THAT(refused.err, Not(HasSubstr("parley serve")));
  }
  EXPECT_THAT(call("localhost", {"SSL_CERT_FILE=/no/such/file"}).err, HasSubstr("SSL_CERT_FILE must name"));
  const Server plain;
  const Ran no_tls = run_parley({"workspace", "list", "--server", "https://" + plain.host(), "--token", "t"});
  EXPECT_EQ(no_tls.status, 3);
  EXPECT_THAT(no_tls.err, HasSubstr("does not speak TLS"));
}

// Taken and settled alike: one of the two was given to somebody else meanwhile.
TEST(CommandsNetwork, What_wait_could_not_acknowledge_is_told) {
  const std::string body =
      R"({"deliveries":[{"delivery_id":"1-1","offset":1,"attempt":1,"lease_until":"x","message":{}},)"
      R"({"delivery_id":"2-1","offset":2,"attempt":1,"lease_until":"x","message":{}}],)"
      R"("results":[{"delivery_id":"1-1","status":"superseded"},{"delivery_id":"2-1","status":"done"}]})";
  const StandIn server("HTTP/1.1 207 Multi-Status\r\nContent-Type: application/json\r\nContent-Length: " +
                       std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body);
  const Ran ran = run_parley(
      {"wait", "--as", "a", "-n", "2", "--ack", "-w", "w", "--server", server.url(), "--token", "t", "--json"});
  EXPECT_EQ(ran.status, 1) << ran.out;
  EXPECT_EQ(ran.err, "superseded  1-1\n");
}

TEST(CommandsNetwork, A_name_of_two_dots_stays_in_its_place) {
  const StandIn server("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  run_parley({"task", "abort", "..", "-w", "w", "--server", server.url(), "--token", "t"});
  EXPECT_THAT(server.heard(), ElementsAre(StartsWith("POST /v1/workspaces/w/tasks/../abort ")));
}

}  // namespace
}  // namespace parley::e2e
