// Reads the file journal beside its writer: replay through a stream of blocks, single events and bodies through a small
// cache of chunks that makes sequential readers cheap. Holds its own descriptors; one thread, any thread.
#pragma once
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "base/file.hpp"
#include "journal/file/block_stream.hpp"
#include "journal/file/catalog.hpp"

namespace parley::journal::file {

struct ReaderSetup {
  base::FileSystem* files = nullptr;
  std::string folder;
  JournalId id{};
  std::shared_ptr<Catalog> catalog;
  std::uint64_t cache_bytes = 8 << 20;
  bool check = true;
};

class FileReader final : public Reader {
 public:
  explicit FileReader(ReaderSetup setup) : setup_(std::move(setup)) {}

  base::Result<> read(Position from, const EntryVisitor& visit) override;
  base::Result<> event(Position position, std::string& into) override;
  base::Result<> body(Position position, std::string& into) override;
  std::uint64_t bytes_read() const override { return bytes_read_; }

  // The chain hash that the block which begins at `position` says it follows; nothing where no block begins there.
  base::Result<std::optional<base::Digest>> chain_before(Position position);

 private:
  struct LoadedBlock {
    Block block;  // views into the chunk's bytes
    std::string_view bytes;
    std::optional<bool> bodies_intact;  // once a body was asked for: most that look for an event want none
    Generation generation;
    std::uint64_t at;  // in its segment
  };
  struct LoadedChunk {
    Chunk place;
    std::string bytes;
    std::vector<LoadedBlock> blocks;  // by position; damaged ones are missing
  };
  struct OpenSegment {
    Generation generation;
    std::unique_ptr<base::File> file;
  };

  SegmentKey key(Generation generation) const { return key_of(setup_.id, generation, setup_.check); }
  std::string path(Generation generation) const { return setup_.folder + "/" + segment_name(generation); }
  base::Result<base::File*> file_of(Generation generation);
  base::Result<Chunk> locate(const Segment& segment, Position position);
  base::Result<std::vector<IndexRow>> index_of(const Segment& segment);
  base::Result<std::vector<IndexRow>> rebuild_index(const Segment& segment);
  base::Result<Visit> read_segment(const Segment& segment, Position from, Position to, const EntryVisitor& visit);
  base::Result<LoadedBlock*> block_of(Position position);
  base::Result<LoadedChunk*> load(const Chunk& place);
  bool bodies_intact(LoadedBlock& loaded) const;

  ReaderSetup setup_;
  std::list<OpenSegment> open_;    // newest use first
  std::list<LoadedChunk> chunks_;  // newest use first
  std::uint64_t cached_bytes_ = 0;
  std::uint64_t bytes_read_ = 0;  // into chunks
};

}  // namespace parley::journal::file
