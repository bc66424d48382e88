// Producers and consumers over HTTP: one request under way on each connection.
#pragma once
#include <memory>

#include "cli/bench/http_connection.hpp"
#include "cli/bench/receiver.hpp"
#include "cli/bench/sender.hpp"
#include "json/parser.hpp"

namespace parley::cli::bench {

// One POST a message; with a batch above 1, an array of them.
class HttpProducer final : public Link {
 public:
  HttpProducer(HttpConnection connection, std::string target, Sender sender, const Settings& settings, Tally& tally);

  int descriptor() const override { return connection_.descriptor(); }
  bool wants_write() const override { return connection_.wants_write(); }
  base::Result<> turn(Duration now) override;
  Duration next_due(Duration now) const override;
  bool finished(Duration now) const override { return sender_.schedule().over(now) && !connection_.busy(); }

 private:
  base::Result<> take_answer(const Response& response, Duration now);
  void send_due(Duration now);

  HttpConnection connection_;
  std::string target_;
  Sender sender_;
  const Settings& settings_;
  Tally& tally_;
  json::Parser parser_;
  Sheet sheet_;
  std::string body_;
};

// Takes, waiting where there is nothing; acks all it took; and again.
class HttpConsumer final : public Link {
 public:
  HttpConsumer(HttpConnection connection, std::string inbox, const Settings& settings, Tally& tally);

  int descriptor() const override { return connection_.descriptor(); }
  bool wants_write() const override { return connection_.wants_write(); }
  base::Result<> turn(Duration now) override;
  Duration next_due(Duration now) const override { return connection_.busy() ? Duration::max() : now; }
  bool finished(Duration) const override { return receiver_.pending() == 0 && !acking_; }

 private:
  base::Result<> take_answer(const Response& response, Duration now);
  void ask();

  HttpConnection connection_;
  std::string inbox_;
  const Settings& settings_;
  Receiver receiver_;
  json::Parser parser_;
  sdk::DeliveryReader reader_;
  AckSheet sheet_;
  bool acking_ = false;
  std::string body_;
};

}  // namespace parley::cli::bench
