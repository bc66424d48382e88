#include "gateway/websocket/frame.hpp"

#include "envelope/limits.hpp"
#include "gateway/websocket/gateway.hpp"
#include "gateway/websocket/members.hpp"
#include "json/parts.hpp"

namespace parley::gateway::websocket {
namespace {

json::Limits frame_limits() {
  json::Limits limits;
  limits.bytes = envelope::sent_bytes_max;
  limits.depth += 2;  // a message inside a frame's array
  return limits;
}

// Its sender matches the refusal to its frame by it.
std::uint64_t id_in(std::string_view refused) {
  constexpr std::size_t members_max = 16;
  for (const std::string_view member : json::parts_of(refused, members_max).value_or(std::vector<std::string_view>())) {
    if (!member.starts_with(R"("id")")) continue;
    const auto document = json::Document::parse("{" + std::string(member) + "}");
    return document ? document->root().find("id").if_uint().value_or(0) : 0;
  }
  return 0;
}

}  // namespace

void Frame::take_document(base::Result<json::Value> document, std::string_view text) {
  document_ = std::move(document);
  if (!document_) try_to_mend(text);
  id_of_refused_ = document_ ? 0 : id_in(text);
  is_read_ = true;
}

void Frame::try_to_mend(std::string_view text) {
  mended_ = mended(text);
  if (!mended_) return;
  if (const auto document = parser_.parse(mended_->text, frame_limits())) document_ = *document;
}

void Frame::begin(net::websocket::MessageKind kind) {
  came_ = gateway_.loop_.now();
  has_batch_ = false;
  mended_.reset();
  id_of_refused_ = 0;
  is_read_ = kind != net::websocket::MessageKind::text;
  if (is_read_) document_ = base::fail(base::ErrorCode::BAD_FRAME, "frames are text");
}

void Frame::read(net::websocket::MessageKind kind, std::string_view text) {
  begin(kind);
  bytes_ = text.size();
  if (is_read_) return;
  take_document(parser_.parse(text, frame_limits()), text);
}

void Frame::keep(net::ConnectionId socket, const net::websocket::Received& message) {
  begin(message.kind());
  socket_ = socket;
  message.keep_in(text_);
  bytes_ = text_.size();
  text_.append(json::padding, '\0');
}

void Frame::give_to(net::Workers& workers, std::shared_ptr<Frame> self) {
  with_worker_ = true;
  ++gateway_.frames_with_workers_;
  workers.add(std::move(self));
}

void Frame::read_kept() {
  if (is_read_) return;
  const std::string_view text(text_.data(), bytes_);
  take_document(parser_.parse_padded(text, frame_limits()), text);
}

const base::Result<json::Value>& Frame::document() {
  read_kept();
  return document_;
}

void Frame::fill_batch(json::Value messages) {
  parser_.slices(messages, slices_);
  std::size_t i = 0;
  for (const json::Value message : messages.elements()) batch_.add({slices_[i++], message});
  has_batch_ = true;
}

const base::Error* Frame::defect_of(std::size_t message) const {
  if (!mended_) return nullptr;
  const auto defect = mended_->broken.find(message);
  return defect == mended_->broken.end() ? nullptr : &defect->second;
}

void Frame::run() {
  read_kept();
  if (!document_) return;
  const json::Value messages = document_->find("messages");
  if (!messages.is_array() || messages.size() > envelope::sent_messages_max) return;
  fill_batch(messages);
  batch_.prepare();
}

void Frame::done() {
  with_worker_ = false;
  --gateway_.frames_with_workers_;
  gateway_.go_on(socket_);
}

}  // namespace parley::gateway::websocket
