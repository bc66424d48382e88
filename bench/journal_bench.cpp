// What an append costs beside a bare sync of the same disk, interleaved in one run, and what the journal sustains.
//
//   journal_bench FOLDER [latency|spaces|throughput|replay|all] [megabytes=2048] [samples=2000]
//
// `spaces` compares ways to have space ready without any journal. FOLDER is made and emptied; use the disk in question.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/assert.hpp"
#include "journal/file/file_journal.hpp"

namespace {

using namespace parley;
using journal::file::Zeros;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t segment_bytes = 64 << 20;
constexpr std::size_t batch_records = 256;
const std::string body_text(1024, 'b');
const std::string event_text(150, 'e');

double microseconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::micro>(to - from).count();
}

base::Instant now() {
  return std::chrono::floor<base::Duration>(std::chrono::system_clock::now());
}

class Samples {
 public:
  template <class Work>
  void time(Work work) {
    const auto before = Clock::now();
    work();
    all_.push_back(microseconds(before, Clock::now()));
  }
  double at(double share) {
    std::sort(all_.begin(), all_.end());
    return all_[std::min(all_.size() - 1, static_cast<std::size_t>(share * static_cast<double>(all_.size())))];
  }
  void print(const char* what) {
    std::printf("  %-44s p50 %7.1f  p90 %7.1f  p99 %7.1f  max %8.1f us\n", what, at(0.5), at(0.9), at(0.99), at(1));
    std::fflush(stdout);
  }

 private:
  std::vector<double> all_;
};

void must(const base::Result<>& result) {
  if (!result) std::fprintf(stderr, "%s: %s\n", result.error().where.c_str(), result.error().message.c_str());
  PARLEY_ASSERT(result.has_value());
}

// Writes of one size up to the end of their last page, each synced, into a file of one segment after the other.
class RawFile {
 public:
  enum class Space { growing, allocated, zeroed };

  RawFile(base::FileSystem& files, std::string folder, Space space)
      : files_(files), folder_(std::move(folder)), space_(space) {
    must(files_.make_folder(folder_));
    next();
  }

  void write(std::string_view bytes) {
    if (offset_ + bytes.size() > segment_bytes) next();
    const std::uint64_t over = (offset_ + bytes.size()) % base::page_bytes;
    const std::string_view pieces[] = {bytes, std::string_view(padding_).substr(over == 0 ? padding_.size() : over)};
    must(file_->write_at(offset_, pieces));
    must(file_->sync_data());
    offset_ += bytes.size();
  }

 private:
  void next() {
    file_ = std::move(*files_.open(folder_ + "/raw-" + std::to_string(count_++), base::OpenMode::create_new));
    if (space_ != Space::growing) must(file_->allocate(segment_bytes));
    if (space_ == Space::zeroed) must(file_->write_zeros(0, segment_bytes));
    must(file_->sync_data());
    offset_ = 4096;
  }

  base::FileSystem& files_;
  const std::string folder_;
  const Space space_;
  const std::string padding_ = std::string(base::page_bytes, '\0');
  std::unique_ptr<base::File> file_;
  std::uint64_t offset_ = 0;
  int count_ = 0;
};

class Bench {
 public:
  Bench(std::string folder, std::uint64_t bytes, std::size_t samples)
      : folder_(std::move(folder)), bytes_(bytes), samples_(samples) {
    const base::Digest hash = base::sha256(body_text);
    for (std::size_t i = 0; i < batch_records; ++i) records_.push_back({event_text, body_text, hash, true});
    clear();
  }
  ~Bench() { clear(); }

  void latency() {
    std::printf("append of 1 KB records beside a raw 4 KB write and fdatasync into zeroed space, interleaved\n");
    RawFile raw(*files_, folder_ + "/raw", RawFile::Space::zeroed);
    auto zeroed = open("zeroed", Zeros::always);
    auto allocated = open("allocated", Zeros::never);
    auto unsynced = open("unsynced", Zeros::always, true);
    settle(*zeroed, *allocated, *unsynced);
    const std::string page(4096, 'p');
    Samples raw_one, zeroed_one, allocated_one, zeroed_batch, allocated_batch, own_one, own_batch;
    for (std::size_t i = 0; i < samples_; ++i) {
      raw_one.time([&] { raw.write(page); });
      zeroed_one.time([&] { append(*zeroed, 1); });
      allocated_one.time([&] { append(*allocated, 1); });
      own_one.time([&] { append(*unsynced, 1); });
      if (i % 4 != 0) continue;
      zeroed_batch.time([&] { append(*zeroed, batch_records); });
      allocated_batch.time([&] { append(*allocated, batch_records); });
      own_batch.time([&] { append(*unsynced, batch_records); });
      for (auto* journal : {zeroed.get(), allocated.get(), unsynced.get()}) poll(*journal);
    }
    raw_one.print("raw 4 KB");
    zeroed_one.print("append 1, zeroed");
    allocated_one.print("append 1, allocated");
    zeroed_batch.print("append 256, zeroed");
    allocated_batch.print("append 256, allocated");
    own_one.print("append 1 without its sync");
    own_batch.print("append 256 without its sync");
    zeroed.reset();
    allocated.reset();
    unsynced.reset();
    clear();
  }

  void spaces() {
    std::printf("raw writes, each synced, by kind of space\n");
    for (const auto& [name, space] : {std::pair{"growing", RawFile::Space::growing},
                                      {"allocated", RawFile::Space::allocated},
                                      {"zeroed", RawFile::Space::zeroed}}) {
      for (const std::size_t size : {std::size_t{1300}, std::size_t{4096}, std::size_t{300'000}}) {
        RawFile raw(*files_, folder_ + "/raw", space);
        const std::string bytes(size, 'r');
        Samples samples;
        for (std::size_t i = 0; i < samples_ && i * size < segment_bytes - size; ++i) {
          samples.time([&] { raw.write(bytes); });
        }
        samples.print((std::string(name) + ", " + std::to_string(size) + " B, short run").c_str());
        clear();
      }
    }
    for (const auto& [name, space] : {std::pair{"growing", RawFile::Space::growing},
                                      {"allocated", RawFile::Space::allocated},
                                      {"zeroed, zeros counted", RawFile::Space::zeroed}}) {
      RawFile raw(*files_, folder_ + "/raw", space);
      const std::string bytes(300'000, 'r');
      sustained(name, [&] {
        raw.write(bytes);
        return bytes.size();
      });
      clear();
    }
  }

  void throughput() {
    std::printf("journal, blocks of 256 records of 1 KB, %llu MB\n", static_cast<unsigned long long>(bytes_ >> 20));
    for (const auto& [name, zeros] :
         {std::pair{"zeros by load", Zeros::by_load}, {"zeros always", Zeros::always}, {"zeros never", Zeros::never}}) {
      auto journal = open("data", zeros);
      sustained(name, [&] {
        append(*journal, batch_records);
        poll(*journal);
        return batch_records * body_text.size();
      });
      journal.reset();
      clear();
    }
  }

  void replay() {
    for (const std::size_t block : {std::size_t{1}, std::size_t{16}, batch_records}) {
      const std::uint64_t count = block == 1 ? 200'000 : 500'000;
      auto journal = open("data", Zeros::never, true);
      for (std::uint64_t i = 0; i < count; i += block) {
        append(*journal, block);
        poll(*journal);
      }
      journal.reset();
      const auto before = Clock::now();
      journal = open("data", Zeros::never);
      const auto opened = Clock::now();
      std::uint64_t events = 0;
      const auto reader = journal->reader();
      must(reader->read(journal::Position(1), [&](const journal::Entry& entry) -> base::Result<journal::Visit> {
        events += entry.event.empty() ? 0 : 1;
        return journal::Visit::next;
      }));
      const auto read = Clock::now();
      std::string body;
      for (std::uint64_t i = 1; i <= count; ++i) must(reader->body(journal::Position(i), body));
      const auto bodies = Clock::now();
      std::uint64_t at = 1;
      for (int i = 0; i < 5000; ++i) {
        at = (at * 2'862'933'555'777'941'757u + 3'037'000'493u) % count;
        must(reader->body(journal::Position(at + 1), body));
      }
      std::printf(
          "  blocks of %3zu: open %6.1f ms  replay %9.0f events/s  bodies in order %9.0f/s  at random %6.1f us each\n",
          block, microseconds(before, opened) / 1e3, static_cast<double>(events) / microseconds(opened, read) * 1e6,
          static_cast<double>(count) / microseconds(read, bodies) * 1e6, microseconds(bodies, Clock::now()) / 5000);
      std::fflush(stdout);
      journal.reset();
      clear();
    }
  }

 private:
  struct Ignored final : journal::Outcomes {
    void durable_up_to(journal::Position) override {}
    void ended(journal::Outcome, const base::Error& why) override {
      std::fprintf(stderr, "%s\n", why.message.c_str());
      std::abort();
    }
  };

  std::unique_ptr<journal::Journal> open(const std::string& name, Zeros zeros, bool skip_sync = false) {
    journal::file::Options options;
    options.folder = folder_ + "/" + name;
    options.files = files_.get();
    options.random = &random_;
    options.zeros = zeros;
    options.unsafe.skip_sync = skip_sync;
    auto opened = journal::file::open(std::move(options));
    PARLEY_ASSERT(opened.has_value());
    return std::move(opened->journal);
  }

  // Until the segments ahead are ready, so that their making does not disturb the first samples.
  template <class... Journals>
  void settle(Journals&... journals) {
    const auto wait = [this](journal::Journal& journal) {
      while (journal.room_for(segment_bytes / 2) != journal::Room::enough) poll(journal);
    };
    (wait(journals), ...);
  }

  void append(journal::Journal& journal, std::size_t count) {
    auto ticket = journal.append(std::span(records_).first(count), now());
    PARLEY_ASSERT(ticket.has_value());
  }
  void poll(journal::Journal& journal) {
    Ignored ignored;
    journal.poll(ignored);
  }

  template <class Work>
  void sustained(const char* what, Work work) {
    Samples samples;
    const auto before = Clock::now();
    std::uint64_t done = 0;
    while (done < bytes_) samples.time([&] { done += work(); });
    const double seconds = microseconds(before, Clock::now()) / 1e6;
    std::printf("  %-24s %6.0f MB/s  %8.0f KB-records/s\n", what, static_cast<double>(done) / 1e6 / seconds,
                static_cast<double>(done) / 1024 / seconds);
    samples.print("  each");
  }

  void clear() { std::filesystem::remove_all(folder_); }

  const std::string folder_;
  const std::uint64_t bytes_;
  const std::size_t samples_;
  std::unique_ptr<base::FileSystem> files_ = base::system_files();
  base::SystemRandom random_;
  std::vector<journal::Record> records_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "journal_bench FOLDER [latency|spaces|throughput|replay|all] [megabytes] [samples]\n");
    return 2;
  }
  const std::string part = argc > 2 ? argv[2] : "all";
  Bench bench(argv[1], (argc > 3 ? std::stoull(argv[3]) : 2048) << 20, argc > 4 ? std::stoul(argv[4]) : 2000);
  if (part == "latency" || part == "all") bench.latency();
  if (part == "spaces" || part == "all") bench.spaces();
  if (part == "throughput" || part == "all") bench.throughput();
  if (part == "replay" || part == "all") bench.replay();
  return 0;
}
