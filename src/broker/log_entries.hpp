// A stretch of a workspace's log: which of its events a caller may see, and what an entry says.
#pragma once
#include <vector>

#include "broker/list_page.hpp"
#include "broker/port/call.hpp"
#include "engine/state.hpp"
#include "event/events.pb.h"
#include "journal/journal.hpp"

namespace parley::broker {

struct LogEntry {
  base::Position position;
  base::Instant at;
  event::Event event;

  bool has_body() const;  // that is shown with it
};

struct LogStretch {
  std::vector<LogEntry> entries;
  std::uint64_t next = 0;  // the first offset that was not looked at
};

struct LogRead {
  const Caller& caller;
  base::WorkspaceNumber workspace;
  std::uint64_t from = 1;
  base::Position end;  // behind what is in the journal: what is in the open block is read when it is committed
};

// From an offset on what the caller may see, as much as the page takes. A call looks at no more than a bounded number
// of events (D11), and always gets ahead.
base::Result<LogStretch> read_log(journal::Reader& reader, const engine::Workspace& workspace, const LogRead& read,
                                  ListPage& page);

void write_log_entry(json::Writer& writer, const engine::Workspace& workspace, const LogEntry& entry,
                     std::string_view body);

}  // namespace parley::broker
