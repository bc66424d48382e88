#include "call.hpp"

#include "../conformance/profiles/edit.hpp"
#include "json/writer.hpp"
#include "no_result.hpp"
#include "print.hpp"

namespace parley::scenarios {

Run by_admin(std::function<void(const Call&, const broker::Caller&)> run) {
  return [run = std::move(run)](const Call& call) {
    if (const auto who = caller(call, "admin")) run(call, *who);
  };
}

std::optional<broker::Caller> caller(const Call& call, const std::string& otherwise) {
  auto caller = call.world.caller(call.option("as", otherwise));
  if (caller) return caller;
  call.world.answer("refused 401: the token is nobody's\n");
  call.command.forgive();
  return std::nullopt;
}

std::string print(const base::Result<broker::Answer>& answer, const Show& show) {
  if (!answer) return scenarios::print(answer.error());
  const auto document = json::Document::parse(answer->json);
  if (!document) return server_error + "AN ANSWER THAT IS NO JSON: " + answer->json + '\n';
  return show(document->root());
}

std::string print_list(const base::Result<broker::Answer>& answer, const Show& show, const std::string& none) {
  return print(answer, [&](json::Value list) {
    std::string text;
    for (const json::Value item : list.find("items").elements()) text += show(item);
    text += next_of(list);
    return text.empty() ? none : text;
  });
}

std::string text_of(json::Value object, std::string_view key) {
  const json::Value value = object.find(key);
  return value.is_string() ? std::string(value.as_string()) : json::to_text(value);
}

std::string members(json::Value object, std::initializer_list<std::string_view> keys) {
  std::string text;
  for (const std::string_view key : keys)
    if (object.find(key)) text.append(" ").append(key).append("=").append(text_of(object, key));
  return text;
}

std::string next_of(json::Value list) {
  return list.find("next").is_null() ? std::string() : "next " + text_of(list, "next") + '\n';
}

std::string body_of(const Call& call, std::initializer_list<std::pair<std::string_view, std::string_view>> keys,
                    std::string_view id_key, const std::string& id) {
  std::string body;
  json::Writer writer(body);
  writer.begin_object();
  if (!id_key.empty()) writer.member(id_key, id);
  for (const auto& [option, key] : keys) {
    if (!call.command.has(option)) continue;
    const std::string value = call.option(option);
    if (value.starts_with('{') || value.starts_with('[') || (value[0] >= '0' && value[0] <= '9' && option != "type"))
      writer.key(key).raw(value);
    else
      writer.member(key, value);
  }
  writer.end_object();
  return body;
}

std::string id_of(std::string_view profile, const std::string& sender, std::uint64_t number) {
  const std::string digits = std::to_string(number);
  if (profile == "pipeline") return "msg-" + digits + '-' + sender + "-1";
  return "00000000-0000-4000-8000-" + std::string(12 - std::min<std::size_t>(digits.size(), 12), '0') + digits;
}

base::Result<std::string> with(const std::string& text, const std::string& pointer, std::string_view value) {
  PARLEY_TRY(const json::Document document, json::Document::parse(text));
  if (const json::Value place = document.root().at_pointer(pointer))
    return conformance::replaced(document.root(), place, value);
  const std::size_t slash = pointer.rfind('/');
  const json::Value parent = document.root().at_pointer(pointer.substr(0, slash));
  if (!parent.is_object()) return base::fail(base::ErrorCode::BAD_REQUEST, "no place " + pointer);
  return conformance::with_member(document.root(), parent, pointer.substr(slash + 1), value);
}

std::string print_allocations(json::Value list) {
  std::string text;
  for (const json::Value one : list.elements())
    text +=
        "  " + text_of(one, "resource_type") + members(one, {"allocated", "consumed", "limit", "expires_at"}) + '\n';
  return text;
}

}  // namespace parley::scenarios
