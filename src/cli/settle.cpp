// The outcome of each delivery is told, also where some were too late.
#include "cli/settle.hpp"

#include <ostream>

#include "json/writer.hpp"

namespace parley::cli {

base::Result<Exit> settle(Context& context, const Online& online, sdk::Settlement what,
                          const std::vector<std::string>& delivery_ids, const sdk::SettleOptions& options) {
  PARLEY_TRY(auto server, connect(online));
  sdk::Workspace workspace(server.client, server.workspace);
  const std::vector<std::string_view> ids(delivery_ids.begin(), delivery_ids.end());
  PARLEY_TRY(const auto results, workspace.settle(what, online.wanted.agent, ids, options));

  std::string text;
  json::Writer out(text);
  out.begin_object().key("results").begin_array();
  bool all_done = true;
  for (const auto& [delivery_id, status] : results) {
    const bool done = status == "done" || status == "already";
    all_done = all_done && done;
    out.begin_object().member("delivery_id", delivery_id).member("status", status).end_object();
    if (!context.json)
      context.terminal.out << coloured(printable(status), done ? Colour::green : Colour::red,
                                       context.terminal.out_is_tty)
                           << "  " << printable(delivery_id) << '\n';
  }
  out.end_array().end_object();
  if (context.json) print_json(context.terminal, text);
  return all_done ? Exit::done : Exit::refused;
}

}  // namespace parley::cli
