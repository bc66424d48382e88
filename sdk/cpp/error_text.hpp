// Errors as the server writes them, {"error": {code, message, hint, where, legal_next?, retry_after?, details?}}, read
// and written.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "json/value.hpp"
#include "json/writer.hpp"

namespace parley::sdk {

std::optional<base::ErrorCode> code_named(std::string_view name);

// From an answer's body. An answer that holds none, or names a code this version does not know, becomes the code that
// fits its HTTP status; with 502, 503 or 504 and no error of the server's own UNREACHABLE, since a proxy answered.
base::Error error_of(int http_status, std::string_view body);
// The error object inside an answer or a result.
base::Error read_error(json::Value error, int http_status);

void write_error(json::Writer& out, const base::Error& error);
std::string to_json(const base::Error& error);  // {"error": …}
// [{"instance", "schema", "message"}], as an error's details and a message's warnings are written.
void write_problems(json::Writer& out, const std::vector<base::Problem>& problems);
std::vector<base::Problem> read_problems(json::Value problems);  // none where it is no array

// What a program's exit status, or a retry, depends on.
enum class Failure : std::uint8_t { refused, unreachable };
Failure kind_of(const base::Error& error);

}  // namespace parley::sdk
