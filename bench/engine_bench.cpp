// What the engine costs a message, from acceptance to its ack, with its events made and applied as a broker does, but
// neither bytes nor a journal: in batches of 256 to eight agents; assignments, each of which opens a task that stays,
// and remarks. By agents and by messages already remembered (architecture, Budgets: from 1 to 100,000 agents, from 1 to
// 10 M messages); and what it keeps of each.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <map>
#include <new>
#include <string_view>

#include "base/hash.hpp"
#include "engine/engine.hpp"
#include "profile/rulesets.hpp"

namespace {

std::size_t allocated = 0;  // bytes, as malloc rounds them up

}  // namespace

void* operator new(std::size_t size) {
  void* const at = std::malloc(size);
  if (!at) std::abort();
  allocated += malloc_usable_size(at) + sizeof(void*);
  return at;
}
void operator delete(void* at) noexcept {
  if (at) allocated -= malloc_usable_size(at) + sizeof(void*);
  std::free(at);
}
void operator delete(void* at, std::size_t) noexcept {
  operator delete(at);
}

namespace {

using namespace parley;
using namespace parley::engine;

constexpr std::size_t batch = 256;
constexpr std::size_t to_one = 32;  // messages in a row to the same agent
constexpr WorkspaceNumber workspace{1};
constexpr SessionId session{1};

const profile::RulesetPtr& rules() {
  static const profile::RulesetPtr collab = profile::built_in().find("collab");
  return collab;
}

class Server {
 public:
  Server(std::uint32_t agents, std::string_view native_type)
      : engine_([](std::string_view) { return rules().get(); }),
        decided_(engine_.state()),
        type_(*rules()->type_named(native_type)) {
    Settings settings;
    settings.mailbox_messages = 100'000'000;
    settings.mailbox_bytes = ~0ull;
    settings.tasks = 1'000'000'000;
    (void)engine_.decide(CreateWorkspace{"team", settings}, context(), decided_);
    record();
    for (std::uint32_t i = 1; i <= agents; ++i) {
      AgentProperties properties;
      properties.profile = "collab";
      properties.agent_type = i == 1 ? "architect" : "developer";
      base::Digest token{};
      std::memcpy(token.data(), &i, sizeof i);
      (void)engine_.decide(RegisterAgent{workspace, "agent-" + std::to_string(i), properties, token}, context(),
                           decided_);
      record();
    }
    envelope_.profile = "collab";
    envelope_.native_type = native_type;
    envelope_.kind = rules()->type(type_).kind;
    envelope_.sender = "agent-1";
    envelope_.sender_role = "architect";
    envelope_.recipient_role = "developer";
    envelope_.recipients.resize(1);
    envelope_.correlation = "corr-settings";
    agents_ = agents;
  }

  void accept() {
    const std::uint64_t number = ++sent_;
    std::string id = "c9754236-4374-4338-a814-000000000000";
    for (std::uint64_t left = number, at = id.size(); left > 0; left /= 10)
      id[--at] = static_cast<char>('0' + left % 10);
    envelope_.message_id = id;
    envelope_.task = "task-" + id;
    recipient_ = AgentNumber(2 + static_cast<std::uint32_t>(number / to_one) % (agents_ - 1));
    envelope_.recipients[0] = "agent-" + std::to_string(recipient_.value);
    std::memcpy(envelope_.content_hash.data(), &number, sizeof number);
    const AcceptMessage command{.workspace = workspace,
                                .sender = AgentNumber(1),
                                .envelope = envelope_,
                                .ruleset = *rules(),
                                .type = type_,
                                .lane = LaneId(number * 0x9E3779B97F4A7C15u),
                                .id_key = id_key_of(id),
                                .length = 1024,
                                .warnings = {},
                                .validation_errors = {}};
    const auto accepted = engine_.decide(command, context(), decided_);
    if (!accepted) std::abort();
    bytes_.clear();
    decided_.facts().front().event.AppendToString(&bytes_);
    record();
  }

  // All that waits at an agent is taken and acked.
  void take_and_ack(AgentNumber agent) {
    const auto offers = engine_.decide(
        TakeMessages{.workspace = workspace, .agent = agent, .session = session, .max = batch, .take_id = {}},
        context(), decided_);
    record();
    std::vector<DeliveryId> deliveries;
    for (const Offer& offer : offers) deliveries.push_back({offer.offset, offer.epoch});
    if (deliveries.empty()) return;
    (void)engine_.decide(AckMessages{workspace, agent, deliveries}, context(), decided_);
    record();
  }

  // A batch is sent to eight agents, or to the only one, taken and acked.
  void round() {
    const auto began = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < batch; ++i) {
      accept();
      if ((i + 1) % to_one == 0) take_and_ack(recipient_);
    }
    worst_round_ = std::max(worst_round_, std::chrono::steady_clock::now() - began);
  }
  // What a table's growing costs at once shows here.
  double worst_round_ms() const { return std::chrono::duration<double, std::milli>(worst_round_).count(); }

 private:
  Context context() { return {now_, ++seed_}; }
  void record() {
    for (const Fact& fact : decided_.facts())
      engine_.apply(fact.event, {base::Position(++position_), now_, 1024, envelope_.content_hash});
    decided_.clear();
  }

  Engine engine_;
  Decided decided_;
  const profile::TypeIndex type_;
  base::Instant now_ = base::instant_of(1'800'000'000'000'000);
  std::uint64_t seed_ = 0, position_ = 0, sent_ = 0;
  std::uint32_t agents_ = 0;
  std::chrono::steady_clock::duration worst_round_{};
  envelope::Envelope envelope_;
  AgentNumber recipient_;
  std::string bytes_;
};

void message_path(benchmark::State& state, std::string_view native_type) {
  Server server(static_cast<std::uint32_t>(state.range(0)), native_type);
  for (std::int64_t i = 0; i < state.range(1); i += batch) server.round();
  const std::clock_t began = std::clock();
  for (auto _ : state) server.round();
  const auto spent = static_cast<double>(std::clock() - began);
  static std::map<std::string_view, double> first;  // of each type: two agents, nothing remembered
  state.counters["of_the_first"] = spent / first.try_emplace(native_type, spent).first->second;
  state.counters["worst_round_ms"] = server.worst_round_ms();
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(batch));
}
void populations(benchmark::internal::Benchmark* path) {
  path->ArgNames({"agents", "remembered"})->Iterations(2'000)->Unit(benchmark::kMicrosecond);
  path->Args({2, 0});
  path->Args({2, 0});  // how far two runs of the same are apart
  path->Args({1'000, 0});
  path->Args({100'000, 0});
  path->Args({2, 1'000'000});
  path->Args({2, 10'000'000});
}
BENCHMARK_CAPTURE(message_path, assignments, "task_assignment")->Apply(populations);
BENCHMARK_CAPTURE(message_path, remarks, "feedback")->Apply(populations);

// Of assignments each task stays open.
void memory(benchmark::State& state, std::string_view native_type) {
  constexpr std::uint32_t agents = 10'000, messages = 100'000;
  for (auto _ : state) {
    const std::size_t none = allocated;
    Server server(agents, native_type);
    const std::size_t registered = allocated;
    for (std::uint32_t i = 0; i < messages; ++i) server.accept();
    const std::size_t queued = allocated;
    for (std::uint32_t agent = 1; agent <= agents; ++agent) server.take_and_ack(AgentNumber(agent));
    state.counters["bytes_an_agent"] = static_cast<double>(registered - none) / agents;
    state.counters["bytes_a_queued_message"] = static_cast<double>(queued - registered) / messages;
    state.counters["bytes_a_remembered_message"] = static_cast<double>(allocated - registered) / messages;
  }
}
BENCHMARK_CAPTURE(memory, assignments, "task_assignment")->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(memory, remarks, "feedback")->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
