// Reads of what may not be there yet, and waiting for it: the log, the end of tasks, mail.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "broker/port/call.hpp"
#include "broker/port/mailboxes.hpp"

namespace parley::broker {

struct LogPage {
  Answer answer;
  bool empty = false;      // nothing that the caller may read, up to
  std::uint64_t next = 0;  // where to go on
};
// Something a gateway waits for; 0 is none.
using WaitId = base::Strong<struct WaitTag, std::uint64_t>;
enum class Woken {
  to_look,      // there may be something, or its time is over
  to_be_given,  // what another was given under its take_id; that alone, for what comes next is for those who wait still
};
using WaitDone = std::move_only_function<void(Woken)>;

class Polls {
 public:
  virtual ~Polls() = default;

  // The log: what the caller may read, from an offset on, in offset order.
  virtual base::Result<LogPage> log(const Caller&, std::string_view workspace, std::uint64_t from,
                                    std::uint32_t max) = 0;

  // Long polls. `done` runs once: when there may be something, or at the deadline; the gateway then asks again. A take
  // that waits is done too once another is given something under its take_id: it asks for that, and is over.
  virtual WaitId wait_for_mail(const Caller&, std::string_view workspace, std::string_view agent, const TakeRequest&,
                               base::Duration at_most, WaitDone done) = 0;
  virtual WaitId wait_for_log(const Caller&, std::string_view workspace, std::uint64_t from, base::Duration at_most,
                              WaitDone done) = 0;
  virtual WaitId wait_for_tasks(const Caller&, std::string_view workspace, base::Duration at_most, WaitDone done) = 0;
  virtual void cancel(WaitId wait) = 0;
};

}  // namespace parley::broker
