// What the clients do, by the seed: agents of all five profiles send, take, hold connections, ack late and twice, lose
// answers and repeat them; an admin registers, removes, redrives and discards. Resource type, one thread.
#pragma once
#include <list>
#include <set>

#include "base/signing_key.hpp"
#include "sim/client.hpp"
#include "sim/natives.hpp"
#include "sim/tasks.hpp"
#include "sim/world.hpp"

namespace parley::sim {

enum class Manner {
  wild,   // under faults: late, twice, wrongly
  tidy,   // everything works
  drain,  // nothing new; everything is taken and acked
};

// B4: a full disk may refuse all but what ends something. An answer out of a failing journal leaves for nobody.
inline bool for_want_of_room(const base::Error& error) {
  return error.code == base::ErrorCode::STORAGE_FULL || error.code == base::ErrorCode::OVERLOADED ||
         error.code == base::ErrorCode::JOURNAL_FAILED;
}

class Workload {
 public:
  Workload(const Options& options, const Natives& natives, World& world, Ledger& ledger, Dice dice, VirtualClock& clock,
           Findings& findings, Sightings& sightings);

  void act(Manner manner);  // one thing some client does
  void server_ended();      // what had no answer is unknown now; connections are gone
  void server_started();    // clients come back with the tokens they have

  void check_waits();    // after a turn: no long poll is older than it asked for
  void check_inboxes();  // the server's own lists are those of the chronicle
  bool refused_for_storage() const { return refused_for_storage_; }
  bool unsure() const { return !unanswered_.empty() || !unknown_.empty(); }

 private:
  // What is expected of a message that is sent.
  enum class Expected { accepted, duplicate, conflict, refused, anything };
  struct Sending {
    std::size_t client = 0;
    std::string bytes;
    base::Digest hash{};
    std::uint64_t group = 0;
    Expected expected = Expected::accepted;
    bool may_expire = false;
    bool dated = true;
    std::size_t example = 0;
    std::string id;
    std::string supersedes;   // id of an earlier one of its sender's
    base::Offset superseded;  // that one
    std::optional<base::Instant> reply_by;
    std::string evidence;
  };
  struct Accepted {  // a message whose acceptance was told
    Sending sending;
    std::uint64_t offset = 0;
    base::AgentNumber sender;
  };
  struct Known {
    std::uint64_t offset = 0;
    base::AgentNumber sender;  // 0: not known, the first answer was lost
  };
  struct SeenError {
    std::string space, id, agent;
  };
  struct RunnerKey {
    std::string space, runner;
    base::SigningKey made;
  };
  using Unanswered = std::list<Sending>;

  Client& any_client() { return clients_[dice_.below(clients_.size())]; }
  Client* any_active();
  bool remembers_all() const { return options_.remembered_ids > 1'000'000; }
  std::uint32_t workspace_number(const Client& client) const { return client.caller->workspace_number.value; }

  // Admin (registry.cpp).
  bool make_workspaces();  // false: there is one to be made yet
  void enrol(Client& client);
  void renew_token(Client& client);
  void remove_someone();
  void change_settings();
  void tend_dead_letters();
  void settle_in(Client& client, std::string_view answer);

  // People (people.cpp).
  std::optional<broker::Caller> person_of(const std::string& space);
  void decide_something();
  void decide(const std::string& space, const broker::Caller& person, json::Value approval);

  // Senders (senders.cpp).
  void send_something(Manner manner);
  void send_again();
  void take_something_back();
  const Accepted* own_message(std::size_t client);
  void send_other_content();
  void retry_unknown();
  Sending begun(std::size_t client, std::size_t example, Wish& wish);  // of now, under a fresh id
  void write(Sending& sending, const Wish& wish) const;                // its bytes, as wished for
  void send(Sending sending);
  std::optional<std::size_t> client_of(std::string_view workspace, std::string_view agent_id) const;
  std::string request_to_answer(const Example& example);
  void answer_help(const Example& example, const Sending& sending, Wish& wish);
  void talk_together(const Example& example, const Sending& sending, Wish& wish);
  void aim_decision(const Sending& sending, Wish& wish);
  void aim_error(const Sending& sending, Wish& wish);
  Wish wish_of(const Example& example, Sending& sending, Manner manner);
  void judge_answer(const Sending& sending, const base::Result<broker::Sent>& sent);
  void judge_accepted(const Sending& sending, const broker::Sent& sent, const std::string& what);
  bool may_be_refused(const Sending& sending, const base::Error& error) const;
  void look_at_message();
  void read_log();

  // Work (task_words.cpp).
  void work_on_a_task();
  std::string some_task(std::uint32_t workspace, std::string_view profile);
  std::string some_part(const engine::Workspace& here);
  std::string request_for(const engine::Workspace& here, std::string_view part);
  base::Offset order_to_correct(const engine::Workspace& here, const engine::Task& task);
  base::Offset asked_before(const engine::Workspace& here, const engine::Task& task, const Client& client);
  static void put_in_place_of(Sending& sending, const engine::Workspace& here, base::Offset earlier);
  // `onward`: as the work should go.
  void say_of_task(std::string_view profile, const std::string& space, const std::string& id, bool onward = false);
  struct Talk;
  void choose(Talk& talk);
  bool address(Talk& talk);
  void fill(const Talk& talk, Wish& wish);
  void decorate(const Talk& talk, Sending& sending);
  void note_refusal(const Sending& sending, json::Value message, const base::Error& error);
  std::uint64_t head_of(std::uint32_t workspace);  // its newest event

  // What is asked of tasks by calls, and the end of a session (task_calls.cpp).
  void ask_of_a_task();
  void ask(const std::string& space, const std::string& task, std::size_t client, TaskWord::Call call);
  std::string asked_with(TaskWord::Call call);
  void abort_session();

  // Reviews and runners (review_words.cpp).
  void work_on_a_review();
  const RunnerKey* some_key(const std::string& space);
  // `custom`: the result tells of the custom check.
  void sign(Sending& sending, const std::string& space, const std::string& task, const std::string& review,
            bool custom);
  void tend_runners();
  void register_runner(const RunnerKey& key, bool short_lived);
  void revoke_runner(const std::string& space, const std::string& runner);
  void note_evidence_refusal(const Sending& sending, json::Value message, const base::Error& error);

  // Errors that wait (error_words.cpp).
  void work_on_errors();
  std::string some_agent_of_001();
  std::optional<SeenError> some_error(const engine::Workspace& here, const std::string& space);
  void report_error(const std::string& space, const std::optional<SeenError>& other);
  void decide_error(const SeenError& error);
  void take_error_back(const SeenError& error);
  void speak_of_errors(const std::string& space, std::string_view example, const std::string& from,
                       const std::string& to, Wish wish);
  void note_error_refusal(const Sending& sending, json::Value message, const base::Error& error);

  // Takers (takers.cpp).
  void take(Client& client, Manner manner);
  void wait_for_mail(Client& client);
  void connect(Client& client);
  void fiddle_with_connection(Client& client, Manner manner);
  void settle_due(Client& client, Manner manner);
  void settle(Client& client, broker::Settlement word, std::vector<InHand> hands);
  void receive(Client& client, std::span<const broker::Delivery> deliveries, Manner manner);
  void plan(Client& client, const ReceivedDelivery& delivery, const std::string& delivery_id, Manner manner);

  const Options& options_;
  const Natives& natives_;
  World& world_;
  Ledger& ledger_;
  Dice dice_;
  VirtualClock& clock_;
  Findings& findings_;
  Sightings& sightings_;

  broker::Caller admin_;
  std::vector<std::string> workspaces_;
  std::set<std::string> made_;  // of workspaces_, those whose making was told
  std::vector<Client> clients_;
  Unanswered unanswered_;
  std::vector<Sending> unknown_;
  std::vector<Accepted> accepted_;        // the newest
  std::map<std::uint64_t, Known> known_;  // by group: what was told first
  std::uint64_t groups_ = 0;
  std::map<std::string, std::uint64_t> rounds_;  // of a task's name, which may end for good and is then another's
  std::vector<RunnerKey> runner_keys_;           // the newest
  std::vector<SeenError> seen_errors_;           // that somebody meant to decide
  bool refused_for_storage_ = false;
};

}  // namespace parley::sim
