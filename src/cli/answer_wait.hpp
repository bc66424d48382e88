// How the wait for a request's answers stands: who still owes one, what was said meanwhile, and how it ended. The log's
// entries move it.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/verb.hpp"
#include "json/value.hpp"
#include "sdk/cpp/workspace.hpp"

namespace parley::cli {

// Value type; what it is given outlives it.
class AnswerWait {
 public:
  AnswerWait(Context& context, const sdk::Sent& sent) : context_(context), sent_(sent) {}

  void begin(json::Value receipts);  // of the request's recipients
  bool begun() const { return begun_; }
  bool over() const { return ended_ || (begun_ && awaited_.empty()); }

  // An entry of the log: of the request itself (error: nobody would answer it), or of what may be about it.
  base::Result<> look_at_own(json::Value entry) const;
  void look_at(json::Value entry);
  void give_up(base::Duration after);

  Exit print() const;
  std::vector<std::string> take_read();  // delivery ids of what was shown, and never offered

 private:
  void end(std::string_view outcome, base::ErrorCode code, std::string message, std::string hint);
  void show(std::ostream& out, bool tty, std::string_view what, json::Value entry) const;
  void answered(json::Value entry);
  void went_on(json::Value entry);
  // It was never read there: it bounced, its time was over, or its attempts were spent.
  void noticed(json::Value entry);
  // Those of them that were still awaited.
  void lose(json::Value agents, const std::string& before, const std::string& how);
  std::string summary() const;

  Context& context_;
  const sdk::Sent& sent_;
  bool begun_ = false, failed_ = false;
  std::string_view outcome_ = "answered";
  std::vector<std::string> awaited_;             // who has not answered yet
  std::vector<std::string> answers_, progress_;  // entries of the log
  std::vector<std::uint64_t> read_;              // offsets of what was shown
  std::optional<base::Error> ended_, lost_;
};

}  // namespace parley::cli
