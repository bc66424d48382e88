// The canonical fields of a message, as values that mechanisms work with (spec/envelope/kinds.json).
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "envelope/envelope.hpp"

namespace parley::engine {

std::string text_in(const envelope::Envelope& envelope, std::string_view name);                // empty: no text
std::vector<std::string> texts_in(const envelope::Envelope& envelope, std::string_view name);  // those of a list
std::optional<double> number_in(const envelope::Envelope& envelope, std::string_view name);
std::optional<base::Instant> instant_in(const envelope::Envelope& envelope, std::string_view name);

std::string text_of(double number);  // as short as tells it from every other

// How long to wait: so many of `unit`, more than nothing and at most `most`; else as it is otherwise.
base::Duration wait_in(const envelope::Envelope& envelope, std::string_view name, base::Duration unit,
                       base::Duration otherwise, base::Duration most);

}  // namespace parley::engine
