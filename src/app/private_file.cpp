#include "app/private_file.hpp"

#include <span>
#include <utility>

namespace parley::app {
namespace {

base::Result<> write_new(base::FileSystem& files, const std::string& path, std::string_view text) {
  PARLEY_TRY(const auto file, files.open(path, base::OpenMode::create_new));
  PARLEY_CHECK(file->write_at(0, std::span(&text, 1)));
  return file->sync_data();
}

}  // namespace

std::unexpected<base::Error> file_failed(const base::Error& why, std::string_view what, const std::string& path) {
  const bool full = why.code == base::ErrorCode::STORAGE_FULL;
  return base::fail(full ? why.code : base::ErrorCode::INTERNAL,
                    "cannot " + std::string(what) + " " + path + ": " + why.message, path,
                    full ? "" : "Check the data folder's owner and permissions.");
}

base::Result<> write_private(base::FileSystem& files, const std::string& folder, const std::string& name,
                             const std::string& text, std::unique_ptr<base::FileLock>* lock) {
  const std::string path = folder + "/" + name;
  const std::string fresh = path + ".new";
  (void)files.remove(fresh);  // what a killed start left may have any mode
  std::unique_ptr<base::FileLock> held;
  auto written = write_new(files, fresh, text);
  if (written && lock) {
    auto locked = files.lock(fresh);
    if (!locked) return file_failed(locked.error(), "lock", path);
    held = std::move(*locked);
  }
  if (written) written = files.rename(fresh, path);
  if (written) written = files.sync_folder(folder);
  if (!written) {
    (void)files.remove(fresh);
    return file_failed(written.error(), "write", path);
  }
  if (lock) *lock = std::move(held);
  return {};
}

}  // namespace parley::app
