#include "sim/faulty_files.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace parley::sim {

using base::ErrorCode;
using base::Result;

// One change of a file's contents: bytes from one on, or a size.
struct FaultyFiles::Change {
  std::uint64_t byte = 0;
  std::string bytes;
  std::optional<std::uint64_t> size;

  void apply(std::string& contents) const {
    if (size) {
      contents.resize(*size, '\0');
      return;
    }
    if (contents.size() < byte + bytes.size()) contents.resize(byte + bytes.size(), '\0');
    std::copy(bytes.begin(), bytes.end(), contents.begin() + static_cast<std::ptrdiff_t>(byte));
  }
};

struct FaultyFiles::Node {
  std::string current;
  std::string synced;
  std::vector<Change> dirty;  // what a sync would bring to the disk, in order
};

struct FaultyFiles::NameChange {
  enum class Kind { create, rename, remove } kind;
  std::string name;
  std::string to;  // rename
  std::shared_ptr<Node> node;
};

class FaultyFile final : public base::File {
 public:
  FaultyFile(FaultyFiles& files, std::shared_ptr<FaultyFiles::Node> node, std::string path, bool writable)
      : files_(files), node_(std::move(node)), path_(std::move(path)), writable_(writable) {}

  Result<std::size_t> read_at(std::uint64_t byte, std::span<char> into) override {
    if (const auto effect = files_.count(Call::read)) return files_.error(*effect, path_);
    if (byte >= node_->current.size()) return std::size_t{0};
    const std::size_t count = std::min<std::size_t>(into.size(), node_->current.size() - byte);
    std::copy_n(node_->current.data() + byte, count, into.data());
    return count;
  }

  Result<> write_at(std::uint64_t byte, std::span<const std::string_view> pieces) override {
    PARLEY_ASSERT(writable_);
    std::string bytes;
    for (const std::string_view piece : pieces) bytes += piece;
    const auto effect = files_.count(Call::write);
    if (effect == Effect::short_write || effect == Effect::power_off) bytes.resize(bytes.size() / 2);
    if (effect == Effect::io_error || effect == Effect::no_space) return files_.error(*effect, path_);
    PARLEY_CHECK(check_capacity(byte + bytes.size()));
    change({byte, std::move(bytes), std::nullopt});
    if (effect) return files_.error(*effect, path_);
    return {};
  }

  Result<> write_zeros(std::uint64_t from, std::uint64_t to) override {
    const std::string zeros(to - from, '\0');
    const std::string_view piece = zeros;
    return write_at(from, std::span(&piece, 1));
  }

  // Nothing need reach the disk before the sync.
  Result<> begin_sync(std::uint64_t from, std::uint64_t to) override {
    const FaultyFiles::Change& last = node_->dirty.back();
    PARLEY_ASSERT(last.byte == from && last.byte + last.bytes.size() == to);  // what was just written
    return may_lose(Call::begin_sync);
  }

  Result<> sync_data() override {
    PARLEY_CHECK(may_lose(Call::sync));
    for (const auto& change : node_->dirty) change.apply(node_->synced);
    node_->dirty.clear();
    return {};
  }

  void uncache() override { files_.uncached_.push_back(path_); }

  Result<> truncate(std::uint64_t size) override {
    PARLEY_ASSERT(writable_);
    if (const auto effect = files_.count(Call::truncate)) return files_.error(*effect, path_);
    change({0, {}, size});
    return {};
  }

  Result<> allocate(std::uint64_t size) override {
    PARLEY_ASSERT(writable_);
    if (const auto effect = files_.count(Call::allocate)) return files_.error(*effect, path_);
    PARLEY_CHECK(check_capacity(size));
    if (size > node_->current.size()) change({0, {}, size});
    return {};
  }

  Result<std::uint64_t> size() override { return node_->current.size(); }

 private:
  Result<> check_capacity(std::uint64_t end) const {
    const std::uint64_t growth = end > node_->current.size() ? end - node_->current.size() : 0;
    if (growth > 0 && files_.used() + growth > files_.capacity_) return files_.error(Effect::no_space, path_);
    return {};
  }

  // The kernel calls the pages clean and will not write them again.
  Result<> may_lose(Call call) {
    const auto effect = files_.count(call);
    if (!effect) return {};
    if (*effect != Effect::power_off) node_->dirty.clear();
    return files_.error(*effect, path_);
  }

  void change(FaultyFiles::Change change) {
    change.apply(node_->current);
    node_->dirty.push_back(std::move(change));
  }

  FaultyFiles& files_;
  std::shared_ptr<FaultyFiles::Node> node_;
  std::string path_;
  bool writable_;
};

class FaultyLock final : public base::FileLock {
 public:
  FaultyLock(FaultyFiles& files, std::string path) : files_(files), path_(std::move(path)) {}
  ~FaultyLock() override { files_.locked_.erase(path_); }

 private:
  FaultyFiles& files_;
  std::string path_;
};

FaultyFiles::FaultyFiles(std::uint64_t seed) : random_(seed) {}
FaultyFiles::~FaultyFiles() = default;

Result<std::unique_ptr<base::File>> FaultyFiles::open(const std::string& path, base::OpenMode mode) {
  const bool creates = mode == base::OpenMode::create_new;
  if (!powered_) return error(Effect::power_off, path);
  if (creates) {
    if (const auto effect = count(Call::open)) return error(*effect, path);
  }
  const auto found = names_.find(path);
  if (creates == (found != names_.end())) {
    return base::fail(ErrorCode::JOURNAL_FAILED, creates ? "open: File exists" : "open: No such file or directory",
                      path);
  }
  auto node = creates ? std::make_shared<Node>() : found->second;
  if (creates) change_name({NameChange::Kind::create, path, {}, node});
  return std::make_unique<FaultyFile>(*this, std::move(node), path, mode != base::OpenMode::read_only);
}

Result<std::vector<std::string>> FaultyFiles::list(const std::string& folder) {
  if (!powered_) return error(Effect::power_off, folder);
  std::vector<std::string> names;
  for (const auto& [path, node] : names_) {
    const bool inside = path.starts_with(folder + "/") && path.find('/', folder.size() + 1) == std::string::npos;
    if (inside) names.push_back(path.substr(folder.size() + 1));
  }
  return names;
}

Result<> FaultyFiles::rename(const std::string& from, const std::string& to) {
  if (const auto effect = count(Call::rename)) return error(*effect, from);
  PARLEY_ASSERT(names_.contains(from));
  change_name({NameChange::Kind::rename, from, to, names_[from]});
  return {};
}

Result<> FaultyFiles::remove(const std::string& path) {
  if (const auto effect = count(Call::remove)) return error(*effect, path);
  if (!names_.contains(path)) {
    return base::fail(ErrorCode::JOURNAL_FAILED, "unlink: No such file or directory", path);
  }
  change_name({NameChange::Kind::remove, path, {}, nullptr});
  return {};
}

Result<> FaultyFiles::make_folder(const std::string& path) {
  if (!powered_) return error(Effect::power_off, path);
  return {};
}

Result<> FaultyFiles::sync_folder(const std::string& path) {
  if (const auto effect = count(Call::sync_folder)) return error(*effect, path);
  synced_names_ = names_;
  name_changes_.clear();
  return {};
}

Result<std::unique_ptr<base::FileLock>> FaultyFiles::lock(const std::string& path) {
  if (!powered_) return error(Effect::power_off, path);
  if (!locked_.insert(path).second) return base::fail(ErrorCode::JOURNAL_LOCKED, "the folder is in use", path);
  return std::make_unique<FaultyLock>(*this, path);
}

Result<std::uint64_t> FaultyFiles::free_space(const std::string&) {
  return capacity_ - std::min(capacity_, used());
}

void FaultyFiles::add_fault(const Fault& fault) {
  PARLEY_ASSERT(fault.nth > 0);
  faults_.push_back(fault);
}

std::optional<Effect> FaultyFiles::count(Call call) {
  if (!powered_) return Effect::power_off;
  ++counts_[static_cast<std::size_t>(call)];
  if (call != Call::read) ++changing_;
  for (auto fault = faults_.begin(); fault != faults_.end(); ++fault) {
    if (fault->call ? *fault->call != call : call == Call::read) continue;
    if (--fault->nth > 0) continue;
    const Effect effect = fault->effect;
    faults_.erase(fault);
    if (effect == Effect::power_off) powered_ = false;
    last_fault_ = call;
    return effect;
  }
  return std::nullopt;
}

std::unexpected<base::Error> FaultyFiles::error(Effect effect, const std::string& path) {
  if (effect == Effect::no_space) return base::fail(ErrorCode::STORAGE_FULL, "No space left on device", path);
  if (effect == Effect::no_descriptors) return base::fail(ErrorCode::OVERLOADED, "Too many open files", path);
  return base::fail(ErrorCode::JOURNAL_FAILED, effect == Effect::power_off ? "power is off" : "Input/output error",
                    path);
}

std::uint64_t FaultyFiles::used() const {
  std::uint64_t total = 0;
  for (const auto& [path, node] : names_) total += node->current.size();
  return total;
}

void FaultyFiles::change_name(NameChange change) {
  apply(names_, change);
  name_changes_.push_back(std::move(change));
}

void FaultyFiles::apply(Names& names, const NameChange& change) {
  switch (change.kind) {
    case NameChange::Kind::create:
      names[change.name] = change.node;
      break;
    case NameChange::Kind::rename:
      names.erase(change.name);
      names[change.to] = change.node;
      break;
    case NameChange::Kind::remove:
      names.erase(change.name);
      break;
  }
}

namespace {

// Of the un-synced changes of a file, what the power loss let through: each as a whole, not at all, or torn.
class Tearing {
 public:
  explicit Tearing(std::mt19937_64& random) : random_(random) {}

  bool some() { return random_() % 2 == 0; }

  void write(std::string& contents, std::uint64_t byte, std::string_view bytes) {
    const std::uint64_t choice = random_() % 4;
    if (choice == 0) return;
    const std::uint64_t unit = choice == 1 ? UINT64_MAX : choice == 2 ? 512 : 4096;
    const bool sizes_first = some();
    if (sizes_first && contents.size() < byte + bytes.size()) contents.resize(byte + bytes.size(), '\0');
    for (std::uint64_t at = byte; at < byte + bytes.size();) {
      const std::uint64_t end =
          unit == UINT64_MAX ? byte + bytes.size() : std::min(byte + bytes.size(), (at / unit + 1) * unit);
      if (unit == UINT64_MAX || some()) {
        if (contents.size() < end) contents.resize(end, '\0');
        std::copy_n(bytes.data() + (at - byte), end - at, contents.data() + at);
      }
      at = end;
    }
  }

 private:
  std::mt19937_64& random_;
};

}  // namespace

std::unique_ptr<FaultyFiles> FaultyFiles::after_power_loss(std::uint64_t seed) const {
  auto image = std::make_unique<FaultyFiles>(seed);
  Tearing tearing(image->random_);
  Names names = synced_names_;
  for (const NameChange& change : name_changes_) {
    if (!tearing.some()) continue;
    const bool there = change.kind == NameChange::Kind::create || names.contains(change.name);
    if (there) apply(names, change);
  }
  std::map<const Node*, std::shared_ptr<Node>> torn;
  for (const auto& [path, node] : names) {
    auto& copy = torn[node.get()];
    if (!copy) {
      copy = std::make_shared<Node>();
      copy->current = node->synced;
      for (const Change& change : node->dirty) {
        if (!change.size) {
          tearing.write(copy->current, change.byte, change.bytes);
        } else if (tearing.some()) {
          change.apply(copy->current);
        }
      }
      copy->synced = copy->current;
    }
    image->names_[path] = copy;
  }
  image->synced_names_ = image->names_;
  image->capacity_ = capacity_;
  return image;
}

std::unique_ptr<FaultyFiles> FaultyFiles::after_kill() const {
  auto next = std::make_unique<FaultyFiles>();
  std::map<const Node*, std::shared_ptr<Node>> copies;
  const auto copy_of = [&](const std::shared_ptr<Node>& node) {
    if (!node) return node;
    auto& copy = copies[node.get()];
    if (!copy) copy = std::make_shared<Node>(*node);
    return copy;
  };
  for (const auto& [path, node] : names_) next->names_[path] = copy_of(node);
  for (const auto& [path, node] : synced_names_) next->synced_names_[path] = copy_of(node);
  for (NameChange change : name_changes_) {
    change.node = copy_of(change.node);
    next->name_changes_.push_back(std::move(change));
  }
  next->capacity_ = capacity_;
  return next;
}

std::vector<std::string> FaultyFiles::names() const {
  std::vector<std::string> all;
  for (const auto& [path, node] : names_) all.push_back(path);
  return all;
}

const std::string& FaultyFiles::contents(const std::string& path) const {
  PARLEY_ASSERT(names_.contains(path));
  return names_.at(path)->current;
}

void FaultyFiles::set_contents(const std::string& path, std::string contents) {
  auto& node = names_[path];
  if (!node) node = std::make_shared<Node>();
  synced_names_[path] = node;
  node->dirty.clear();
  node->synced = contents;
  node->current = std::move(contents);
}

void FaultyFiles::erase(const std::string& path) {
  names_.erase(path);
  synced_names_.erase(path);
}

}  // namespace parley::sim
