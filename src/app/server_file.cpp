#include "app/server_file.hpp"

#include <unistd.h>

#include <utility>

#include "app/private_file.hpp"
#include "json/writer.hpp"

namespace parley::app {
namespace {

constexpr std::string_view name = "server.json";

}  // namespace

ServerFile::ServerFile(base::FileSystem& files, std::string folder, std::string url, observe::Log& log)
    : files_(files), folder_(std::move(folder)), url_(std::move(url)), log_(log) {}

base::Result<> ServerFile::try_to_write() {
  std::string text;
  json::Writer writer(text);
  writer.begin_object().member("url", url_).member("pid", static_cast<std::int64_t>(::getpid())).end_object();
  return write_private(files_, folder_, std::string(name), text + "\n", &alive_);
}

base::Result<> ServerFile::write() {
  const auto written = try_to_write();
  if (written || written.error().code != base::ErrorCode::STORAGE_FULL) return written;
  log_.warning("server_file_not_written",
               {{"message", written.error().message}, {"hint", "Until there is room name it: --server " + url_}});
  return {};
}

void ServerFile::look() {
  if (!alive_ && try_to_write()) log_.info("server_file_written", {{"url", url_}});
}

void ServerFile::remove() {
  if (alive_) (void)files_.remove(folder_ + "/" + std::string(name));
}

}  // namespace parley::app
