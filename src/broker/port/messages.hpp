// Messages: sent, looked up, taken back.
#pragma once
#include <cstddef>
#include <string_view>

#include "base/result.hpp"
#include "broker/port/call.hpp"
#include "broker/port/sending.hpp"

namespace parley::broker {

class Messages {
 public:
  virtual ~Messages() = default;

  virtual void begin(Batch&, const Caller&, std::string_view idempotency_key) = 0;
  // One of the batch, by the caller it was begun for. What was prepared under a registration or settings that hold no
  // longer is judged anew: the answer is as if the message had been read now.
  virtual base::Result<Sent> send(const Caller&, std::string_view workspace, Batch&, std::size_t index,
                                  const SendOptions* = nullptr) = 0;
  virtual base::Result<Sent> send(const Caller&, std::string_view workspace, const Native&,
                                  std::string_view idempotency_key, const SendOptions* = nullptr) = 0;
  // `to` tells apart messages of one id to several recipients (R7); may be empty.
  virtual base::Result<Answer> message(const Caller&, std::string_view workspace, std::string_view message_id,
                                       std::string_view to) = 0;
  // Its sender takes it back (BEY-03). Answered with what became of it at each recipient.
  virtual base::Result<Answer> rescind(const Caller&, std::string_view workspace, std::string_view message_id,
                                       std::string_view to, std::string_view reason) = 0;
  // What a front has refused of a caller's messages counts like what is refused here.
  virtual void count_refused(const Caller&, const base::Error&) = 0;
};

}  // namespace parley::broker
