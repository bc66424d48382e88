// A file system in memory that fails as disks do, by a seed: what was synced and what only the page cache knows are
// kept apart, so that a power loss leaves the synced bytes and any part of the others (reliability A4), and a failed
// sync leaves pages that read well and are lost all the same (B3). Resource type; one thread. Test code: it throws
// nothing, asserts on misuse.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"

namespace parley::sim {

// The calls that change something, and reads; each kind is counted.
enum class Call { open, read, write, begin_sync, sync, truncate, allocate, rename, remove, sync_folder };
inline constexpr std::size_t call_kinds = 10;

enum class Effect {
  io_error,  // EIO: nothing happens; of a sync or its beginning, the dirty pages are lost without having reached the
             // disk
  no_space,  // ENOSPC: nothing happens
  no_descriptors,  // EMFILE, of what opens something: nothing happens
  short_write,     // the first half is written, then EIO
  power_off,       // a part of it may have happened; from now on every call fails
};

struct Fault {
  std::optional<Call> call;  // nothing: any call that changes something (all but read)
  std::uint64_t nth = 1;     // from now on, the first is 1
  Effect effect = Effect::io_error;
};

class FaultyFiles final : public base::FileSystem {
 public:
  explicit FaultyFiles(std::uint64_t seed = 0);
  ~FaultyFiles() override;

  base::Result<std::unique_ptr<base::File>> open(const std::string& path, base::OpenMode mode) override;
  base::Result<std::vector<std::string>> list(const std::string& folder) override;
  base::Result<> rename(const std::string& from, const std::string& to) override;
  base::Result<> remove(const std::string& path) override;
  base::Result<> make_folder(const std::string& path) override;
  base::Result<> sync_folder(const std::string& path) override;
  base::Result<std::unique_ptr<base::FileLock>> lock(const std::string& path) override;
  void drop_lock(const std::string& path) { locked_.erase(path); }  // as where its file is deleted, and made anew
  base::Result<std::unique_ptr<base::FileLock>> lock_folder(const std::string& path) override { return lock(path); }
  base::Result<std::uint64_t> free_space(const std::string& folder) override;

  void add_fault(const Fault& fault);
  void set_capacity(std::uint64_t bytes) { capacity_ = bytes; }  // of all files together
  std::uint64_t calls(Call call) const { return counts_[static_cast<std::size_t>(call)]; }
  std::uint64_t changing_calls() const { return changing_; }
  bool powered() const { return powered_; }
  const std::optional<Call>& last_fault() const { return last_fault_; }  // the call that went wrong last by a fault
  void forget_fault() { last_fault_.reset(); }
  void clear_faults() { faults_.clear(); }
  std::uint64_t used() const;                                             // bytes of all files together
  const std::vector<std::string>& uncached() const { return uncached_; }  // in order; of one thread

  // What a machine finds that starts after the power went now: the synced state, and of every change since, by the
  // seed, all, nothing or a torn part (sectors of 512 bytes or pages of 4 KiB, in any order, sizes before contents,
  // names before or after what they name).
  std::unique_ptr<FaultyFiles> after_power_loss(std::uint64_t seed) const;
  // What the next process finds after this one was killed: the page cache, as un-synced as it was.
  std::unique_ptr<FaultyFiles> after_kill() const;

  // For tests that damage or look: the current contents, behind everybody's back and at once on the disk.
  std::vector<std::string> names() const;
  const std::string& contents(const std::string& path) const;
  void set_contents(const std::string& path, std::string contents);
  void erase(const std::string& path);

 private:
  friend class FaultyFile;
  friend class FaultyLock;
  struct Change;
  struct Node;
  struct NameChange;
  using Names = std::map<std::string, std::shared_ptr<Node>>;

  // Counts the call and says what is to go wrong with it.
  std::optional<Effect> count(Call call);
  static std::unexpected<base::Error> error(Effect effect, const std::string& path);
  void change_name(NameChange change);
  static void apply(Names& names, const NameChange& change);

  std::mt19937_64 random_;
  Names names_;                           // as every process sees them
  Names synced_names_;                    // as they are on the disk
  std::vector<NameChange> name_changes_;  // since, in order
  std::set<std::string> locked_;
  std::vector<Fault> faults_;
  std::array<std::uint64_t, call_kinds> counts_{};
  std::uint64_t changing_ = 0;
  std::vector<std::string> uncached_;
  std::uint64_t capacity_ = UINT64_MAX;
  bool powered_ = true;
  std::optional<Call> last_fault_;
};

}  // namespace parley::sim
