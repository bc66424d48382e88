// NATS JetStream, file store: asynchronous publishes with at most `window` unacknowledged, a durable pull consumer that
// acks each message. Publishing and consuming have a connection each, in one process.
#include <nats/nats.h>

#include <atomic>
#include <thread>

#include "bench/peers/measurement.hpp"

namespace {

using namespace parley::peers;

constexpr const char* stream = "BENCH";
constexpr const char* subject = "bench.tasks";
constexpr const char* durable = "worker";
constexpr int fetch_max = 256;

void check(natsStatus status, const char* what) {
  parley::peers::check(status == NATS_OK, std::string(what) + ": " + natsStatus_GetText(status));
}

struct Connected {
  natsConnection* connection = nullptr;
  jsCtx* context = nullptr;

  Connected(const std::string& url, std::size_t window) {
    check(natsConnection_ConnectTo(&connection, url.c_str()), "connect");
    jsOptions options;
    jsOptions_Init(&options);
    options.PublishAsync.MaxPending = static_cast<int64_t>(window);
    options.PublishAsync.StallWait = 30'000;
    check(natsConnection_JetStream(&context, connection, &options), "JetStream");
  }
  ~Connected() {
    jsCtx_Destroy(context);
    natsConnection_Destroy(connection);
  }
};

void make_stream(jsCtx* context) {
  jsStreamConfig config;
  jsStreamConfig_Init(&config);
  const char* subjects[] = {"bench.>"};
  config.Name = stream;
  config.Subjects = subjects;
  config.SubjectsLen = 1;
  config.Storage = js_FileStorage;
  check(js_AddStream(nullptr, context, &config, nullptr, nullptr), "add stream");
}

std::uint64_t publish(jsCtx* context, const Work& work, Clock::time_point start) {
  Payload payload(work.size);
  std::uint64_t sent = 0;
  while (!work.over(sent, start)) {
    const auto text = payload.make(sent);
    check(js_PublishAsync(context, subject, text.data(), static_cast<int>(text.size()), nullptr), "publish");
    ++sent;
  }
  jsPubOptions wait;
  jsPubOptions_Init(&wait);
  wait.MaxWait = 60'000;
  check(js_PublishAsyncComplete(context, &wait), "publishes were not acknowledged");
  return sent;
}

// Until `published` is known and as many are acked.
std::uint64_t consume(jsCtx* context, std::size_t window, const std::atomic<std::uint64_t>& published) {
  jsSubOptions options;
  jsSubOptions_Init(&options);
  options.Stream = stream;
  options.Config.Durable = durable;
  options.Config.AckPolicy = js_AckExplicit;
  options.Config.MaxAckPending = 65'536;
  natsSubscription* subscription = nullptr;
  check(js_PullSubscribe(&subscription, context, subject, durable, nullptr, &options, nullptr), "pull subscribe");
  const int fetch = static_cast<int>(std::min<std::size_t>(window, fetch_max));
  std::uint64_t acked = 0;
  int empty = 0;
  while (acked < published && empty < 100) {
    natsMsgList list{};
    const natsStatus status = natsSubscription_Fetch(&list, subscription, fetch, 100, nullptr);
    if (status != NATS_OK && status != NATS_TIMEOUT) check(status, "fetch");
    empty = list.Count == 0 ? empty + 1 : 0;
    for (int i = 0; i < list.Count; ++i) check(natsMsg_Ack(list.Msgs[i], nullptr), "ack");
    acked += static_cast<std::uint64_t>(list.Count);
    natsMsgList_Destroy(&list);
  }
  natsSubscription_Destroy(subscription);
  return acked;
}

// The acks of a pull consumer have no answer: the server is asked until it has counted them all.
void wait_for_acks(jsCtx* context) {
  for (int i = 0; i < 500; ++i) {
    jsConsumerInfo* info = nullptr;
    check(js_GetConsumerInfo(&info, context, stream, durable, nullptr, nullptr), "consumer info");
    const bool all = info->NumAckPending == 0 && info->NumPending == 0;
    jsConsumerInfo_Destroy(info);
    if (all) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  parley::peers::check(false, "the server has not counted every ack");
}

}  // namespace

int main(int argc, char** argv) {
  return run_peer([&] {
    const Arguments arguments(argc, argv);
    const Work work(arguments);
    const std::string url = arguments.text("--url", "nats://127.0.0.1:4222");
    Connected publisher(url, work.window), consumer(url, work.window);
    make_stream(publisher.context);

    std::atomic<std::uint64_t> published = UINT64_MAX;
    std::uint64_t acked = 0;
    const auto start = Clock::now();
    std::thread consuming;
    if (!work.publish_only)
      consuming = std::thread([&] { run_peer([&] { acked = consume(consumer.context, work.window, published); }); });
    published = publish(publisher.context, work, start);
    if (consuming.joinable()) {
      consuming.join();
      if (acked == published) wait_for_acks(publisher.context);
    }
    report(published, acked, work, Clock::now() - start);
  });
}
