// The fields that a message's event carries, as one text: a line each, its name, ':' and its JSON, which has no line
// break as json::Writer writes it. Made once, where the message is read, and copied as it is from then on.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>

namespace parley::envelope {

inline void add_carried(std::string& text, std::string_view name, std::string_view json) {
  text.append(name) += ':';
  text.append(json) += '\n';
}

// `take(name, json)` of each, in order.
template <class Take>
void visit_carried(std::string_view text, Take take) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return;
    take(line.substr(0, colon), line.substr(colon + 1));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
}

}  // namespace parley::envelope
