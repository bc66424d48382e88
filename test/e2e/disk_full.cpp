// B4: a data folder on a small file system that fills up. Sends are refused with 507 STORAGE_FULL before acceptance,
// and so are, in their turn, all calls that grow the journal; reads, takes and acks go on; with space again, sends go
// on in the same process; after a kill nothing acked is missing. A server that is killed and started again meanwhile
// serves, and is found by its data folder as soon as there is space.
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/error.hpp"
#include "sdk/cpp/workspace.hpp"
#include "trial.hpp"

namespace {

using namespace parley;
using namespace parley::e2e;
using std::chrono::seconds;

constexpr std::uint64_t disk_bytes = 400 << 20;     // segments are 64 MB, and the reserve is one
constexpr std::uint64_t ballast_bytes = 180 << 20;  // what will be deleted
constexpr std::size_t text_bytes = 200 << 10;
constexpr std::uint64_t sends_max = 2'000;  // 400 MB: more than the disk holds
const std::string agents = "/v1/workspaces/collab/agents";

// A tmpfs on a folder. Resource type.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& folder) : folder_(folder) {
    std::filesystem::create_directories(folder);
    const std::string options = "mode=0700,size=" + std::to_string(disk_bytes);
    if (::mount("tmpfs", folder.c_str(), "tmpfs", 0, options.c_str()) != 0)
      throw Skipped{std::string("a tmpfs cannot be mounted here: ") + std::strerror(errno)};
    const int file = ::open(ballast().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const int error = file < 0 ? errno : ::posix_fallocate(file, 0, ballast_bytes);
    ::close(file);
    if (error != 0) throw Unusable("the ballast cannot be written");
  }
  ~SmallDisk() { ::umount2(folder_.c_str(), MNT_DETACH); }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  void make_room() const {
    ::unlink(ballast().c_str());
    ::unlink(rest().c_str());
  }
  // No segment is being made any more, whose space a start would give back.
  void wait_until_at_rest() const {
    const auto free = [this] { return std::filesystem::space(folder_).free; };
    for (auto before = free() + 1; before != free(); std::this_thread::sleep_for(seconds(1))) before = free();
  }
  void fill_up() const {
    const int file = ::open(rest().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const std::string page(4096, 'x');
    while (::write(file, page.data(), page.size()) > 0) {
    }
    ::close(file);
  }

 private:
  std::string ballast() const { return folder_ + "/ballast"; }
  std::string rest() const { return folder_ + "/rest"; }
  std::string folder_;
};

// One sender and the mailbox it fills, one call at a time.
class Correspondence {
 public:
  Correspondence(World& world, Town& town, Ledger& ledger)
      : ledger_(ledger),
        sends_({world.url(), town.tokens.at("collab/architect-1"), {}, {}}),
        takes_({world.url(), town.tokens.at("collab/developer-01"), {}, {}}) {}

  // Sends a new message, or what was refused before; the code of a refusal.
  std::optional<base::ErrorCode> send(std::size_t bytes) {
    const bool repeated = refused_.has_value();
    if (!repeated) {
      refused_ = make_message(cast()[0], next_++, random_, bytes);
      ledger_.plan(*refused_);
    }
    sdk::Workspace workspace(sends_, "collab");
    for (int patience = 0; patience < 200; ++patience) {
      const auto sent = workspace.send(refused_->native);
      if (sent) {
        ledger_.answered(refused_->number, sent->offset, sent->duplicate, false);
        refused_.reset();
        return std::nullopt;
      }
      const auto& info = base::info(sent.error().code);
      ledger_.refused(refused_->number, info.name);
      if (sent.error().code != base::ErrorCode::OVERLOADED) return sent.error().code;
      std::this_thread::sleep_for(Milliseconds(50));  // the next segment is being made
    }
    return base::ErrorCode::OVERLOADED;
  }

  // Takes one, keeps it for long by so many extensions, and gives it back: refused at worst, never the server's end.
  void keep(int times) {
    sdk::Workspace workspace(takes_, "collab");
    const auto taken = workspace.take("developer-01", {.max = 1, .lease = seconds(30)});
    require(taken.has_value(), "B4: a take is refused: " + (taken ? "" : taken.error().message));
    if (taken->deliveries().size() == 0) return;
    const std::string id((*taken->deliveries().begin()).delivery_id);
    const std::string_view view = id;
    for (int i = 0; i < times; ++i) {
      const auto kept = workspace.settle(sdk::Settlement::extend, "developer-01", {&view, 1});
      require(kept || kept.error().code == base::ErrorCode::STORAGE_FULL, "B4: an extension fails");
    }
    const auto back = workspace.settle(sdk::Settlement::nack, "developer-01", {&view, 1});
    require(back || back.error().code == base::ErrorCode::STORAGE_FULL, "B4: a nack fails");
  }

  // Takes and acks at most so many; how many were.
  std::size_t take_and_ack(std::uint32_t most) {
    sdk::Workspace workspace(takes_, "collab");
    auto taken = workspace.take("developer-01", {.max = most, .lease = seconds(30)});
    require(taken.has_value(), "B4: a take is refused: " + (taken ? "" : taken.error().message));
    std::vector<std::string> ids;
    for (const sdk::Delivery& delivery : taken->deliveries()) {
      Seen seen{delivery.offset, 1, WallClock::now() + seconds(30), 1, false};
      if (!delivery.message.empty()) ledger_.received("collab/developer-01", delivery.message, seen);
      ledger_.ack_asked("collab/developer-01", delivery.offset);
      ids.emplace_back(delivery.delivery_id);
    }
    if (ids.empty()) return 0;
    const std::vector<std::string_view> views(ids.begin(), ids.end());
    const auto settled = workspace.settle(sdk::Settlement::ack, "developer-01", views);
    require(settled.has_value(), "B4: acks are refused: " + (settled ? "" : settled.error().message));
    for (const std::string& id : ids) ledger_.ack_answered("collab/developer-01", std::stoull(id), 1, 1, "done");
    return ids.size();
  }

 private:
  Ledger& ledger_;
  sdk::Client sends_, takes_;
  std::mt19937_64 random_{4};
  std::uint64_t next_ = 1;
  std::optional<Message> refused_;
};

// Sends until the disk is full; how many were accepted.
std::uint64_t fill(Correspondence& correspondence) {
  std::uint64_t accepted = 0;
  std::optional<base::ErrorCode> refusal;
  while (accepted < sends_max && !(refusal = correspondence.send(text_bytes))) {
    ++accepted;
    if (accepted % 8 == 0) correspondence.take_and_ack(4);
  }
  require(refusal == base::ErrorCode::STORAGE_FULL,
          "B4: a full disk is answered with " + (refusal ? std::string(base::info(*refusal).name) : "acceptance"));
  require(base::info(*refusal).http_status == 507, "B4: STORAGE_FULL is not status 507");
  require(accepted > 50, "B4: the disk is full from the start");
  require(correspondence.send(640) == base::ErrorCode::STORAGE_FULL, "B4: a second send is accepted");
  return accepted;
}

// Calls that make the journal grow, and no room: whether any was accepted.
bool grow(sdk::Client& admin, std::uint64_t i) {
  const std::string name = "grown-" + std::to_string(i);
  const base::Result<sdk::Reply> answers[] = {
      admin.post(agents, R"({"agent_id":")" + name + R"(","profile":"collab"})"),
      admin.patch(agents + "/extra", R"({"specialty":")" + std::to_string(i) + std::string(200, 'x') + R"("})"),
      admin.post(agents + "/extra/token", "{}")};
  bool any = false;
  for (const auto& answer : answers) {
    any |= answer.has_value();
    require(answer || answer.error().code == base::ErrorCode::STORAGE_FULL ||
                answer.error().code == base::ErrorCode::OVERLOADED,
            "B4: a call on a full disk is answered with something else");
  }
  return any;
}

// Neither registrations nor tokens nor changes eat what is kept back for what must end.
void try_to_grow(sdk::Client& admin) {
  std::uint64_t grown = 0;
  while (grown < 5'000 && grow(admin, grown)) ++grown;
  require(grown < 1'000, "B4: calls that grow the journal go on where sends do not: " +
                             std::to_string(grown));  // what a send needs is estimated
  for (int i = 0; i < 200; ++i) grow(admin, 5'000 + static_cast<std::uint64_t>(i));
}

// There is space again: how long sends were still refused.
Milliseconds heal(Correspondence& correspondence) {
  const auto began = std::chrono::steady_clock::now();
  while (correspondence.send(640)) {
    require(std::chrono::steady_clock::now() - began < seconds(20), "B4: with space again, sends are still refused");
    std::this_thread::sleep_for(Milliseconds(50));
  }
  const auto healed = std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - began);
  for (int i = 0; i < 100; ++i)
    require(!correspondence.send(text_bytes), "B4: a send is refused after the disk healed");
  return healed;
}

// Both are told of in it; that there is room again, when the journal is looked at next.
void check_log(const World& world) {
  const auto logged = [&world](std::string_view event) { return world.log().find(event) != std::string::npos; };
  require(logged("\"storage_full\""), "B4: the log does not say that the disk was full");
  for (int i = 0; i < 50 && !logged("\"storage_has_room\""); ++i) std::this_thread::sleep_for(Milliseconds(100));
  require(logged("\"storage_has_room\""), "B4: the log does not say that the disk has room again");
}

void wait_for(const World& world, std::string_view event) {
  for (int i = 0; i < 300; ++i) {
    if (world.log().find(event) != std::string::npos) return;
    std::this_thread::sleep_for(Milliseconds(100));
  }
  throw Unusable("the log does not say " + std::string(event) + ":\n" + world.log());
}

// Not a byte is free when it starts. What its file says of it comes once there is room, and it was there before.
void start_on_full_disk(World& world, const SmallDisk& disk) {
  disk.wait_until_at_rest();
  world.server().kill();
  std::filesystem::remove(world.data_folder() + "/server.json");  // launch() would, and free its page
  disk.fill_up();
  world.launch();
  wait_for(world, "\"server_file_not_written\"");
  disk.make_room();
  require(world.server().wait_until_ready(seconds(20)), "B4: a server that started on a full disk is not found");
  wait_for(world, "\"server_file_written\"");
}

// After a crash everything that was promised comes to its end.
void check_all_ended(World& world, Town& town, Ledger& ledger) {
  world.server().kill();
  require(world.verify().empty(), "O6: the journal is damaged");
  world.start();
  Correspondence after(world, town, ledger);
  while (after.take_and_ack(64) > 0) {
  }
  for (const AgentRole& role : cast()) ledger.read_log_anew(role.workspace);
  world.read_logs(ledger);
  ledger.check_all_ended();
  require(ledger.first_wrong().empty(), ledger.first_wrong());
}

void run_test() {
  const TempFolder folder("disk-full");
  const SmallDisk disk(folder.path() + "/data");
  World world(folder.path());
  Town town;
  Ledger ledger;
  world.start();
  world.enrol(town);
  Correspondence correspondence(world, town, ledger);
  sdk::Client admin({world.url(), world.admin_token(), {}, {}});
  require(admin.post(agents, R"({"agent_id":"extra","profile":"collab"})").has_value(), "no agent can be registered");

  const std::uint64_t accepted = fill(correspondence);
  try_to_grow(admin);
  correspondence.keep(200);
  world.read_logs(ledger);  // reads go on
  std::size_t acked = 0;
  for (std::size_t more = 1; more > 0; acked += more) more = correspondence.take_and_ack(4);
  require(world.server().wait(Milliseconds(0)) == std::nullopt, "B4: the server ended on a full disk");
  const bool still_full = correspondence.send(640) == base::ErrorCode::STORAGE_FULL;
  const auto ready = admin.get("/readyz");
  require(!still_full || (!ready && ready.error().code == base::ErrorCode::STORAGE_FULL),
          "B4: /readyz says something else than what sends are refused with");

  disk.make_room();
  const Milliseconds healed = heal(correspondence);
  check_log(world);
  start_on_full_disk(world, disk);
  check_all_ended(world, town, ledger);
  std::printf(
      "B4: full after %llu sends of 200 KB; then %zu acked from the full disk%s; sends go on %lld ms after there "
      "was space\n",
      static_cast<unsigned long long>(accepted), acked, still_full ? "" : " (which made room)",
      static_cast<long long>(healed.count()));
}

}  // namespace

int main() {
  return judge(run_test);
}
