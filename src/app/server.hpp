// The server process: builds every resource, wires them, turns the loop, and takes all down in order.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/serve.hpp"

namespace parley::app {

// Serves until SIGTERM or SIGINT. `started` is called once, when connections are accepted. An error: it could not
// start. Where the journal fails it ends the process at once, with status 1; what had no answer was not accepted.
base::Result<> serve(const cli::ServeOptions& options, const std::function<void(const cli::Started&)>& started);

}  // namespace parley::app
