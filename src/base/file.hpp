// The seam for files: the journal's logic sees only these, so that the simulator and the power-loss model run it too.
// Operating failures come back as errors with code STORAGE_FULL (ENOSPC, EDQUOT), OVERLOADED (nothing could be opened
// for want of descriptors or memory, and nothing has happened) or JOURNAL_FAILED, and the errno's text.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace parley::base {

// What the system writes to a disk at once: a write of whole pages reads nothing of what they held before.
inline constexpr std::uint64_t page_bytes = 4096;

// An open regular file. Resource type; one thread at a time.
class File {
 public:
  virtual ~File() = default;
  virtual Result<std::size_t> read_at(std::uint64_t byte, std::span<char> into) = 0;            // short only at the end
  virtual Result<> write_at(std::uint64_t byte, std::span<const std::string_view> pieces) = 0;  // all or an error
  // Between the two bytes, past the page cache where the system can: nobody reads them back.
  virtual Result<> write_zeros(std::uint64_t from, std::uint64_t to) = 0;
  // Lets the system begin to write what is between the two bytes: a sync that follows has less to wait for. It promises
  // nothing; but what it fails with the sync may not tell again.
  virtual Result<> begin_sync(std::uint64_t from, std::uint64_t to) = 0;
  virtual Result<> sync_data() = 0;  // fdatasync; never retried
  // Lets the system drop from its memory what of this file is on the disk, for it will seldom be read. Promises
  // nothing.
  virtual void uncache() = 0;
  virtual Result<> truncate(std::uint64_t size) = 0;
  virtual Result<> allocate(std::uint64_t size) = 0;  // reserves space on the disk up to `size`
  virtual Result<std::uint64_t> size() = 0;
};

// Held as long as it lives; the kernel gives it back when the process dies.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

enum class OpenMode : std::uint8_t { read_only, read_write, create_new };

class FileSystem {
 public:
  virtual ~FileSystem() = default;
  virtual Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) = 0;  // files made are 0600
  virtual Result<std::vector<std::string>> list(const std::string& folder) = 0;            // names, sorted
  virtual Result<> rename(const std::string& from, const std::string& to) = 0;
  virtual Result<> remove(const std::string& path) = 0;
  virtual Result<> make_folder(const std::string& path) = 0;  // with parents, 0700, each to last; fine where it exists
  virtual Result<> sync_folder(const std::string& path) = 0;  // makes creations, renames and removals last
  virtual Result<std::unique_ptr<FileLock>> lock(const std::string& path) = 0;  // JOURNAL_LOCKED where another holds it
  // The folder's own, which cannot be deleted while there is something in it. Holds nothing where the file system has
  // no locks of folders.
  virtual Result<std::unique_ptr<FileLock>> lock_folder(const std::string& path) = 0;
  virtual Result<std::uint64_t> free_space(const std::string& folder) = 0;  // bytes
};

std::unique_ptr<FileSystem> system_files();

}  // namespace parley::base
