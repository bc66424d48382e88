// Model checking in the small: every state that a table's moves can reach from the first, breadth-first, each looked at
// once. The table's model makes the moves on the engine's own decide and apply and judges each; here is only the
// search, and what a search alone can see: that from every state an end is reached.
//
// A model has
//   Node                     what a state is, copied freely
//   first(), first_arrival() where all begins
//   expand(node, time_only, reached)
//                            makes each step from there and calls reached(Arrival, make_node) for it
//   broken()                 the first invariant that did not hold, if any
//   replays(trails)          whether the events of a path, applied anew, give the path's last state
#pragma once
#include <absl/container/flat_hash_map.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parley::models {

struct Broken {
  int invariant = 0;  // its number in docs/internals/invariants.md; 0: of the search itself
  std::string what;
  std::string step;  // of the model, where it was a step that broke it
};

// The first that did not hold; what comes after it may be its consequence.
class Findings {
 public:
  void at(std::string step) { step_ = std::move(step); }
  void require(bool holds, int invariant, std::string_view what) {
    if (!holds && !first_) first_ = Broken{invariant, std::string(what), step_};
  }
  const std::optional<Broken>& first() const { return first_; }

 private:
  std::string step_;
  std::optional<Broken> first_;
};

// Where a step led.
struct Arrival {
  std::string step;
  std::string key;       // equal for states that no later step can tell apart
  bool by_time = false;  // what happens where nobody does anything
  bool at_rest = false;  // nothing waits for time any more
  bool done = false;     // everything has come to its end
};

struct Bounds {
  std::size_t states = 500'000;    // behind so many distinct ones only time is followed
  bool rests_by_time = true;       // INV-4: from everywhere time alone leads to rest
  int never_ends = 4;              // the invariant that is broken where no end is reached
  std::size_t replay_every = 500;  // states
};

template <class Model>
class Explorer {
 public:
  Explorer(Model& model, const Bounds& bounds) : model_(model), bounds_(bounds) {}

  // Prints what was seen.
  std::optional<Broken> explore(const std::string& name) {
    const auto began = std::chrono::steady_clock::now();
    auto broken = search();
    if (!broken) broken = find_without_end();
    if (!broken && !closed_ && seen_.size() < enough)
      broken = Broken{0, "neither the closure nor " + std::to_string(enough) + " states were looked at", {}};
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    std::printf("%s: %zu states, %zu moves between them, %zu steps deep, %s; %.1f s\n", name.c_str(), seen_.size(),
                moves_.size(), depth_, closed_ ? "the closure" : "bounded", took);
    if (broken) print(*broken);
    return broken;
  }

 private:
  using Node = typename Model::Node;
  using Number = std::uint32_t;
  static constexpr Number nowhere = UINT32_MAX;
  static constexpr std::size_t enough = 100'000;  // states, where they are too many for the closure

  struct Seen {
    Number from = nowhere;
    Number depth = 0;
    Number by_time = nowhere;
    bool at_rest = false;
    bool done = false;
    std::string step;
    std::string trail;  // the events of the step
  };

  std::optional<Broken> search() {
    const Node first = model_.first();
    reach(nowhere, model_.first_arrival(), [&] { return first; });
    while (!frontier_.empty()) {
      const auto [number, node] = std::move(frontier_.front());
      frontier_.pop_front();
      const bool time_only = seen_.size() > bounds_.states;
      closed_ = closed_ && !time_only;
      model_.expand(node, time_only, [&](const Arrival& arrival, auto make) {
        if (model_.broken()) return;
        const Number to = reach(number, arrival, make);
        if (arrival.by_time) seen_[number].by_time = to;
        moves_.emplace_back(number, to);
      });
      if (model_.broken()) {
        last_ = number;
        return model_.broken();
      }
      if (number % bounds_.replay_every == 0 && !model_.replays(node, trails_to(number))) {
        last_ = number;
        return Broken{12, "the journal of the path gives another state than the one that was reached", {}};
      }
    }
    return std::nullopt;
  }

  template <class Make>
  Number reach(Number from, const Arrival& arrival, Make make) {
    const auto [at, fresh] = known_.try_emplace(arrival.key, static_cast<Number>(seen_.size()));
    if (!fresh) return at->second;
    const Number depth = from == nowhere ? 0 : seen_[from].depth + 1;
    depth_ = std::max<std::size_t>(depth_, depth);
    Node node = make();
    seen_.push_back({from, depth, nowhere, arrival.at_rest, arrival.done, arrival.step, node.trail});
    frontier_.emplace_back(at->second, std::move(node));
    return at->second;
  }

  std::optional<Broken> find_without_end() {
    if (bounds_.rests_by_time)
      for (Number number = 0; number < seen_.size(); ++number)
        if (!rests(number)) return without_end(number, "time alone never brings it to rest");
    if (!closed_) return std::nullopt;  // behind the bound there may be an end
    std::vector<std::vector<Number>> into(seen_.size());
    for (const auto& [from, to] : moves_) into[to].push_back(from);
    std::vector<bool> ends(seen_.size());
    std::vector<Number> open;
    for (Number number = 0; number < seen_.size(); ++number)
      if (seen_[number].done) open.push_back(number), ends[number] = true;
    while (!open.empty()) {
      const Number number = open.back();
      open.pop_back();
      for (const Number from : into[number])
        if (!ends[from]) open.push_back(from), ends[from] = true;
    }
    for (Number number = 0; number < seen_.size(); ++number)
      if (!ends[number]) return without_end(number, "no step leads from it to an end");
    return std::nullopt;
  }

  bool rests(Number number) {
    for (std::size_t steps = 0; !seen_[number].at_rest; ++steps) {
      number = seen_[number].by_time;
      if (number == nowhere || steps > 10'000) return false;
    }
    return true;
  }
  Broken without_end(Number number, const std::string& what) {
    last_ = number;
    return {bounds_.never_ends, what, {}};
  }

  std::vector<std::string> trails_to(Number number) const {
    std::deque<std::string> trails;
    for (; number != nowhere; number = seen_[number].from) trails.push_front(seen_[number].trail);
    return {trails.begin(), trails.end()};
  }

  void print(const Broken& broken) const {
    std::printf("INV-%d does not hold: %s\n", broken.invariant, broken.what.c_str());
    std::vector<std::string> steps;
    if (!broken.step.empty()) steps.push_back(broken.step);
    for (Number number = last_; number != nowhere; number = seen_[number].from) steps.push_back(seen_[number].step);
    for (std::size_t i = steps.size(); i-- > 0;) std::printf("  %s\n", steps[i].c_str());
  }

  Model& model_;
  const Bounds bounds_;
  absl::flat_hash_map<std::string, Number> known_;
  std::deque<Seen> seen_;
  std::deque<std::pair<Number, Node>> frontier_;
  std::vector<std::pair<Number, Number>> moves_;
  std::size_t depth_ = 0;
  bool closed_ = true;
  Number last_ = nowhere;
};

}  // namespace parley::models
