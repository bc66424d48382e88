// Reads small files of the data folder; writes tokens only.
#include "sdk/cpp/access.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "json/parser.hpp"

namespace parley::sdk {
namespace {

using base::ErrorCode;

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
  return line;
}

// TOKENS/WORKSPACE/agents, each of them; where that fails, what comes after it says so.
void make_private(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return;
  for (const auto& made : {folder.parent_path().parent_path(), folder.parent_path(), folder})
    ::chmod(made.c_str(), 0700);
}

bool is_at(int opened, const std::string& path) {
  struct stat held{}, there{};
  return ::fstat(opened, &held) == 0 && ::stat(path.c_str(), &there) == 0 && held.st_dev == there.st_dev &&
         held.st_ino == there.st_ino;
}

// A folder of tokens, made where there is none; -1 where it cannot be. While its lock was waited for, whoever had it
// may have removed it again, as it was empty.
int open_locked(const std::string& folder) {
  for (int tries = 1;; ++tries) {
    make_private(folder);
    const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened < 0) return -1;
    ::flock(opened, LOCK_EX);  // without it, as on some file systems, the newest may not be the one that is kept
    if (is_at(opened, folder) || tries == 100) return opened;
    ::close(opened);
  }
}

// Of the server that wrote it, as long as that lives: it holds the file's lock, and the kernel lets go of it however
// the server ended, and whatever user or container it ran in.
std::string url_in(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const bool held = ::flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  char text[4096];
  const ssize_t size = held ? ::read(file, text, sizeof text) : 0;
  ::close(file);
  if (size <= 0) return {};
  const auto document = json::Document::parse(std::string_view(text, static_cast<std::size_t>(size)));
  if (!document) return {};
  return std::string(document->root().find("url").if_string().value_or(""));
}

// Names become parts of paths. The server allows no other form (BAD_ID), but it is not the server that opens the file.
bool is_plain(std::string_view name) {
  return !name.empty() && name.size() <= 128 && name.front() != '.' &&
         name.find_first_of(std::string_view("/\\\0", 3)) == name.npos;
}

base::Result<> check_names(const TokenStore::Owner& owner) {
  for (const auto part : {owner.workspace, owner.name})
    if (!is_plain(part))
      return base::fail(ErrorCode::BAD_ID, "\"" + std::string(part) + "\" cannot name a token's file", "tokens");
  return {};
}

std::unexpected<base::Error> not_kept(const std::string& path) {
  return base::fail(ErrorCode::INTERNAL, "the token cannot be kept: " + std::string(std::strerror(errno)), path,
                    "Make the data folder writable for you, or name another with --data.");
}

// What takes a part only says at the next write why.
bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

// Whole or not at all, through a file of its own: several may write at a time.
base::Result<> write_private(const std::string& path, std::string_view text) {
  std::string made = path + ".XXXXXX";
  const int file = ::mkostemp(made.data(), O_CLOEXEC);  // 0600
  if (file < 0) return not_kept(path);
  const bool synced = write_all(file, text) && ::fsync(file) == 0;
  int error = errno;
  ::close(file);
  if (synced && std::rename(made.c_str(), path.c_str()) == 0) return {};
  if (synced) error = errno;
  ::unlink(made.c_str());
  errno = error;
  return not_kept(path);
}

std::string without_slash(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

std::string first_of(std::initializer_list<std::string> texts) {
  for (const auto& text : texts)
    if (!text.empty()) return text;
  return {};
}

base::Result<std::string> workspace_of(const std::vector<std::string>& workspaces, const std::string& agent) {
  if (workspaces.size() == 1) return workspaces.front();
  auto error = base::fail(ErrorCode::BAD_REQUEST, "\"" + agent + "\" is known in several workspaces", "--workspace",
                          "Name one with --workspace.");
  for (const auto& workspace : workspaces) error.error().legal_next.push_back("--workspace " + workspace);
  return error;
}

// Where there is a token and it is another user's, "no token" would be the wrong reason.
base::Result<> check_readable(const std::string& token) {
  if (::faccessat(AT_FDCWD, token.c_str(), R_OK, AT_EACCESS) == 0 || errno != EACCES) return {};
  return base::fail(ErrorCode::FORBIDDEN, "the admin's token cannot be read: " + std::string(std::strerror(errno)),
                    token,
                    "Run this as the user that the server runs as, or give a token with --token or PARLEY_TOKEN.");
}

std::unexpected<base::Error> no_server(const Access& access) {
  std::error_code error;
  const bool was_killed = std::filesystem::exists(access.data_folder + "/server.json", error);
  return base::fail(ErrorCode::UNREACHABLE,
                    was_killed ? "the server of this data folder has ended" : "no server runs with this data folder",
                    access.data_folder,
                    "Start it with `parley serve --data " + access.data_folder +
                        "`, or name another with --server or PARLEY_SERVER.");
}

// A kept token is for the server that gave it, and nobody else may see it: not who listens where a server was named by
// mistake, nor who listens at the default address while the folder's own server is down.
base::Result<> check_server(const std::string& owner, bool named, Access& access) {
  if (!named && !owner.empty()) access.url = owner;
  if (access.url == owner) return {};
  if (owner.empty() && !named) return no_server(access);
  return base::fail(ErrorCode::FORBIDDEN,
                    owner.empty()
                        ? "the tokens in " + access.data_folder + " are for its own server, which does not run"
                        : "the token kept in " + access.data_folder + " is for " + owner + " alone",
                    access.url, "Give the token for this server with --token or PARLEY_TOKEN.");
}

// With the workspaces where one of that name is kept: another may have been meant.
std::unexpected<base::Error> no_token(const TokenStore& tokens, const std::string& name, const std::string& workspace) {
  auto error =
      base::fail(ErrorCode::NOT_FOUND,
                 "no token of \"" + name + "\" " +
                     (workspace.empty() ? "" : "in the workspace \"" + workspace + "\" ") + "is kept on this machine",
                 "--as", "Register it with `parley agent add`, or give its token with --token.");
  for (const std::string_view whose : {"agents", "people"})
    for (const auto& other : tokens.workspaces_of(whose, name))
      error.error().legal_next.push_back("--workspace " + other);
  return error;
}

base::Result<> check_address(const std::string& named) {
  if (named.empty() || named.starts_with("http://") || named.starts_with("https://")) return {};
  return base::fail(ErrorCode::BAD_REQUEST, "\"" + named + "\" is no address of a server", "--server",
                    "Write it as http://127.0.0.1:7411.");
}

// Its own token; PARLEY_TOKEN where none is kept, since that may be it.
base::Result<> find_own_token(const Wanted& wanted, const std::string& token_of_environment,
                              const std::string& folders_url, bool named, Access& access) {
  const std::string& name = wanted.agent;
  const TokenStore tokens(access.data_folder);
  const std::string wanted_workspace = access.workspace;
  const auto [first, second] = wanted.prefers_person ? std::pair("people", "agents") : std::pair("agents", "people");
  for (const std::string_view whose : {first, second}) {
    if (wanted_workspace.empty()) {
      const auto workspaces = tokens.workspaces_of(whose, name);
      if (workspaces.empty()) continue;
      PARLEY_TRY(access.workspace, workspace_of(workspaces, name));
    }
    const TokenStore::Owner owner{access.workspace, whose, name};
    auto kept = tokens.get(owner);
    if (!kept) continue;
    access.token = std::move(*kept);
    const std::string elsewhere = tokens.server(owner);
    access.of_folder = elsewhere.empty();
    return check_server(elsewhere.empty() ? folders_url : elsewhere, named, access);
  }
  access.token = token_of_environment;
  if (!access.token.empty()) return {};
  return no_token(tokens, name, wanted_workspace);
}

}  // namespace

std::string system_environment(std::string_view name) {
  const char* const value = std::getenv(std::string(name).c_str());
  return value ? value : "";
}

std::string data_folder(const std::string& wanted, const Environment& environment) {
  if (!wanted.empty()) return wanted;
  if (auto named = environment("PARLEY_DATA"); !named.empty()) return named;
  if (const auto home = environment("XDG_DATA_HOME"); !home.empty()) return home + "/parley";
  return environment("HOME") + "/.local/share/parley";
}

base::Result<Access> discover(const Wanted& wanted, const Environment& environment) {
  Access access;
  access.data_folder = data_folder(wanted.data_folder, environment);
  access.ca_file = environment("SSL_CERT_FILE");
  access.workspace = first_of({wanted.workspace, environment("PARLEY_WORKSPACE")});
  const std::string named = without_slash(first_of({wanted.server, environment("PARLEY_SERVER")}));
  PARLEY_CHECK(check_address(named));
  const std::string folders_url = own_server(access.data_folder);
  access.url = first_of({named, folders_url, std::string(default_url)});
  access.token = wanted.token;
  if (!access.token.empty()) return access;
  const std::string token = environment("PARLEY_TOKEN");
  if (!wanted.agent.empty()) {
    PARLEY_CHECK(find_own_token(wanted, token, folders_url, !named.empty(), access));
    return access;
  }
  access.token = token;
  if (!access.token.empty()) return access;
  if (named.empty()) PARLEY_CHECK(check_readable(access.data_folder + "/admin.token"));
  access.token = first_line(access.data_folder + "/admin.token");
  access.of_folder = !access.token.empty();
  if (access.of_folder) PARLEY_CHECK(check_server(folders_url, !named.empty(), access));
  return access;
}

base::Result<> check_alive(const Access& access) {
  if (!access.of_folder || own_server(access.data_folder) == access.url) return {};
  return no_server(access);
}

std::string own_server(const std::string& data_folder) {
  return without_slash(url_in(data_folder + "/server.json"));
}

std::string TokenStore::path(const Owner& owner) const {
  return folder_ + "/" + std::string(owner.workspace) + "/" + std::string(owner.whose) + "/" + std::string(owner.name) +
         ".token";
}

std::string TokenStore::server(const Owner& owner) const {
  return first_line(path(owner) + ".server");
}

TokenPlace::~TokenPlace() {
  if (folder_ < 0) return;
  const std::filesystem::path folder = path_;
  for (const auto& level : {folder, folder.parent_path(), folder.parent_path().parent_path()})
    if (::rmdir(level.c_str()) != 0) break;  // there is something in it
  ::close(folder_);
}

base::Result<TokenPlace> TokenStore::place(const Owner& owner) const {
  PARLEY_CHECK(check_names(owner));
  const std::string folder = std::filesystem::path(path(owner)).parent_path();
  const int opened = open_locked(folder);
  if (opened < 0) return not_kept(path(owner));
  TokenPlace place(folder, opened);
  const std::string trial = path(owner) + ".trial";
  PARLEY_CHECK(write_private(trial, std::string(128, '\n')));  // as long as a token
  ::unlink(trial.c_str());
  return place;
}

base::Result<> TokenStore::put(const Owner& owner, std::string_view token, std::string_view server) const {
  PARLEY_CHECK(check_names(owner));
  const std::string file = path(owner);
  make_private(std::filesystem::path(file).parent_path());
  // Whatever interrupts this, no token stands there beside the address of another server than its own.
  if (this->server(owner) != server) ::unlink(file.c_str());
  if (server.empty())
    ::unlink((file + ".server").c_str());
  else
    PARLEY_CHECK(write_private(file + ".server", std::string(server) + "\n"));
  return write_private(file, std::string(token) + "\n");
}

base::Result<std::string> TokenStore::get(const Owner& owner) const {
  PARLEY_CHECK(check_names(owner));
  auto token = first_line(path(owner));
  if (token.empty())
    return base::fail(
        ErrorCode::NOT_FOUND,
        "no token of \"" + std::string(owner.name) + "\" in \"" + std::string(owner.workspace) + "\" is kept here",
        path(owner), "Register it with `parley agent add`, or give its token with --token.");
  return token;
}

void TokenStore::remove(const Owner& owner) const {
  if (!check_names(owner)) return;
  ::unlink(path(owner).c_str());
  ::unlink((path(owner) + ".server").c_str());
}

std::vector<std::string> TokenStore::workspaces_of(std::string_view whose, std::string_view name) const {
  std::vector<std::string> found;
  if (!is_plain(name)) return found;
  std::error_code error;
  for (const auto& folder : std::filesystem::directory_iterator(folder_, error)) {
    const auto workspace = folder.path().filename().string();
    if (std::filesystem::exists(path({workspace, whose, name}), error)) found.push_back(workspace);
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace parley::sdk
