// The canonical fields of a message, as values that mechanisms work with (spec/envelope/kinds.json). Most that are
// asked for it has not: that is told here, without a call.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "envelope/envelope.hpp"

namespace parley::engine {

std::vector<std::string> read_texts(json::Value list);
std::optional<double> read_number(std::string_view json);
std::optional<base::Instant> read_instant(std::string_view json);

std::string text_in(const envelope::Envelope& envelope, std::string_view name);  // empty: no text

// The texts of a list.
inline std::vector<std::string> texts_in(const envelope::Envelope& envelope, std::string_view name) {
  const json::Value list = envelope::value(envelope, name);
  return list ? read_texts(list) : std::vector<std::string>();
}

inline std::optional<double> number_in(const envelope::Envelope& envelope, std::string_view name) {
  const std::string_view json = envelope::field(envelope, name);
  return json.empty() ? std::nullopt : read_number(json);
}

inline std::optional<base::Instant> instant_in(const envelope::Envelope& envelope, std::string_view name) {
  const std::string_view json = envelope::field(envelope, name);
  return json.empty() ? std::nullopt : read_instant(json);
}

std::string text_of(double number);  // as short as tells it from every other

// So many of `unit`, more than nothing and at most `most`; absent: that is no time.
std::optional<base::Duration> read_wait(double stated, base::Duration unit, base::Duration most);

// How long to wait, where it is stated; else as it is otherwise.
inline base::Duration wait_in(const envelope::Envelope& envelope, std::string_view name, base::Duration unit,
                              base::Duration otherwise, base::Duration most) {
  const std::optional<double> stated = number_in(envelope, name);
  return stated ? read_wait(*stated, unit, most).value_or(otherwise) : otherwise;
}

}  // namespace parley::engine
