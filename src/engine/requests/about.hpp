// What a request, also one for help, was asked about. A value type, part of the engine's state.
#pragma once
#include "base/ids.hpp"

namespace parley::engine {

// The request that its asker was to answer when it asked, and who had asked that one; both 0: it names none.
struct About {
  base::Offset request;
  base::AgentNumber asker;

  template <class Archive>
  void archive(Archive& a) {
    a(request, asker);
  }
};

}  // namespace parley::engine
