// A client over HTTP: one call, one answer, or the server's own error.
//
//   sdk::Client client(access);
//   auto workspace = client.post("/v1/workspaces", R"({"name": "demo"})");
//   if (!workspace) std::cerr << workspace.error().message << workspace.error().hint_text();
//
// Errors are the server's (base::Error, by code), or UNREACHABLE where no answer came. Nothing is repeated by itself:
// what had no answer may have been done, and is repeated safely with the same message id (R8).
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "sdk/cpp/access.hpp"

namespace parley::sdk {

struct Reply {
  int status = 0;  // 2xx
  std::string body;
};

struct CallOptions {
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers{};
  base::Duration timeout = std::chrono::seconds(30);  // 0: none
};

// One kept-alive connection. Resource type, one thread.
class Client {
 public:
  explicit Client(Access access);
  ~Client();
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;

  // `target` is path and query, with names escaped. BAD_REQUEST, and nothing is sent, where a header's value holds a
  // control character.
  base::Result<Reply> call(std::string_view method, std::string_view target, std::string_view body = {},
                           const CallOptions& options = {});

  base::Result<Reply> get(std::string_view target, const CallOptions& options = {}) {
    return call("GET", target, {}, options);
  }
  base::Result<Reply> post(std::string_view target, std::string_view body, const CallOptions& options = {}) {
    return call("POST", target, body, options);
  }
  base::Result<Reply> put(std::string_view target, std::string_view body) { return call("PUT", target, body); }
  base::Result<Reply> patch(std::string_view target, std::string_view body) { return call("PATCH", target, body); }
  base::Result<Reply> remove(std::string_view target) { return call("DELETE", target); }

  const Access& access() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A name as a segment of a path or a value in a query.
std::string escape(std::string_view name);

// "/v1/workspaces/demo" + "/agents" + "/a"…: each part escaped.
std::string path_of(std::string_view workspace, std::initializer_list<std::string_view> parts = {});

}  // namespace parley::sdk
