#include "gateway/http/sending.hpp"

namespace parley::gateway::http {

void Sending::keep_rest() {
  if (!kept.empty()) return;
  std::size_t bytes = 0;
  for (std::size_t i = next; i < texts.size(); ++i) bytes += texts[i].size();
  kept.reserve(bytes);
  for (std::size_t i = next; i < texts.size(); ++i) {
    const std::size_t begin = kept.size();
    kept += texts[i];
    texts[i] = std::string_view(kept).substr(begin);
  }
  values.clear();
  all_kept += kept.size();
}

}  // namespace parley::gateway::http
