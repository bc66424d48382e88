// The senders' part of the workload. A send that had no answer is unknown and is sent again with the same bytes (P2).
#include <algorithm>

#include "sim/workload.hpp"

namespace parley::sim {
namespace {

using base::ErrorCode;
using namespace std::chrono_literals;
constexpr std::size_t remembered_messages = 40;

std::string code_of(const base::Error& error) {
  return std::string(base::info(error.code).name) + ": " + error.message +
         (error.details.empty() ? ""
                                : " (" + error.details.front().instance + " " + error.details.front().message + ")");
}

std::optional<Sighting> sighting_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::STORAGE_FULL:
      return Sighting::storage_full_refused;
    case ErrorCode::MAILBOX_FULL:
      return Sighting::mailbox_full_refused;
    case ErrorCode::RATE_LIMITED:
      return Sighting::rate_limited;
    case ErrorCode::BUDGET_EXCEEDED:
      return Sighting::budget_refused;
    case ErrorCode::AGENT_UNAVAILABLE:
      return Sighting::unavailable_refused;
    case ErrorCode::WAIT_CYCLE:
      return Sighting::wait_cycle_refused;
    case ErrorCode::TOO_OLD:
      return Sighting::too_old_refused;
    case ErrorCode::ID_CONFLICT:
      return Sighting::id_conflict;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<std::size_t> Workload::client_of(std::string_view workspace, std::string_view agent_id) const {
  for (std::size_t i = 0; i < clients_.size(); ++i)
    if (clients_[i].workspace == workspace && clients_[i].agent_id == agent_id) return i;
  return std::nullopt;
}

Wish Workload::wish_of(const Example& example, Sending& sending, Manner manner) {
  using namespace std::chrono_literals;
  Wish wish;
  wish.now = clock_.wall();
  wish.id = sending.id;
  sending.may_expire = natives_.may_expire(example);
  if (sending.may_expire && dice_.one_in(3))
    wish.lives = dice_.between(base::Duration(5ms), dice_.one_in(2) ? base::Duration(100ms) : base::Duration(5s));
  if (natives_.is_free(example)) {
    if (dice_.one_in(2)) wish.task = "card-" + std::to_string(dice_.below(4));
    const std::uint64_t choice = dice_.below(12);
    const std::uint64_t count = choice == 0 ? 0 : example.profile == "mesh" ? dice_.between(1, 4) : 1;
    wish.broadcast = choice == 0;
    if (choice < 8)
      for (std::uint64_t i = 0; i < count; ++i) {
        const CastMember& member = dice_.among(natives_.cast());
        if (member.profile == example.profile) wish.recipients.push_back(member.agent_id);  // R29
      }
    wish.reply_to = request_to_answer(example);
    std::sort(wish.recipients.begin(), wish.recipients.end());
    wish.recipients.erase(std::unique(wish.recipients.begin(), wish.recipients.end()), wish.recipients.end());
  }
  if (example.name.starts_with("request.error_decision")) aim_decision(sending, wish);
  const bool is_plain_error = example.name.starts_with("error") && !example.name.starts_with("error.compressed");
  if (example.profile == "mesh" && is_plain_error) aim_error(sending, wish);
  if (example.name.starts_with("STATUS_UPDATE") && options_.budget > 0)
    wish.edits["/payload/resource_usage/cost_usd"] = std::to_string(dice_.below(4'000)) + "e-3";
  if (manner == Manner::wild && dice_.one_in(8)) {
    wish.defect = static_cast<Defect>(dice_.between(1, 4));
    sending.dated = wish.defect != Defect::timestamp;
    const bool lenient = options_.lenient && clients_[sending.client].workspace == workspaces_.back();
    sending.expected = lenient && wish.defect == Defect::timestamp ? Expected::anything : Expected::refused;
  }
  return wish;
}

// The id of a request in the example's profile; empty: an example that answers nothing, or now and then nothing to do
// with any.
std::string Workload::request_to_answer(const Example& example) {
  if (example.name.starts_with("request") || accepted_.empty() || dice_.one_in(4)) return {};
  const Sending& asked = dice_.among(accepted_).sending;
  const Example& question = natives_.examples()[asked.example];
  return question.profile == example.profile && question.name.starts_with("request") ? asked.id : std::string();
}

// Of help that its sender is asked for, where there is any; now and then of none.
void Workload::answer_help(const Example& example, const Sending& sending, Wish& wish) {
  if (!example.name.starts_with("HELP_RESPONSE") || dice_.one_in(8)) return;
  const Client& client = clients_[sending.client];
  const engine::Workspace& here = world_.broker().engine().state().workspace(client.caller->workspace_number);
  const auto& asked = here.help.at_helper(client.caller->agent);
  if (asked.empty()) return;
  std::vector<base::Offset> offsets(asked.begin(), asked.end());
  const engine::Help& help = here.help.at(dice_.among(offsets));
  wish.edits["/payload/request_id"] = '"' + std::string(help.id.view()) + '"';
  wish.edits["/to"] = '"' + here.registry.agent(help.asker).id + '"';
  if (dice_.one_in(3)) wish.edits["/payload/response_type"] = R"("COLLABORATIVE_SESSION")";
}

// Under the id of a collaboration, or of the help that it is about, to who takes part; now and then by who does not.
void Workload::talk_together(const Example& example, const Sending& sending, Wish& wish) {
  if (!example.name.starts_with("STATUS_UPDATE") && !example.name.starts_with("ERROR_REPORT")) return;
  const Client& client = clients_[sending.client];
  const engine::Workspace& here = world_.broker().engine().state().workspace(client.caller->workspace_number);
  if (here.collaborations.all().empty() || dice_.one_in(4)) return;
  const engine::Collaboration& about = here.collaborations.all().rbegin()->second;
  const engine::AgentNumber to = about.participants[about.participants.front() == client.caller->agent ? 1 : 0];
  const base::PackedText& id = dice_.one_in(2) ? about.id : about.purpose_id;
  wish.edits["/metadata/correlation_id"] = '"' + std::string(id.view()) + '"';
  wish.edits["/to"] = '"' + here.registry.agent(to).id + '"';
}

// On an error that waits, to whose it is; now and then on what the example names, which waits for nothing.
void Workload::aim_decision(const Sending& sending, Wish& wish) {
  if (dice_.one_in(8)) return;
  const Client& client = clients_[sending.client];
  const engine::Workspace& here = world_.broker().engine().state().workspace(client.caller->workspace_number);
  if (here.errors.all().empty()) return;
  auto error = here.errors.all().begin();
  std::advance(error, dice_.below(here.errors.all().size()));
  wish.broadcast = false;
  wish.recipients = {here.registry.agent(error->second.agent).id};
  wish.edits["/data/error_message_id"] = '"' + std::string(error->second.id.view()) + '"';
}

// Under a request that its sender has not answered, and of a code that may pass (MSH-11).
void Workload::aim_error(const Sending& sending, Wish& wish) {
  const Client& client = clients_[sending.client];
  const engine::Workspace& here = world_.broker().engine().state().workspace(client.caller->workspace_number);
  const auto awaited = here.requests.awaited_from(client.caller->agent, remembered_messages);
  if (awaited.empty() || dice_.one_in(4)) return;
  const engine::Request& request = *here.requests.find(dice_.among(awaited));
  wish.broadcast = false;
  wish.recipients = {here.registry.agent(request.asker).id};
  wish.reply_to = request.id.view();
  wish.edits["/content/error/code"] = R"("TIMEOUT")";
  wish.edits["/content/error/recoverable"] = "true";
}

Workload::Sending Workload::begun(std::size_t client, std::size_t example, Wish& wish) {
  Sending sending;
  sending.client = client;
  sending.group = ++groups_;
  sending.example = example;
  sending.may_expire = natives_.may_expire(natives_.examples()[example]);
  wish.now = clock_.wall();
  sending.id = wish.id = natives_.fresh_id(natives_.examples()[example], clock_.wall(), dice_);
  return sending;
}

void Workload::write(Sending& sending, const Wish& wish) const {
  sending.bytes = natives_.text(natives_.examples()[sending.example], wish);
  sending.hash = base::sha256(sending.bytes);
}

void Workload::send_something(Manner manner) {
  Sending sending;
  sending.example = dice_.below(natives_.examples().size());
  const Example& example = natives_.examples()[sending.example];
  const auto client = client_of(dice_.among(workspaces_), example.sender);
  if (!client || !clients_[*client].active()) return;
  sending.client = *client;
  sending.group = ++groups_;
  sending.id = natives_.fresh_id(example, clock_.wall(), dice_);
  Wish wish = wish_of(example, sending, manner);
  answer_help(example, sending, wish);
  talk_together(example, sending, wish);
  write(sending, wish);
  if (wish.defect == Defect::sender) {  // with another's credential
    Client* const other = any_active();
    if (!other || other->agent_id == example.sender) return;
    sending.client = static_cast<std::size_t>(other - clients_.data());
  }
  if (dice_.one_in(12))
    if (const Accepted* const earlier = own_message(sending.client)) {
      sending.supersedes = earlier->sending.id;
      sending.superseded = base::Offset(earlier->offset);
    }
  if (dice_.one_in(8)) sending.reply_by = clock_.wall() + dice_.between(base::Duration(1s), base::Duration(8s));
  findings_.trace("send " + example.profile + "/" + example.name + " of " + example.sender + " " + sending.id +
                  (sending.supersedes.empty() ? "" : " in place of " + sending.supersedes));
  send(std::move(sending));
}

// One that the client has sent itself, and that its id alone names (R7).
const Workload::Accepted* Workload::own_message(std::size_t client) {
  if (accepted_.empty() || clients_[client].profile == "pipeline") return nullptr;
  const Accepted& known = dice_.among(accepted_);
  const bool own = known.sending.client == client && clients_[client].caller->agent == known.sender;
  return own ? &known : nullptr;
}

void Workload::take_something_back() {
  if (accepted_.empty()) return;
  const std::size_t client = dice_.among(accepted_).sending.client;
  if (!clients_[client].active()) return;
  const Accepted* const known = own_message(client);
  if (!known) return;
  findings_.trace("rescind " + known->sending.id);
  const auto rescinded = world_.broker().port().messages.rescind(*clients_[client].caller, clients_[client].workspace,
                                                                 known->sending.id, {}, "simulated");
  if (rescinded || !world_.up()) return;
  switch (rescinded.error().code) {
    case ErrorCode::TAKEN_BACK:
    case ErrorCode::STANDS:
    case ErrorCode::STORAGE_FULL:
    case ErrorCode::OVERLOADED:
    case ErrorCode::JOURNAL_FAILED:
      return;
    default:
      if (rescinded.error().code == ErrorCode::NOT_FOUND && !remembers_all()) return;
      findings_.wrong("BEY-03: a message of one's own is not taken back, " + code_of(rescinded.error()));
  }
}

void Workload::send(Sending sending) {
  const Client& client = clients_[sending.client];
  Issued& issued = ledger_.issued[{workspace_number(client), sending.hash}];
  issued.group = sending.group;
  issued.dated = sending.dated;
  issued.senders.insert(client.caller->agent.value);
  const auto document = json::Document::parse(sending.bytes);
  const broker::SendOptions options{sending.supersedes, {}, sending.reply_by, sending.evidence};
  auto sent = world_.broker().port().messages.send(*client.caller, client.workspace, {sending.bytes, document->root()},
                                                   {}, &options);
  if (!sent) note_refusal(sending, document->root(), sent.error());
  if (!sent) note_error_refusal(sending, document->root(), sent.error());
  if (!sent) note_evidence_refusal(sending, document->root(), sent.error());
  const auto at = unanswered_.insert(unanswered_.end(), std::move(sending));
  const ContentKey content{workspace_number(client), at->hash};
  world_.answer([this, at, content, sender = client.caller->agent, sent = std::move(sent)] {
    judge_answer(*at, sent);
    if (sent) {
      ledger_.accepted.push_back({content, sent->offset.value});
      // Registered anew, an agent of the same name is another one, and no party to what the first one sent.
      const auto first = sent->duplicate ? base::AgentNumber{} : sender;
      const auto known = known_.try_emplace(at->group, Known{sent->offset.value, first}).first;
      accepted_.push_back({std::move(*at), sent->offset.value, known->second.sender});
      if (accepted_.size() > remembered_messages) accepted_.erase(accepted_.begin());
    }
    unanswered_.erase(at);
  });
}

void Workload::judge_answer(const Sending& sending, const base::Result<broker::Sent>& sent) {
  const std::string what = " (message " + sending.id + ")";
  if (sent) return judge_accepted(sending, *sent, what);
  const base::Error& error = sent.error();
  findings_.trace("  refused, " + code_of(error) + what);
  if (const auto shown = sighting_of(error.code)) sightings_.saw(*shown);
  if (error.code == ErrorCode::STORAGE_FULL) refused_for_storage_ = true;
  if (may_be_refused(sending, error)) return;
  if (sending.expected == Expected::refused) sightings_.saw(Sighting::refused_invalid);
  if (sending.expected == Expected::refused || sending.expected == Expected::anything) return;
  findings_.wrong("a good message was refused, " + code_of(error) + what);
}

void Workload::judge_accepted(const Sending& sending, const broker::Sent& sent, const std::string& what) {
  findings_.trace("  accepted at " + std::to_string(sent.offset.value) + (sent.duplicate ? ", known" : "") + what);
  if (sent.duplicate) sightings_.saw(Sighting::duplicate_answered);
  if (std::exchange(refused_for_storage_, false)) sightings_.saw(Sighting::storage_healed);
  if (sending.expected == Expected::refused) return findings_.wrong("COR-04: an invalid message was accepted" + what);
  if (sending.expected == Expected::conflict && remembers_all())
    return findings_.wrong("R8: other content under a known id was accepted" + what);
  const auto before = known_.find(sending.group);
  if (before != known_.end() && remembers_all() && !(sent.duplicate && sent.offset.value == before->second.offset))
    findings_.wrong("R8: a known message was not answered as the duplicate it is" + what);
}

// Whether a valid message may meet this refusal. What is known is answered before anything of the kind is looked at.
bool Workload::may_be_refused(const Sending& sending, const base::Error& error) const {
  const bool is_new = sending.expected != Expected::duplicate || !remembers_all();
  switch (error.code) {
    case ErrorCode::STORAGE_FULL:
    case ErrorCode::OVERLOADED:
      return true;
    case ErrorCode::MAILBOX_FULL:
      return is_new && options_.mailbox_messages <= 1'000;
    case ErrorCode::RATE_LIMITED:
      return is_new && options_.rate_messages > 0;
    case ErrorCode::EXPIRED:
      return is_new && sending.may_expire;
    case ErrorCode::NOT_FOUND:  // who registers anew is another, and not its sender
    case ErrorCode::FORBIDDEN:
    case ErrorCode::TAKEN_BACK:
    case ErrorCode::STANDS:
      return !sending.supersedes.empty();
    case ErrorCode::BAD_REQUEST:
      return sending.reply_by.has_value();  // its time is over
    case ErrorCode::BUDGET_EXCEEDED:
      // Where the workspace has budgets; and a hand-off asks for no more than its task has left.
      return is_new && (options_.budget > 0 || natives_.examples()[sending.example].name.starts_with("TASK_HANDOFF"));
    case ErrorCode::TOO_OLD:
      return !remembers_all();
    case ErrorCode::ID_CONFLICT:
      return sending.expected == Expected::conflict || error.where == "/payload/review_id";  // R37
    case ErrorCode::RECIPIENT_UNKNOWN:                                                       // somebody was removed
    case ErrorCode::AGENT_UNAVAILABLE:
    case ErrorCode::WAIT_CYCLE:
    case ErrorCode::TASK_UNKNOWN:  // the chronicle judges (tasks.hpp)
    case ErrorCode::OUT_OF_SEQUENCE:
    case ErrorCode::NOT_PARTY:
    case ErrorCode::STALE_ORDER:
    case ErrorCode::SCOPE_VIOLATION:  // tasks are not all alike
    case ErrorCode::EVIDENCE_MISSING:
    case ErrorCode::CAPABILITY_MISSING:
    case ErrorCode::CONSTRAINTS_LOOSER:
    case ErrorCode::DEPENDENCY_CYCLE:
    case ErrorCode::QUALITY_MISSING:
    case ErrorCode::REVIEW_UNKNOWN:
    case ErrorCode::REVIEWER_IS_AUTHOR:
    case ErrorCode::VERDICT_UNFOUNDED:
    case ErrorCode::FINDING_UNKNOWN:
    case ErrorCode::REVISION_INCOMPLETE:
    case ErrorCode::APPROVALS_FULL:
    case ErrorCode::ERRORS_FULL:  // the chronicle judges (errors.hpp)
    case ErrorCode::ERROR_UNKNOWN:
    case ErrorCode::ERROR_NOT_YOURS:
    case ErrorCode::EVIDENCE_MALFORMED:  // the chronicle judges (runners.hpp)
    case ErrorCode::EVIDENCE_FORGED:
    case ErrorCode::EVIDENCE_EXPIRED:
    case ErrorCode::EVIDENCE_OTHER:
    case ErrorCode::RUNNER_UNKNOWN:
    case ErrorCode::RUNNER_REVOKED:
      return is_new;
    default:
      return false;
  }
}

void Workload::send_again() {
  if (accepted_.empty()) return;
  Sending sending = dice_.among(accepted_).sending;
  if (!clients_[sending.client].active()) return;
  sending.expected = Expected::duplicate;
  if (dice_.one_in(3)) sending.bytes.insert(1, "\n  ");  // the same JSON value
  sending.hash = base::sha256(sending.bytes);
  findings_.trace("send again " + sending.id);
  send(std::move(sending));
}

void Workload::send_other_content() {
  if (accepted_.empty()) return;
  Sending sending = dice_.among(accepted_).sending;
  if (!clients_[sending.client].active()) return;
  const std::size_t at = sending.bytes.find(R"("timestamp":")");
  if (at == std::string::npos || !remembers_all()) return;  // forgotten, its id would be free
  std::string& bytes = sending.bytes;
  bytes[at + 14] = bytes[at + 14] == '0' ? '1' : '0';  // another century
  sending.hash = base::sha256(bytes);
  sending.expected = Expected::conflict;
  findings_.trace("send other content as " + sending.id);
  send(std::move(sending));
}

void Workload::retry_unknown() {
  Sending sending = std::move(unknown_.back());
  unknown_.pop_back();
  if (!clients_[sending.client].active()) return;
  sightings_.saw(Sighting::lost_answer_retried);
  findings_.trace("send once more " + sending.id);
  send(std::move(sending));
}

void Workload::look_at_message() {
  if (accepted_.empty()) return;
  const Accepted& known = dice_.among(accepted_);
  const Client& client = clients_[known.sending.client];
  if (!client.active() || client.caller->agent != known.sender) return;
  if (client.profile == "pipeline" || !remembers_all()) return;  // R7: those ids need a recipient
  auto seen = world_.broker().port().messages.message(*client.caller, client.workspace, known.sending.id, {});
  if (!world_.up()) return;
  world_.answer([this, seen = std::move(seen), known] {
    if (!seen) return findings_.wrong("D7: an accepted message is not shown: " + seen.error().message);
    const auto document = json::Document::parse(seen->json);
    if (!document || document->root().find("offset").if_uint() != known.offset)
      findings_.wrong("D7: another message is shown than was asked for");
  });
}

void Workload::read_log() {
  Client* const client = any_active();
  if (!client) return;
  const bool as_admin = dice_.one_in(3);
  const std::uint64_t from = dice_.below(200);
  auto log = world_.broker().port().polls.log(as_admin ? admin_ : *client->caller, client->workspace, from,
                                              static_cast<std::uint32_t>(dice_.between(1, 50)));
  if (!world_.up() || (!log && log.error().code == ErrorCode::JOURNAL_FAILED)) return;
  world_.answer([this, log = std::move(log), from] {
    if (!log) return findings_.wrong("the log cannot be read: " + log.error().message);
    const auto document = json::Document::parse(log->answer.json);
    if (!document) return findings_.wrong("the log is no JSON: " + document.error().message);
    std::uint64_t last = 0;
    for (const json::Value item : document->root().find("items").elements()) {
      const std::uint64_t offset = item.find("offset").if_uint().value_or(0);
      if (offset <= last || offset < from) return findings_.wrong("O3: the log's offsets do not rise");
      last = offset;
    }
  });
}

}  // namespace parley::sim
