#include "ingress/compressed.hpp"

#include <algorithm>

#include "ingress/inflate.hpp"
#include "ingress/limits.hpp"
#include "json/parser.hpp"
#include "json/replace.hpp"
#include "profile/reading.hpp"

namespace parley::ingress {
namespace {

std::optional<Compression> compression_of(json::Value encoding) {
  if (!encoding || encoding.if_string() == "gzip") return Compression::gzip;
  if (encoding.if_string() == "zstd") return Compression::zstd;
  return std::nullopt;  // the schema's business
}

void add_inside(Defects inside, Defects& defects) {
  defects.found += inside.found;
  defects.at_least |= inside.at_least;
  const auto move = [](std::vector<base::Problem>& from, std::vector<base::Problem>& to) {
    for (base::Problem& problem : from) {
      if (to.size() == details_max) return;
      problem.message = "Inside the compressed content: " + problem.message;
      to.push_back(std::move(problem));
    }
  };
  if (defects.errors.empty()) defects.hint = std::move(inside.hint);
  move(inside.errors, defects.errors);
  move(inside.warnings, defects.warnings);
  std::ranges::move(inside.blocking, std::back_inserter(defects.blocking));
}

base::Error too_much_at_once(const std::string& where) {
  base::Error error;
  error.code = base::ErrorCode::OVERLOADED;
  error.message = "what is compressed here comes to more than " + std::to_string(inflated_max) + " bytes at once";
  error.where = where;
  error.retry_after = std::chrono::seconds(1);
  error.hint = "Send it again, with fewer compressed messages at a time.";
  return error;
}

// At most `most` bytes, and at most what is left, which is lessened by the work it was.
std::expected<std::string, NotInflated> inflate_within(std::string_view base64, Compression compression,
                                                       std::size_t most, std::size_t* left) {
  if (!left) return inflate(base64, compression, most);
  const std::size_t bound = std::min(most, *left);
  auto inflated = inflate(base64, compression, bound);
  *left -= std::min(*left, inflated ? inflated->size() : inflated.error().made);
  return inflated;
}

}  // namespace

base::Result<> check_compressed(const Native& native, const profile::Ruleset& rules, profile::TypeIndex type,
                                std::size_t* left, Defects& defects) {
  const auto& at = rules.reading->compressed_at;
  if (!at) return {};
  const json::Value content = at->resolve(native.value);
  if (content.find("compressed").if_bool() != true) return {};
  const json::Value data = content.find("data");
  const auto compression = compression_of(content.find("encoding"));
  if (!data.is_string() || !compression) return {};

  const std::string where = json::pointer_to(native.value, data);
  const auto defect = [&](const std::string& what) {
    ++defects.found;
    if (defects.errors.size() < details_max)
      defects.errors.push_back({where, "compressed", "The compressed content " + what + '.'});
    return base::Result<>();
  };
  const std::size_t around = native.bytes.size() - std::min(native.bytes.size(), data.as_string().size());
  const std::size_t most = rules.message_bytes_max - std::min(rules.message_bytes_max, around);
  const bool by_message = !left || most <= *left;
  const auto inflated = inflate_within(data.as_string(), *compression, most, left);
  if (!inflated && inflated.error().too_large)
    return by_message ? too_large_inside(where, rules) : std::unexpected(too_much_at_once(where));
  if (!inflated) return defect(inflated.error().why);
  const auto inside = json::Document::parse(*inflated, {.bytes = rules.message_bytes_max});
  if (!inside) return defect("is no JSON: " + inside.error().message + " at " + inside.error().where);
  if (inside->root().find("compressed").if_bool() == true) return defect("is compressed once more");

  std::string text;
  json::Writer writer(text);
  json::write_replaced(writer, native.value, content, inside->root());
  const auto message = json::Document::parse(text, {.bytes = text.size()});
  if (!message) return defect("is no JSON that a message may hold: " + message.error().message);
  add_inside(defects_of(message->root(), rules, type), defects);
  return {};
}

}  // namespace parley::ingress
