// libFuzzer: the journal's reader, recovery and `verify` over a damaged folder (F7). The input is a list of damages to
// a good one. What is read afterwards is a beginning of what was written, or an error that says where it is damaged;
// with the checksums off, so that damage gets past them, reading must still end.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "journal/file/test_bench.hpp"

using namespace parley;
using journal::file::Bench;
using journal::file::Contents;

namespace {

constexpr std::uint64_t segment_bytes = 8 << 10;

// A few segments and a snapshot, as a server that was stopped leaves them.
struct Original {
  Bench bench;
  Contents contents;

  Original() {
    bench.segment_bytes = segment_bytes;
    must(bench.open().has_value());
    for (int i = 0; i < 24; ++i) {
      must(journal::file::append_numbered(*bench.journal, 1 + i % 3, 200 + i * 20).has_value());
      if (i == 12) {
        auto writer = bench.journal->begin_snapshot();
        must(writer && (*writer)->write("state") && (*writer)->commit());
      }
    }
    contents = Contents::of(*bench.journal);
    must(bench.journal->close().has_value());
    bench.kill();
  }

  static void must(bool holds) {
    if (!holds) std::abort();
  }
};

std::uint64_t take(const std::uint8_t*& data, std::size_t& size, std::size_t bytes) {
  std::uint64_t value = 0;
  for (; bytes > 0 && size > 0; --bytes, --size) value = value << 8 | *data++;
  return value;
}

// Each: a file, a place, a length and the bytes that stand there now; a length of 0 cuts the file off there.
void damage(sim::FaultyFiles& files, const std::uint8_t* data, std::size_t size) {
  const std::vector<std::string> names = files.names();
  while (size > 0) {
    const std::string& name = names[take(data, size, 1) % names.size()];
    std::string contents = files.contents(name);
    const std::size_t at = take(data, size, 2) % (contents.size() + 1);
    const std::size_t length = std::min(take(data, size, 1) % 64, std::uint64_t{size});
    if (length == 0) contents.resize(at);
    contents.replace(at, std::min(length, contents.size() - at), reinterpret_cast<const char*>(data), length);
    data += length;
    size -= length;
    files.set_contents(name, std::move(contents));
  }
}

void must_say_where(const base::Error& error) {
  if (error.message.empty() || error.where.empty()) std::abort();
}

bool begins(const std::vector<std::string>& all, const std::vector<std::string>& part) {
  return part.size() <= all.size() && std::equal(part.begin(), part.end(), all.begin());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Original original;
  if (size < 2) return 0;
  const bool checked = data[0] % 2 == 0;
  Bench bench;
  bench.segment_bytes = segment_bytes;
  bench.unsafe.skip_checks = !checked;
  bench.restart_on(original.bench.files->after_kill());
  damage(*bench.files, data + 1, size - 1);

  const auto report = journal::file::verify(*bench.files, "data");
  if (!report) must_say_where(report.error());
  if (const auto opened = bench.open(); !opened) {
    must_say_where(opened.error());
    return 0;
  }
  const Contents found = Contents::of(*bench.journal);
  if (!checked) return 0;
  if (!begins(original.contents.events, found.events)) std::abort();
  if (report && report->intact() && !found.error && report->records != found.events.size()) std::abort();
  if (found.error) {
    must_say_where(*found.error);
    return 0;
  }
  // What was recovered can be written to, and found again.
  if (!journal::file::append_numbered(*bench.journal)) return 0;
  if (Contents::of(*bench.journal).events.size() != found.events.size() + 1) std::abort();
  return 0;
}
