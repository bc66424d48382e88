// libcurl's easy interface, and nothing of it seen outside.
#include "sdk/cpp/client.hpp"

#include <curl/curl.h>

#include "base/assert.hpp"
#include "sdk/cpp/error_text.hpp"

namespace parley::sdk {
namespace {

constexpr long connect_timeout_ms = 5'000;
constexpr std::size_t answer_bytes_max = 256 << 20;

std::size_t append_body(char* bytes, std::size_t, std::size_t count, void* into) {
  auto& body = *static_cast<std::string*>(into);
  if (body.size() + count > answer_bytes_max) return 0;
  body.append(bytes, count);
  return count;
}

void start_library() {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  PARLEY_ASSERT(started == CURLE_OK);
}

// libcurl's list of header lines, freed with its owner.
class Lines {
 public:
  ~Lines() { curl_slist_free_all(first_); }
  void add(const std::string& line) { first_ = curl_slist_append(first_, line.c_str()); }
  curl_slist* get() const { return first_; }

 private:
  curl_slist* first_ = nullptr;
};

// "name: value". A value that ends the line would make another header of what follows; it is not repeated, for it may
// be a token.
base::Result<> add_header(Lines& lines, const std::string& name, const std::string& value) {
  for (const unsigned char c : value)
    if (c < 0x20 || c == 0x7f)
      return base::fail(base::ErrorCode::BAD_REQUEST, "a header's value holds a control character", name,
                        "Give it as one line of text.");
  lines.add(name + ": " + value);
  return {};
}

// As libcurl itself reads it; empty where it is none.
std::string host_of(const std::string& url) {
  CURLU* const parts = curl_url();
  char* host = nullptr;
  std::string text;
  if (parts && curl_url_set(parts, CURLUPART_URL, url.c_str(), 0) == CURLUE_OK &&
      curl_url_get(parts, CURLUPART_HOST, &host, 0) == CURLUE_OK)
    text = host;
  curl_free(host);
  curl_url_cleanup(parts);
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host.ends_with(".localhost") || host == "[::1]" ||
         (host.starts_with("127.") && host.find_first_not_of("0123456789.") == host.npos);
}

// A proxy of the environment (https_proxy, ALL_PROXY, NO_PROXY) sees the name of the server alone, and only behind TLS:
// over http:// it would see the token, and to this machine there is nothing between.
bool may_use_proxy(const std::string& url) {
  return url.starts_with("https://") && !is_loopback(host_of(url));
}

bool names_proxy() {
  for (const std::string_view name : {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"})
    if (!system_environment(name).empty()) return true;
  return false;
}

// Why no answer came; empty: what the error's code itself says.
std::string hint_about(CURLcode failure, bool with_proxy) {
  switch (failure) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ISSUER_ERROR:
      return "Its certificate must be for this name, and by an authority that this system trusts, or the file that "
             "SSL_CERT_FILE names.";
    case CURLE_SSL_CACERT_BADFILE:
      return "SSL_CERT_FILE must name a readable file of certificates (PEM).";
    case CURLE_SSL_CONNECT_ERROR:
      return "Check the address: what listens there does not speak TLS, or not this kind of it.";
    default:
      break;
  }
  if (!with_proxy || !names_proxy()) return {};
  return "It was tried through the proxy of https_proxy or ALL_PROXY; NO_PROXY names what is to be reached without.";
}

bool is_of_tls(CURLcode failure) {
  return failure == CURLE_PEER_FAILED_VERIFICATION || failure == CURLE_SSL_CONNECT_ERROR;
}

}  // namespace

struct Client::State {
  Access access;
  bool with_proxy;
  char why[CURL_ERROR_SIZE] = "";  // the last call failed, in libcurl's words
  CURL* handle;

  explicit State(Access given) : access(std::move(given)), with_proxy(may_use_proxy(access.url)) {
    start_library();
    handle = curl_easy_init();
    PARLEY_ASSERT(handle);
  }
  ~State() { curl_easy_cleanup(handle); }
};

Client::Client(Access access) : state_(std::make_unique<State>(std::move(access))) {}
Client::~Client() = default;
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;

const Access& Client::access() const {
  return state_->access;
}

base::Result<Reply> Client::call(std::string_view method, std::string_view target, std::string_view body,
                                 const CallOptions& options) {
  CURL* const handle = state_->handle;
  const Access& access = state_->access;
  PARLEY_CHECK(check_alive(access));
  const std::string url = access.url + std::string(target);
  const std::string verb(method);
  std::string answer;
  char* const why = state_->why;
  why[0] = 0;

  Lines lines;
  PARLEY_CHECK(add_header(lines, "Content-Type", options.content_type));
  lines.add("Accept: application/json");
  lines.add("Expect:");  // no waiting for 100 Continue
  if (!access.token.empty()) PARLEY_CHECK(add_header(lines, "Authorization", "Bearer " + access.token));
  for (const auto& [name, value] : options.headers) PARLEY_CHECK(add_header(lines, name, value));

  curl_easy_reset(handle);  // keeps the connection
  curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
  curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, verb.c_str());
  curl_easy_setopt(handle, CURLOPT_PATH_AS_IS, 1L);  // a task may be called ".."
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, why);
  if (!access.ca_file.empty()) curl_easy_setopt(handle, CURLOPT_CAINFO, access.ca_file.c_str());
  if (!state_->with_proxy) curl_easy_setopt(handle, CURLOPT_PROXY, "");
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_TCP_NODELAY, 1L);
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, connect_timeout_ms);
  curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS,
                   static_cast<long>(std::chrono::ceil<std::chrono::milliseconds>(options.timeout).count()));
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, lines.get());
  if (!body.empty() || method == "POST" || method == "PUT" || method == "PATCH") {
    curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    curl_easy_setopt(handle, CURLOPT_POSTFIELDS, body.data() ? body.data() : "");
  }
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, append_body);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &answer);

  const CURLcode done = curl_easy_perform(handle);
  if (done != CURLE_OK)
    return base::fail(base::ErrorCode::UNREACHABLE,
                      verb + " " + url + ": " + (is_of_tls(done) && *why ? why : curl_easy_strerror(done)), access.url,
                      hint_about(done, state_->with_proxy));
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  if (status < 200 || status > 299) {
    auto error = error_of(static_cast<int>(status), answer);
    if (error.where.empty()) error.where = verb + " " + std::string(target);
    return std::unexpected(std::move(error));
  }
  return Reply{static_cast<int>(status), std::move(answer)};
}

std::string escape(std::string_view name) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string text;
  text.reserve(name.size());
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '.' || c == '_' || c == '~';
    if (plain) {
      text += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      text += {'%', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return text;
}

std::string path_of(std::string_view workspace, std::initializer_list<std::string_view> parts) {
  std::string path = "/v1/workspaces/" + escape(workspace);
  for (const auto part : parts) path.append("/").append(escape(part));
  return path;
}

}  // namespace parley::sdk
