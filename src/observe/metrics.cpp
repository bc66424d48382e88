// The one place that knows prometheus-cpp: our figures become its families when somebody scrapes.
#include "observe/metrics.hpp"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <map>
#include <mutex>
#include <sstream>

#include "base/assert.hpp"

namespace parley::observe {
namespace {

// Label value → figure; std::map so that handles stay where they are and scrapes come in one order.
template <class T>
using Series = std::map<std::string, T, std::less<>>;

struct Family {
  Series<Counter> counters;
  Series<Gauge> gauges;
  Series<Histogram> histograms;
};

template <class T, class... Arguments>
T& figure(Series<T>& series, std::string_view label, Arguments... arguments) {
  if (auto known = series.find(label); known != series.end()) return known->second;
  if (series.size() >= Metrics::series_max) label = "other";
  return series.try_emplace(std::string(label), arguments...).first->second;
}

prometheus::ClientMetric labelled(const MetricInfo& about, const std::string& label) {
  prometheus::ClientMetric metric;
  if (!about.label.empty()) metric.label.push_back({std::string(about.label), label});
  return metric;
}

double seconds(std::uint64_t us) {
  return static_cast<double>(us) / 1e6;
}

void collect(const Histogram& from, prometheus::ClientMetric::Histogram& into) {
  const auto bounds = from.bounds();
  for (std::size_t i = 0; i <= bounds.size(); ++i) {
    into.sample_count += from.count_in(i);
    const double bound = i < bounds.size() ? seconds(bounds[i]) : std::numeric_limits<double>::infinity();
    into.bucket.push_back({into.sample_count, bound});
  }
  into.sample_sum = seconds(from.sum());
}

prometheus::MetricFamily collect(const MetricInfo& about, const Family& from) {
  prometheus::MetricFamily family{std::string(about.name), std::string(about.help), {}, {}};
  switch (about.kind) {
    case MetricKind::counter:
      family.type = prometheus::MetricType::Counter;
      for (const auto& [label, counter] : from.counters)
        family.metric.emplace_back(labelled(about, label)).counter.value = static_cast<double>(counter.value());
      break;
    case MetricKind::gauge:
      family.type = prometheus::MetricType::Gauge;
      for (const auto& [label, gauge] : from.gauges)
        family.metric.emplace_back(labelled(about, label)).gauge.value = static_cast<double>(gauge.value());
      break;
    case MetricKind::histogram:
      family.type = prometheus::MetricType::Histogram;
      for (const auto& [label, histogram] : from.histograms)
        collect(histogram, family.metric.emplace_back(labelled(about, label)).histogram);
      break;
  }
  return family;
}

}  // namespace

struct Metrics::Families {
  mutable std::mutex mutex;  // of the maps, not of the figures in them
  std::array<Family, metric_infos.size()> families;

  Family& of(Metric metric, MetricKind kind, std::string_view label) {
    PARLEY_ASSERT(info(metric).kind == kind);
    PARLEY_ASSERT(info(metric).label.empty() == label.empty());
    return families[static_cast<std::size_t>(metric)];
  }
};

Metrics::Metrics() : families_(std::make_unique<Families>()) {}
Metrics::~Metrics() = default;

Counter& Metrics::counter(Metric metric, std::string_view label) {
  const std::scoped_lock lock(families_->mutex);
  return figure(families_->of(metric, MetricKind::counter, label).counters, label);
}

Gauge& Metrics::gauge(Metric metric, std::string_view label) {
  const std::scoped_lock lock(families_->mutex);
  return figure(families_->of(metric, MetricKind::gauge, label).gauges, label);
}

Histogram& Metrics::histogram(Metric metric, std::string_view label) {
  const std::scoped_lock lock(families_->mutex);
  return figure(families_->of(metric, MetricKind::histogram, label).histograms, label, info(metric).buckets_us);
}

std::string Metrics::text() const {
  std::vector<prometheus::MetricFamily> families;
  {
    const std::scoped_lock lock(families_->mutex);
    for (std::size_t i = 0; i < metric_infos.size(); ++i) {
      auto family = collect(metric_infos[i], families_->families[i]);
      if (!family.metric.empty()) families.push_back(std::move(family));
    }
  }
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, families);
  return std::move(out).str();
}

}  // namespace parley::observe
