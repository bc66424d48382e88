// The server's figures, as Prometheus reads them. Names, help texts and labels are data: spec/catalog/metrics.json.
// A figure is bumped by one thread with a plain add, no lock and no locked instruction; a scrape may come from any.
// Labels hold words of small sets only (codes, profiles, directions), never ids or anything a message says (I2).
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "catalog/metric.hpp"

namespace parley::observe {

// Only goes up. One writing thread.
class Counter {
 public:
  void add(std::uint64_t count = 1) {
    value_.store(value_.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
  }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

// Goes up and down. One writing thread.
class Gauge {
 public:
  void set(std::int64_t value) { value_.store(value, std::memory_order_relaxed); }
  void add(std::int64_t difference) { set(value() + difference); }
  std::int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> value_{0};
};

// How often a time fell where; counted in microseconds, read in seconds. One writing thread.
class Histogram {
 public:
  explicit Histogram(std::span<const std::uint64_t> bounds_us) : bounds_(bounds_us) {}

  void observe(std::uint64_t us) {
    std::size_t at = 0;
    while (at < bounds_.size() && us > bounds_[at]) ++at;
    buckets_[at].add();
    sum_.add(us);
  }
  std::span<const std::uint64_t> bounds() const { return bounds_; }
  std::uint64_t count_in(std::size_t bucket) const { return buckets_[bucket].value(); }  // bounds().size(): above all
  std::uint64_t sum() const { return sum_.value(); }

 private:
  static constexpr std::size_t buckets_max = 17;
  std::span<const std::uint64_t> bounds_;
  std::array<Counter, buckets_max> buckets_;
  Counter sum_;
};

// Resource type; owns every figure, which live as long as it does. Ask for a handle once and keep it: asking locks.
// A family holds at most `series_max` label values; what comes after counts as "other", so that no caller's
// invention of names can grow the scrape.
class Metrics {
 public:
  static constexpr std::size_t series_max = 100;

  Metrics();
  ~Metrics();

  Counter& counter(Metric metric, std::string_view label = {});
  Gauge& gauge(Metric metric, std::string_view label = {});
  Histogram& histogram(Metric metric, std::string_view label = {});

  std::string text() const;  // the Prometheus text format 0.0.4; metrics without a figure yet are left out

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace parley::observe
