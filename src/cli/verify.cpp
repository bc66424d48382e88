// `parley verify`: reads a data folder's journal from the first byte to the last, beside a running server or without.
#include "journal/file/verify.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ostream>

#include "cli/errors.hpp"
#include "cli/verbs.hpp"
#include "json/writer.hpp"
#include "sdk/cpp/access.hpp"
#include "sdk/cpp/error_text.hpp"

namespace parley::cli {
namespace {

using journal::file::Report;

std::string to_json(const Report& report) {
  std::string text;
  json::Writer out(text);
  out.begin_object().member("intact", report.intact()).member("segments", report.segments);
  out.member("blocks", report.blocks).member("records", report.records).member("bodies", report.bodies);
  out.member("erased", report.erased).member("snapshots", report.snapshots).member("tail_bytes", report.tail_bytes);
  if (report.first_bad) out.key("first_bad").raw(sdk::to_json(*report.first_bad));
  out.end_object();
  return text;
}

// What is wrong with a name, or with who asks, is not wrong with a journal.
base::Result<> check_folder(const std::string& folder) {
  struct stat status{};
  const bool found = ::stat(folder.c_str(), &status) == 0;
  if (found && !S_ISDIR(status.st_mode))
    return base::fail(base::ErrorCode::BAD_REQUEST, folder + " is not a folder", "--data",
                      "Name the server's data folder with --data.");
  if (found && ::access(folder.c_str(), R_OK | X_OK) == 0) return {};
  const std::string why = folder + ": " + std::strerror(errno);
  if (found || errno == EACCES)
    return base::fail(base::ErrorCode::FORBIDDEN, why, "--data", "Run this as the user that the server runs as.");
  return base::fail(base::ErrorCode::NOT_FOUND, why, "--data", "Name the server's data folder with --data.");
}

base::Result<Exit> verify(Context& context, const std::string& data_folder) {
  const std::string folder = data_folder + "/journal";
  PARLEY_CHECK(check_folder(data_folder));
  PARLEY_CHECK(check_folder(folder));
  const auto files = base::system_files();
  PARLEY_TRY(Report report, journal::file::verify(*files, folder));
  // The catalogue's hint is for those who have not verified yet.
  if (report.first_bad) report.first_bad->hint = "Do not delete anything; restore the data folder from a backup.";
  const Terminal& terminal = context.terminal;
  if (context.json) {
    print_json(terminal, to_json(report));
  } else {
    terminal.out << report.segments << " segments, " << report.blocks << " blocks, " << report.records << " records, "
                 << report.bodies << " bodies (" << report.erased << " erased), " << report.snapshots << " snapshots\n";
    if (report.tail_bytes > 0)
      terminal.out << report.tail_bytes
                   << " bytes behind the last block were never promised; the next start cuts them\n";
    if (report.intact())
      terminal.out << coloured("intact", Colour::green, terminal.out_is_tty) << '\n';
    else
      print_error(context, *report.first_bad);
  }
  return report.intact() ? Exit::done : Exit::refused;
}

}  // namespace

Verb verify_verb() {
  auto folder = std::make_shared<std::string>();
  return {.name = "verify",
          .summary = "Check every byte of the journal: checksums, hash chain, bodies",
          .examples = {"parley verify", "parley verify --data /var/lib/parley --json"},
          .options = {{"--data FOLDER", "data folder (else PARLEY_DATA, else $XDG_DATA_HOME/parley)", folder.get()}},
          .run = [folder](Context& context) { return verify(context, sdk::data_folder(*folder)); }};
}

}  // namespace parley::cli
