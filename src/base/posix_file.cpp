// base/file.hpp by Linux system calls. Nothing here decides anything: every failed call becomes an error that names
// the call, the path and the errno's text; only interrupted reads, writes and allocations are taken up again.
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "base/descriptor.hpp"
#include "base/file.hpp"

namespace parley::base {
namespace {

std::unexpected<Error> failed(const char* call, const std::string& path, int error = errno) {
  const bool full = error == ENOSPC || error == EDQUOT;
  return fail(full ? ErrorCode::STORAGE_FULL : ErrorCode::JOURNAL_FAILED,
              std::string(call) + ": " + std::generic_category().message(error), path);
}

std::unexpected<Error> cannot_open(const std::string& path, const char* call = "open") {
  const int error = errno;
  auto failure = failed(call, path, error);
  if (error == EMFILE || error == ENFILE || error == ENOMEM) failure.error().code = ErrorCode::OVERLOADED;
  return failure;
}

struct ZeroPages {
  alignas(page_bytes) std::array<char, 1 << 20> bytes{};  // direct writes want aligned memory
};

class PosixFile final : public File {
 public:
  PosixFile(Descriptor fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

  Result<std::size_t> read_at(std::uint64_t byte, std::span<char> into) override {
    std::size_t total = 0;
    while (total < into.size()) {
      const ssize_t count =
          ::pread(fd_.get(), into.data() + total, into.size() - total, static_cast<off_t>(byte + total));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return failed("pread", path_);
      if (count == 0) break;
      total += static_cast<std::size_t>(count);
    }
    return total;
  }

  Result<> write_at(std::uint64_t byte, std::span<const std::string_view> pieces) override {
    while (!pieces.empty()) {
      const std::size_t count = std::min(pieces.size(), pieces_max);
      PARLEY_CHECK(write_some(byte, pieces.first(count)));
      pieces = pieces.subspan(count);
    }
    return {};
  }

  // Whole pages go past the cache: to fill a segment of fresh cached pages takes the processor ten times as long. The
  // rest, and on a file system without direct writes all of it, goes through it.
  Result<> write_zeros(std::uint64_t from, std::uint64_t to) override {
    const std::uint64_t first = std::min(to, from + (page_bytes - from % page_bytes) % page_bytes);
    const std::uint64_t last = std::max(first, to - to % page_bytes);
    const Descriptor direct(::open(path_.c_str(), O_WRONLY | O_DIRECT | O_CLOEXEC));
    const auto zeros = std::make_unique<ZeroPages>();
    PARLEY_CHECK(write_zeros_by(fd_.get(), *zeros, from, first));
    PARLEY_TRY(const std::uint64_t reached, write_zeros_by(direct.get(), *zeros, first, last));
    PARLEY_CHECK(write_zeros_by(fd_.get(), *zeros, reached, to));
    return {};
  }

  // A system that has no such call, or does not let us, writes at the sync.
  Result<> begin_sync(std::uint64_t from, std::uint64_t to) override {
    int outcome = 0;
    do {
      outcome =
          ::sync_file_range(fd_.get(), static_cast<off_t>(from), static_cast<off_t>(to - from), SYNC_FILE_RANGE_WRITE);
    } while (outcome != 0 && errno == EINTR);
    if (outcome != 0 && errno != ENOSYS && errno != EPERM) return failed("sync_file_range", path_);
    return {};
  }

  Result<> sync_data() override {
    if (::fdatasync(fd_.get()) != 0) return failed("fdatasync", path_);
    return {};
  }

  void uncache() override { (void)::posix_fadvise(fd_.get(), 0, 0, POSIX_FADV_DONTNEED); }

  Result<> truncate(std::uint64_t size) override {
    if (::ftruncate(fd_.get(), static_cast<off_t>(size)) != 0) return failed("ftruncate", path_);
    return {};
  }

  Result<> allocate(std::uint64_t size) override {
    int error = 0;
    do {
      error = ::posix_fallocate(fd_.get(), 0, static_cast<off_t>(size));
    } while (error == EINTR);
    if (error != 0) return failed("posix_fallocate", path_, error);
    return {};
  }

  Result<std::uint64_t> size() override {
    struct stat info{};
    if (::fstat(fd_.get(), &info) != 0) return failed("fstat", path_);
    return static_cast<std::uint64_t>(info.st_size);
  }

 private:
  static constexpr std::size_t pieces_max = 1024;  // IOV_MAX

  // Up to which byte: less than `to` where there is no such descriptor, or it takes no such writes.
  Result<std::uint64_t> write_zeros_by(int descriptor, const ZeroPages& zeros, std::uint64_t from, std::uint64_t to) {
    while (from < to && descriptor >= 0) {
      const std::size_t count = std::min<std::uint64_t>(to - from, zeros.bytes.size());
      const ssize_t written = ::pwrite(descriptor, zeros.bytes.data(), count, static_cast<off_t>(from));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0 && errno == EINVAL && descriptor != fd_.get()) break;
      if (written < 0) return failed("pwrite", path_);
      from += static_cast<std::uint64_t>(written);
    }
    return from;
  }

  // Writes all of at most `pieces_max` pieces and moves `byte` past them. A short write is no failure: what is left
  // is written next, and if the disk has a reason it says so then.
  Result<> write_some(std::uint64_t& byte, std::span<const std::string_view> pieces) {
    std::array<iovec, pieces_max> vectors;
    std::size_t last = 0;
    for (const std::string_view piece : pieces) {
      if (!piece.empty()) vectors[last++] = {const_cast<char*>(piece.data()), piece.size()};
    }
    for (std::size_t first = 0; first < last;) {
      const ssize_t written =
          ::pwritev(fd_.get(), &vectors[first], static_cast<int>(last - first), static_cast<off_t>(byte));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return failed("pwritev", path_);
      if (written == 0) return failed("pwritev", path_, EIO);
      byte += static_cast<std::uint64_t>(written);
      auto left = static_cast<std::size_t>(written);
      for (; first < last && left >= vectors[first].iov_len; ++first) left -= vectors[first].iov_len;
      if (left > 0) {
        vectors[first].iov_base = static_cast<char*>(vectors[first].iov_base) + left;
        vectors[first].iov_len -= left;
      }
    }
    return {};
  }

  Descriptor fd_;
  std::string path_;
};

// 0, or why not.
int try_to_lock(const Descriptor& fd) {
  return ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
}

std::unexpected<Error> not_locked(const std::string& path, int error) {
  if (error == EWOULDBLOCK) return fail(ErrorCode::JOURNAL_LOCKED, "the folder is in use", path);
  return failed("flock", path, error);
}

class PosixLock final : public FileLock {
 public:
  explicit PosixLock(Descriptor fd) : fd_(std::move(fd)) {}

 private:
  Descriptor fd_;
};

class PosixFiles final : public FileSystem {
 public:
  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
    const int flags = mode == OpenMode::read_only    ? O_RDONLY
                      : mode == OpenMode::read_write ? O_RDWR
                                                     : O_RDWR | O_CREAT | O_EXCL;
    Descriptor fd(::open(path.c_str(), flags | O_CLOEXEC, 0600));
    if (fd.get() < 0) return cannot_open(path);
    return std::make_unique<PosixFile>(std::move(fd), path);
  }

  Result<std::vector<std::string>> list(const std::string& folder) override {
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(folder.c_str()), &::closedir);
    if (!stream) return cannot_open(folder, "opendir");
    std::vector<std::string> names;
    for (errno = 0; const dirent* entry = ::readdir(stream.get()); errno = 0) {
      std::string name = entry->d_name;
      if (name != "." && name != "..") names.push_back(std::move(name));
    }
    if (errno != 0) return failed("readdir", folder);
    std::sort(names.begin(), names.end());
    return names;
  }

  Result<> rename(const std::string& from, const std::string& to) override {
    if (::rename(from.c_str(), to.c_str()) != 0) return failed("rename", from);
    return {};
  }

  Result<> remove(const std::string& path) override {
    if (::unlink(path.c_str()) != 0) return failed("unlink", path);
    return {};
  }

  Result<> make_folder(const std::string& path) override {
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
      PARLEY_CHECK(make_one(path.substr(0, slash)));
    }
    return make_one(path);
  }

  Result<> sync_folder(const std::string& path) override {
    const Descriptor fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd.get() < 0) return cannot_open(path);
    if (::fsync(fd.get()) != 0) return failed("fsync", path);
    return {};
  }

  // flock belongs to the open file, not to the process: a second opener in the same process is refused as well, and
  // the kernel lets go of it with the last descriptor, so that a file left behind after a kill locks nothing.
  Result<std::unique_ptr<FileLock>> lock(const std::string& path) override {
    Descriptor fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (fd.get() < 0) return cannot_open(path);
    if (const int error = try_to_lock(fd)) return not_locked(path, error);
    return std::make_unique<PosixLock>(std::move(fd));
  }

  // NFS locks what is open for writing alone, which no folder ever is.
  Result<std::unique_ptr<FileLock>> lock_folder(const std::string& path) override {
    Descriptor fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd.get() < 0) return cannot_open(path);
    const int error = try_to_lock(fd);
    const bool has_none = error == EBADF || error == ENOLCK || error == EOPNOTSUPP || error == ENOSYS;
    if (error != 0 && !has_none) return not_locked(path, error);
    return std::make_unique<PosixLock>(std::move(fd));
  }

  Result<std::uint64_t> free_space(const std::string& folder) override {
    struct statvfs info{};
    if (::statvfs(folder.c_str(), &info) != 0) return failed("statvfs", folder);
    return static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
  }

 private:
  // A folder that was made lasts once the one it is in is synced.
  Result<> make_one(const std::string& path) {
    if (::mkdir(path.c_str(), 0700) == 0) {
      const std::size_t slash = path.find_last_of('/', path.find_last_not_of('/'));
      return sync_folder(slash == std::string::npos ? "." : path.substr(0, slash + 1));
    }
    if (errno == EEXIST || errno == EISDIR) return {};
    // A parent that exists may still refuse mkdir (read-only root); only its absence is a failure.
    const int error = errno;
    struct stat info{};
    if (::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return {};
    return failed("mkdir", path, error);
  }
};

}  // namespace

std::unique_ptr<FileSystem> system_files() {
  return std::make_unique<PosixFiles>();
}

}  // namespace parley::base
