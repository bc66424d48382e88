// A client's frame: its text, the document in it, and the messages it brings. Reading it needs nothing but the text and
// how its sender was registered when it came, so that a worker may do it. Resource type; the gateway outlives its use
// on the loop's thread.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "broker/port/sending.hpp"
#include "gateway/websocket/mended.hpp"
#include "json/parser.hpp"
#include "net/port.hpp"
#include "net/workers.hpp"

namespace parley::gateway::websocket {

class Gateway;

class Frame final : public net::Job {
 public:
  explicit Frame(Gateway& gateway) : gateway_(gateway) {}

  // Read at once, where it lies; the document is good as long as `text`.
  void read(net::websocket::MessageKind kind, std::string_view text);

  // Kept, until its turn comes. For a worker the batch is begun before.
  void keep(net::ConnectionId socket, const net::websocket::Received& message);
  void give_to(net::Workers& workers, std::shared_ptr<Frame> self);
  base::Duration came() const { return came_; }
  bool with_worker() const { return with_worker_; }
  std::size_t bytes() const { return bytes_; }
  std::size_t memory() const { return text_.capacity() + (mended_ ? mended_->text.capacity() : 0); }

  // By the loop's thread, once no worker has it; reads what was kept.
  const base::Result<json::Value>& document();
  std::uint64_t id_of_refused() const { return id_of_refused_; }  // of what is no document; 0: it tells none
  broker::Batch& batch() { return batch_; }
  bool has_batch() const { return has_batch_; }
  void fill_batch(json::Value messages);  // of the document, at most sent_messages_max; the batch was begun
  const base::Error* defect_of(std::size_t message) const;  // in the batch: why it is no JSON; null: it is

 private:
  static constexpr std::size_t short_bytes = 32 << 10;

  void run() override;
  void done() override;
  bool is_short() const override { return bytes_ <= short_bytes; }
  void begin(net::websocket::MessageKind kind);
  void read_kept();
  void take_document(base::Result<json::Value> document, std::string_view text);
  void try_to_mend(std::string_view text);

  Gateway& gateway_;
  net::ConnectionId socket_;
  base::Duration came_{};
  std::string text_;  // and json::padding behind it
  std::size_t bytes_ = 0;
  bool is_read_ = false;
  bool with_worker_ = false;
  bool has_batch_ = false;
  json::Parser parser_;
  base::Result<json::Value> document_;
  std::optional<Mended> mended_;  // what the document is of, where the text is none
  std::uint64_t id_of_refused_ = 0;
  std::vector<std::string_view> slices_;
  broker::Batch batch_;
};

}  // namespace parley::gateway::websocket
