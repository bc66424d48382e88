// One run of a program over one document: one evaluator, built twice. `Run<false>` stops at the first defect and keeps
// no trail; `Run<true>` goes on and reports each. Both must always agree whether a document is accepted.
// The rules are functions beside it: run_scalars, run_objects, run_arrays, run_in_place, run_unevaluated. run.cpp alone
// includes them, and each says `inline`, which the compiler heeds: the hot path is one piece. Internal to schema/.
#pragma once
#include <string>
#include <utility>

#include "schema/budget.hpp"
#include "schema/code.hpp"
#include "schema/marks.hpp"
#include "schema/program.hpp"
#include "schema/report.hpp"
#include "schema/tape.hpp"
#include "schema/trail.hpp"

namespace parley::schema {

// The resources entered on the way here, innermost first.
struct Scope {
  std::uint32_t id;
  const Scope* outer;
};

// Resource type, on one thread's stack; code, document and report outlive it.
template <bool Explains>
class Run {
  using L = Link<Explains>;
  using T = Trail<Explains>;

 public:
  Run(const Code& program, const json::Value& document, Report* report_to)
      : code(program),
        tape(document),
        budget(program.steps_max),
        nodes_(Explains ? program.nodes.data() : program.short_cuts.data()),
        report_(report_to) {}

  explicit Run(const Run<true>& loud)
    requires(!Explains)
      : code(loud.code),
        tape(loud.tape),
        budget(loud.budget),
        nodes_(loud.code.short_cuts.data()),
        depth_(loud.depth_),
        scope_(loud.scope_),
        report_(nullptr) {}

  Verdict check(std::uint32_t at) {
    const bool good = node(code.root, at, nullptr, T{});
    if (is_exhausted()) return Verdict::too_complex;
    return good ? Verdict::accepted : Verdict::refused;
  }

  // Whether the instance at a place fits a node. `marks`, where there are any, are the instance's own.
  bool node(NodeId id, std::uint32_t at, Marks* marks, T trail) { return enter(id, at, marks, trail); }
  [[gnu::always_inline]] bool enter(NodeId id, std::uint32_t at, Marks* marks, T trail);  // the same, where it is hot

  // Likewise, told to a report of its own.
  bool node_apart(NodeId id, std::uint32_t at, Marks* marks, T trail, Report& report_to) {
    Report* const before = std::exchange(report_, &report_to);
    const bool good = node(id, at, marks, trail);
    report_ = before;
    return good;
  }

  // Likewise, when not to fit is itself no defect: `if`, `not`, `contains`. Nobody hears why.
  bool holds(NodeId id, std::uint32_t at, Marks* marks) {
    if constexpr (!Explains) {
      return node(id, at, marks, T{});
    } else {
      Run<false> quiet(*this);
      const bool good = quiet.node(id, at, marks, {});
      budget = quiet.budget;
      return good;
    }
  }

  bool spend(std::int64_t steps) { return budget.spend(steps); }
  bool is_exhausted() const { return budget.is_exhausted(); }

  // Only where it explains: of a keyword; of a keyword, with the instance; of the last keyword on the trail.
  void report(T trail, std::string_view keyword, std::string message) {
    report_here(trail.by(L(trail.schema(), keyword)), std::move(message));
  }
  void report(T trail, std::string_view keyword, std::string message, std::uint32_t at) {
    report(trail, keyword, std::move(message) + ", found " + found(at));
  }
  void report_here(T trail, std::string message) { report_->add(trail, std::move(message)); }
  std::string found(std::uint32_t at) const { return found_text(tape.value(at), report_->hide_values); }
  Report& reported() { return *report_; }
  std::size_t count_found() const {
    if constexpr (Explains) return report_->found;
    return 0;
  }
  // Of a list before which `before` were found: the rest of it is left out.
  bool leaves_rest_of_list(std::size_t before) {
    if constexpr (!Explains) return false;
    if (!report_->is_enough_of_a_list(report_->found - before)) return false;
    report_->cut_short = true;
    return true;
  }

  const Scope* scope() const { return scope_; }

  const Code& code;
  const Tape tape;
  Budget budget;

 private:
  template <bool>
  friend class Run;

  bool is_integral_where_allowed(const Node& node, std::uint32_t at) const;
  bool run_steps(const Node& node, Family family, std::uint32_t at, Marks* marks, T trail);
  bool run_list(const Node& node, Family family, std::uint32_t at, Marks* marks, T trail);
  bool run_tracking(const Node& node, Family family, std::uint32_t at, Marks* marks, T trail);
  bool run_step(Step step, std::uint32_t at, Marks* marks, T trail);
  bool wrong_type(const Node& node, std::uint32_t at, T trail);

  const Node* const nodes_;
  std::uint32_t depth_ = 0;
  const Scope* scope_ = nullptr;
  Report* report_;
};

// How many there are of something, and how a keyword says so.
struct CountRule {
  std::uint32_t least, most;
  std::string_view least_keyword, most_keyword, unit;
};

template <bool Explains>
inline bool check_count(Run<Explains>& run, std::size_t count, const CountRule& rule, Trail<Explains> trail) {
  if (count >= rule.least && count <= rule.most) return true;
  if constexpr (Explains) {
    const bool few = count < rule.least;
    run.report(trail, few ? rule.least_keyword : rule.most_keyword,
               (few ? "expected at least " : "expected at most ") + std::to_string(few ? rule.least : rule.most) + " " +
                   std::string(rule.unit) + ", found " + std::to_string(count));
  }
  return false;
}

}  // namespace parley::schema
