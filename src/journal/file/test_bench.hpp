// A file journal over faulty files, with segments small enough that tests roll through many of them.
#pragma once
#include <memory>

#include "base/assert.hpp"
#include "journal/file/file_journal.hpp"
#include "journal/file/verify.hpp"
#include "journal/test_records.hpp"
#include "sim/faulty_files.hpp"

namespace parley::journal::file {

// Not base::TestRandom: the journal's id comes from here, and format_test.cpp has frozen one.
class SeededRandom final : public base::Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : random_(seed) {}
  void fill(std::span<std::uint8_t> bytes) override {
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random_());
  }

 private:
  std::mt19937_64 random_;
};

inline Options small_options(base::FileSystem& files, base::Random& random, const std::string& folder) {
  Options options;
  options.folder = folder;
  options.files = &files;
  options.random = &random;
  options.segment_bytes = 64 << 10;
  options.reserve_bytes = 64 << 10;
  options.index_bytes = 8 << 10;
  options.reader_cache_bytes = 64 << 10;
  return options;
}

struct Bench {
  std::unique_ptr<sim::FaultyFiles> files = std::make_unique<sim::FaultyFiles>(1);
  SeededRandom random{42};
  std::uint64_t segment_bytes = 64 << 10;
  Options::Unsafe unsafe;
  Recovered recovered;
  std::unique_ptr<Journal> journal;

  Options options() {
    Options made = small_options(*files, random, "data");
    made.worker = inline_worker();
    made.segment_bytes = segment_bytes;
    made.reserve_bytes = segment_bytes;
    made.unsafe = unsafe;
    return made;
  }

  base::Result<> open() {
    auto opened = file::open(options());
    if (!opened) return std::unexpected(std::move(opened).error());
    recovered = std::move(opened->recovered);
    journal = std::move(opened->journal);
    return {};
  }

  // The process is gone; the files are what is given.
  void restart_on(std::unique_ptr<sim::FaultyFiles> left) {
    journal.reset();
    files = std::move(left);
  }
  void kill() { restart_on(files->after_kill()); }

  static std::string segment(int generation) {
    const std::string digits = std::to_string(generation);
    return "data/" + std::string(10 - digits.size(), '0') + digits + ".segment";
  }
};

// What a journal holds, so that two can be compared: events and, where they can be read, bodies.
struct Contents {
  std::vector<std::string> events;
  std::vector<std::string> bodies;
  std::optional<base::Error> error;  // the first
  std::uint64_t unreadable_bodies = 0;

  static Contents of(Journal& journal) {
    Contents contents;
    const auto reader = journal.reader();
    std::vector<BodyKind> kinds;
    auto read = reader->read(Position(1), [&](const Entry& entry) -> base::Result<Visit> {
      contents.events.emplace_back(entry.event);
      kinds.push_back(entry.body);
      return Visit::next;
    });
    if (!read) contents.error = read.error();
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      std::string body;
      if (kinds[i] == BodyKind::kept) {
        auto got = reader->body(Position(i + 1), body);
        if (!got) {
          ++contents.unreadable_bodies;
          if (!contents.error) contents.error = got.error();
          body = "(unreadable)";
        }
      }
      contents.bodies.push_back(std::move(body));
    }
    return contents;
  }
};

// Events and bodies that say their position.
inline TestRecord numbered(std::uint64_t position, std::size_t body_bytes = 300) {
  const std::string name = std::to_string(position);
  return {"event " + name, "body " + name + std::string(body_bytes, static_cast<char>('a' + position % 26))};
}

// Appends records with the next numbers as one block.
inline base::Result<Ticket> append_numbered(Journal& journal, std::uint64_t count = 1, std::size_t body_bytes = 300) {
  std::vector<TestRecord> records;
  const std::uint64_t head = journal.head().position.value;
  for (std::uint64_t i = 1; i <= count; ++i) records.push_back(numbered(head + i, body_bytes));
  return append_all(journal, records, static_cast<std::int64_t>(head + 1));
}

}  // namespace parley::journal::file
