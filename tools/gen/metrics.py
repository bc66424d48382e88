"""Writes catalog/metric.hpp from spec/catalog/metrics.json: every metric the server has, by name."""
import json
import pathlib
import re
import sys

source, target = map(pathlib.Path, sys.argv[1:3])
metrics = json.loads(source.read_text())["metrics"]
names = [m["name"] for m in metrics]
assert names == sorted(set(names)), "metrics.json: names must be unique and in alphabetical order"
for m in metrics:
    assert re.fullmatch(r"parley_[a-z][a-z0-9_]*", m["name"]), f"{m['name']}: must be parley_ and snake_case"
    assert m["kind"] in ("counter", "gauge", "histogram"), f"{m['name']}: kind"
    assert m["name"].endswith("_total") == (m["kind"] == "counter"), f"{m['name']}: counters, and only they, end in _total"
    assert m["help"].endswith("."), f"{m['name']}: help must be a sentence"
    assert ("buckets_us" in m) == (m["kind"] == "histogram"), f"{m['name']}: histograms, and only they, have buckets"
    assert m["name"].endswith("_seconds") == (m["kind"] == "histogram"), f"{m['name']}: a histogram is of seconds"
    buckets = m.get("buckets_us", [])
    assert buckets == sorted(set(buckets)) and len(buckets) <= 16, f"{m['name']}: buckets must rise, at most 16"


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


def short(name):
    return name.removeprefix("parley_").removesuffix("_total")


lines = [
    "// Generated from spec/catalog/metrics.json by tools/gen/metrics.py. Do not edit.",
    "#pragma once",
    "#include <array>",
    "#include <cstdint>",
    "#include <span>",
    "#include <string_view>",
    "",
    "namespace parley::observe {",
    "",
    "enum class Metric : std::uint16_t {",
    *[f"  {short(n)}," for n in names],
    "};",
    "",
    "enum class MetricKind : std::uint8_t { counter, gauge, histogram };",
    "",
    "struct MetricInfo {",
    "  std::string_view name;",
    "  MetricKind kind;",
    "  std::string_view label;  // the one label's name; empty: none",
    "  std::string_view help;",
    "  std::span<const std::uint64_t> buckets_us;  // upper bounds, of histograms",
    "};",
    "",
    *[
        f"inline constexpr std::uint64_t {short(m['name'])}_buckets_us[] = {{{', '.join(map(str, m['buckets_us']))}}};"
        for m in metrics
        if "buckets_us" in m
    ],
    "",
    f"inline constexpr std::array<MetricInfo, {len(metrics)}> metric_infos{{{{",
    *[
        f"    {{{quoted(m['name'])}, MetricKind::{m['kind']}, {quoted(m.get('label', ''))}, {quoted(m['help'])}, "
        + (f"{short(m['name'])}_buckets_us}}," if "buckets_us" in m else "{}},")
        for m in metrics
    ],
    "}};",
    "",
    "constexpr const MetricInfo& info(Metric metric) { return metric_infos[static_cast<std::uint16_t>(metric)]; }",
    "",
    "}  // namespace parley::observe",
    "",
]
target.parent.mkdir(parents=True, exist_ok=True)
target.write_text("\n".join(lines))
