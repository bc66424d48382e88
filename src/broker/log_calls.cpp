// The log of a workspace: events in offset order, as far as the caller may read them (COL-18's base).
#include <algorithm>

#include "broker/broker.hpp"
#include "broker/log_entries.hpp"
#include "broker/rights.hpp"

namespace parley::broker {

base::Result<LogPage> Broker::log(const Caller& caller, std::string_view workspace_name, std::uint64_t from,
                                  std::uint32_t max) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(engine_.state(), caller, workspace_name, Right::read));
  const engine::Workspace& workspace = engine_.state().workspace(number);
  ListPage page(max);
  const LogRead read{caller, number, std::max<std::uint64_t>(from, 1), block_->first()};
  PARLEY_TRY(const LogStretch stretch, read_log(history_.reader(), workspace, read, page));
  for (const LogEntry& entry : stretch.entries) {
    std::string_view body;
    if (entry.has_body()) {
      PARLEY_TRY(body, history_.body(entry.position));
    }
    write_log_entry(page.writer, workspace, entry, body);
  }
  return LogPage{page.end_at(stretch.next), stretch.entries.empty(), stretch.next};
}

}  // namespace parley::broker
