#include "envelope/statement.hpp"

#include <algorithm>

#include "base/base64.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"

namespace parley::envelope {
namespace {

using base::Alphabet;

// What is signed begins with it, so that no signature made for another purpose is one of a statement.
constexpr std::string_view purpose = "parley checks 1\n";

std::string text_of(const Statement& statement) {
  std::string text(purpose);
  json::Writer writer(text);
  writer.begin_object().member("workspace", statement.workspace).member("task", statement.task);
  writer.member("review", statement.review).member("runner", statement.runner);
  writer.member("at", base::to_rfc3339(statement.at)).member("tree", base::to_hex(statement.tree));
  if (statement.changed) writer.member("changed", true);
  writer.key("checks").begin_array();
  for (const SignedCheck& check : statement.checks) {
    writer.begin_object().member("name", check.name);
    if (check.custom) writer.member("custom", true);
    writer.member("command", check.command).member("expected", check.expected);
    if (check.exit_code) writer.member("exit_code", *check.exit_code);
    writer.end_object();
  }
  writer.end_array().end_object();
  return text;
}

std::unexpected<base::Error> malformed(std::string why) {
  return base::fail(base::ErrorCode::EVIDENCE_MALFORMED, "the evidence " + std::move(why), "evidence");
}

bool read_text(json::Value object, std::string_view name, std::string& into) {
  const auto text = object.find(name).if_string();
  if (text) into = *text;
  return text.has_value();
}

bool read(json::Value value, SignedCheck& check) {
  const auto expected = value.find("expected").if_int();
  const json::Value exit_code = value.find("exit_code");
  if (!expected || (exit_code && !exit_code.if_int())) return false;
  check.expected = *expected;
  check.exit_code = exit_code.if_int();
  check.custom = value.find("custom").if_bool().value_or(false);
  return read_text(value, "name", check.name) && read_text(value, "command", check.command);
}

base::Result<> read(json::Value value, Statement& statement) {
  for (const auto& [name, into] : {std::pair("workspace", &statement.workspace),
                                   {"task", &statement.task},
                                   {"review", &statement.review},
                                   {"runner", &statement.runner}})
    if (!read_text(value, name, *into)) return malformed("names no " + std::string(name));
  const auto at = base::parse_rfc3339(value.find("at").if_string().value_or(""));
  if (!at) return malformed("has no time");
  statement.at = *at;
  if (!base::from_hex(value.find("tree").if_string().value_or(""), statement.tree))
    return malformed("has no hash of a work tree");
  statement.changed = value.find("changed").if_bool().value_or(false);
  const json::Value checks = value.find("checks");
  if (!checks.is_array() || checks.size() > signed_checks_max)
    return malformed("has no list of at most " + std::to_string(signed_checks_max) + " checks");
  for (const json::Value check : checks.elements())
    if (!read(check, statement.checks.emplace_back())) return malformed("has a check that is none");
  return {};
}

}  // namespace

base::Result<std::string> sign(const Statement& statement, const base::SigningKey& key) {
  const std::string text = text_of(statement);
  const base::Signature signature = key.sign(text);
  std::string token =
      base::to_base64(std::string_view(text).substr(purpose.size()), Alphabet::url) + '.' +
      base::to_base64({reinterpret_cast<const char*>(signature.data()), signature.size()}, Alphabet::url);
  if (token.size() <= evidence_bytes_max && statement.checks.size() <= signed_checks_max) return token;
  return base::fail(base::ErrorCode::PAYLOAD_TOO_LARGE,
                    "the signed statement of " + std::to_string(statement.checks.size()) + " checks has " +
                        std::to_string(token.size()) + " bytes; it may have " + std::to_string(evidence_bytes_max) +
                        ", of " + std::to_string(signed_checks_max) + " checks",
                    "evidence", "Put long commands into scripts of the work tree, and fewer checks into one review.");
}

base::Result<Evidence> Evidence::parse(std::string_view token) {
  Evidence evidence;
  if (token.size() > evidence_bytes_max)
    return malformed("has " + std::to_string(token.size()) + " bytes, the limit is " +
                     std::to_string(evidence_bytes_max));
  const std::size_t dot = token.find('.');
  const auto text = base::from_base64(token.substr(0, dot), Alphabet::url);
  const auto signature = dot == token.npos ? std::nullopt : base::from_base64(token.substr(dot + 1), Alphabet::url);
  if (!text || !signature || signature->size() != evidence.signature_.size())
    return malformed("is not a statement, a dot and a signature, each in base64url");
  std::copy(signature->begin(), signature->end(), evidence.signature_.begin());
  const auto document = json::Document::parse(*text);
  if (!document) return malformed("holds no JSON: " + document.error().message);
  PARLEY_CHECK(read(document->root(), evidence.statement_));
  evidence.text_ = std::string(purpose) + *text;
  return evidence;
}

bool Evidence::verifies(const base::PublicKey& key) const {
  return base::verifies(key, text_, signature_);
}

}  // namespace parley::envelope
