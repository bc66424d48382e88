#include "gateway/http/sending.hpp"

namespace parley::gateway::http {

std::size_t Sending::bytes() const {
  if (!kept.empty()) return kept.size() + answer.size();
  std::size_t bytes = answer.size();
  for (std::size_t i = next; i < texts.size(); ++i) bytes += texts[i].size();
  return bytes;
}

void Sending::keep_rest() {
  if (!kept.empty()) return;
  kept.reserve(bytes());
  for (std::size_t i = next; i < texts.size(); ++i) {
    const std::size_t begin = kept.size();
    kept += texts[i];
    texts[i] = std::string_view(kept).substr(begin);
  }
  values.clear();
}

}  // namespace parley::gateway::http
