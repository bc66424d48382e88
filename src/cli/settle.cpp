// The outcome of each delivery is told, also where some were too late.
#include "cli/settle.hpp"

#include <algorithm>
#include <ostream>

#include "json/writer.hpp"

namespace parley::cli {

std::string line_of(const sdk::Settled& settled, bool is_tty) {
  return coloured(printable(settled.status), settled.holds() ? Colour::green : Colour::red, is_tty) + "  " +
         printable(settled.delivery_id) + '\n';
}

base::Result<Exit> settle(Context& context, const Online& online, sdk::Settlement what,
                          const std::vector<std::string>& delivery_ids, const sdk::SettleOptions& options) {
  PARLEY_TRY(auto server, connect(online));
  sdk::Workspace workspace(server.client, server.workspace);
  const std::vector<std::string_view> ids(delivery_ids.begin(), delivery_ids.end());
  PARLEY_TRY(const auto results, workspace.settle(what, online.wanted.agent, ids, options));

  std::string text;
  json::Writer out(text);
  out.begin_object().key("results").begin_array();
  for (const sdk::Settled& one : results) {
    out.begin_object().member("delivery_id", one.delivery_id).member("status", one.status).end_object();
    if (!context.json) context.terminal.out << line_of(one, context.terminal.out_is_tty);
  }
  out.end_array().end_object();
  if (context.json) print_json(context.terminal, text);
  return std::ranges::all_of(results, &sdk::Settled::holds) ? Exit::done : Exit::refused;
}

}  // namespace parley::cli
