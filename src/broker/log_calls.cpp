// The log of a workspace: events in offset order, as far as the caller may read them (COL-18's base).
#include <algorithm>

#include "broker/delivery_calls.hpp"
#include "broker/log_entries.hpp"
#include "broker/rights.hpp"

namespace parley::broker {

base::Result<LogPage> DeliveryCalls::log(const Caller& caller, std::string_view workspace_name, std::uint64_t from,
                                         std::uint32_t max) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace_name, Right::read));
  const engine::Workspace& workspace = core_.state().workspace(number);
  ListPage page(max, &core_.history());
  const LogRead read{caller, number, std::max<std::uint64_t>(from, 1), core_.block().first()};
  PARLEY_TRY(const LogStretch stretch, read_log(core_.history().reader(), workspace, read, page));
  std::uint64_t next = stretch.next;
  for (const LogEntry& entry : stretch.entries) {
    if (page.bytes_read() > ListPage::bytes_max) {  // never before the first one
      next = entry.event.offset();
      break;
    }
    std::string_view body;
    if (entry.has_body()) {
      PARLEY_TRY(body, core_.history().body(entry.position));
    }
    write_log_entry(page.writer, workspace, entry, body);
  }
  return LogPage{page.end_at(next), stretch.entries.empty(), next};
}

}  // namespace parley::broker
