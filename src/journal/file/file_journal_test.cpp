// The file backend against the suite that all backends pass: on a disk, and on files in memory.
#include "journal/file/file_journal.hpp"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "journal/conformance_suite.hpp"
#include "journal/file/test_bench.hpp"

namespace parley::journal {
namespace {

// Segments of 64 KB: the suite rolls through many.
class DiskSite final : public Site {
 public:
  explicit DiskSite(bool beside) : beside_(beside) {
    std::string pattern = (std::filesystem::temp_directory_path() / "parley-journal-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    reopen();
  }
  ~DiskSite() override {
    journal_.reset();
    std::filesystem::remove_all(folder_);
  }
  Journal& journal() override { return *journal_; }
  void reopen() override {
    journal_.reset();
    file::Options options = file::small_options(*files_, random_, folder_ + "/data");
    if (beside_) options.syncer = &syncer_;
    auto opened = file::open(std::move(options));
    PARLEY_ASSERT(opened.has_value());
    journal_ = std::move(opened->journal);
  }

 private:
  std::unique_ptr<base::FileSystem> files_ = base::system_files();
  base::SystemRandom random_;
  base::SystemClock clock_;
  bool beside_;
  file::BesideSyncer syncer_{{.clock = &clock_, .loop_has_more = [] { return true; }, .bytes_min = 0, .wake = [] {}}};
  std::string folder_;
  std::unique_ptr<Journal> journal_;
};

class FaultySite final : public Site {
 public:
  FaultySite() { reopen(); }
  Journal& journal() override { return *bench_.journal; }
  void reopen() override {
    bench_.journal.reset();
    PARLEY_ASSERT(bench_.open().has_value());
  }

 private:
  file::Bench bench_;
};

INSTANTIATE_TEST_SUITE_P(File, JournalConformance,
                         ::testing::Values(Backend{"disk", [] { return std::make_unique<DiskSite>(false); }},
                                           Backend{"disk_beside", [] { return std::make_unique<DiskSite>(true); }},
                                           Backend{"memory_disk", [] { return std::make_unique<FaultySite>(); }}),
                         [](const auto& test) { return test.param.name; });

// Does what it is given when it is told to.
class HeldWorker final : public file::Worker {
 public:
  void give(std::function<void()> work) override { held_.push_back(std::move(work)); }
  void finish() override {
    for (auto& work : std::exchange(held_, {})) work();
  }
  bool holds() const { return !held_.empty(); }

 private:
  std::vector<std::function<void()>> held_;
};

// Writes blocks that fill a twelfth of a segment each; how often was written to make the next segment ready?
class FileJournalSpace : public ::testing::Test {
 protected:
  void open(std::uint64_t segment_bytes) {
    bench_.segment_bytes = segment_bytes;
    auto options = bench_.options();
    auto worker = std::make_unique<HeldWorker>();
    worker_ = worker.get();
    options.worker = std::move(worker);
    bench_.journal = std::move(file::open(std::move(options))->journal);
    while (worker_->holds()) make_ready();
  }
  std::uint64_t writes_after(int blocks) {
    while (!worker_->holds()) append();
    for (int i = 0; i < blocks; ++i) append();
    return make_ready();
  }

 private:
  void append() { EXPECT_TRUE(file::append_numbered(*bench_.journal, 1, bench_.segment_bytes / 13)); }
  std::uint64_t make_ready() {
    const std::uint64_t before = bench_.files->calls(sim::Call::write);
    worker_->finish();
    const std::uint64_t writes = bench_.files->calls(sim::Call::write) - before;
    bench_.journal->poll(outcomes_);
    return writes;
  }

  file::Bench bench_;
  RecordedOutcomes outcomes_;
  HeldWorker* worker_ = nullptr;  // the journal's
};

TEST_F(FileJournalSpace, IsOnlyReservedWhereTheDiskHadNoTimeForTheSegmentBefore) {
  open(64 << 10);
  EXPECT_EQ(writes_after(2), 1u);
  EXPECT_EQ(writes_after(8), 1u) << "zeros, too late";
  EXPECT_EQ(writes_after(2), 0u);
  EXPECT_EQ(writes_after(2), 1u);
}

TEST_F(FileJournalSpace, IsOnlyReservedAfterASegmentOfFewBlocks) {
  open(4 << 20);
  EXPECT_EQ(writes_after(2), 0u);
  EXPECT_EQ(writes_after(2), 0u);
}

TEST(FileJournal, TheSystemMayForgetWhatWasSealedBeforeTheNewest) {
  file::Bench bench;
  ASSERT_TRUE(bench.open());
  const auto is_written = [&bench](int generation) {
    return bench.files->contents(bench.segment(generation)).find_first_not_of('\0') != std::string::npos;
  };
  while (!is_written(3)) {
    EXPECT_EQ(bench.files->uncached(), std::vector<std::string>());
    ASSERT_TRUE(file::append_numbered(*bench.journal, 1, bench.segment_bytes / 13));
  }
  EXPECT_EQ(bench.files->uncached(), std::vector{bench.segment(1)});
}

// O6: beside a running server, which rolls through segments meanwhile, and removes old snapshots.
TEST(FileJournal, AJournalThatIsWrittenIsVerifiedAsIntact) {
  const auto files = base::system_files();
  std::string pattern = (std::filesystem::temp_directory_path() / "parley-journal-XXXXXX").string();
  const std::string folder = mkdtemp(pattern.data());
  base::SystemRandom random;
  auto opened = file::open(file::small_options(*files, random, folder));
  ASSERT_TRUE(opened.has_value());
  std::atomic<bool> writing = true;
  std::thread verifier([&] {
    do {
      auto report = file::verify(*files, folder);
      ASSERT_TRUE(report.has_value()) << error_text(report);
      ASSERT_TRUE(report->intact()) << report->first_bad->where << ": " << report->first_bad->message;
    } while (writing);
  });
  for (int i = 0; i < 150; ++i) {
    ASSERT_TRUE(file::append_numbered(*opened->journal, 2, 800));
    RecordedOutcomes outcomes;
    opened->journal->poll(outcomes);
    if (i % 20 == 0) opened->journal->tick();
    auto snapshot = opened->journal->begin_snapshot();
    ASSERT_TRUE(snapshot && (*snapshot)->write("state") && (*snapshot)->commit());
  }
  writing = false;
  verifier.join();
  opened->journal.reset();
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace parley::journal
