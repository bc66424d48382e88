// A file system whose folders are never synced: the planted fault of a server that forgets the directory fsync
// (OSDI'14 ALICE). Everything else goes to the files behind it.
#pragma once
#include "base/file.hpp"

namespace parley::sim {

class CarelessFiles final : public base::FileSystem {
 public:
  explicit CarelessFiles(base::FileSystem& files) : files_(files) {}

  base::Result<std::unique_ptr<base::File>> open(const std::string& path, base::OpenMode mode) override {
    return files_.open(path, mode);
  }
  base::Result<std::vector<std::string>> list(const std::string& folder) override { return files_.list(folder); }
  base::Result<> rename(const std::string& from, const std::string& to) override { return files_.rename(from, to); }
  base::Result<> remove(const std::string& path) override { return files_.remove(path); }
  base::Result<> make_folder(const std::string& path) override { return files_.make_folder(path); }
  base::Result<> sync_folder(const std::string&) override { return {}; }
  base::Result<std::unique_ptr<base::FileLock>> lock(const std::string& path) override { return files_.lock(path); }
  base::Result<std::unique_ptr<base::FileLock>> lock_folder(const std::string& path) override {
    return files_.lock_folder(path);
  }
  base::Result<std::uint64_t> free_space(const std::string& folder) override { return files_.free_space(folder); }

 private:
  base::FileSystem& files_;
};

}  // namespace parley::sim
