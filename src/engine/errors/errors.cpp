#include "engine/errors/errors.hpp"

#include <algorithm>

namespace parley::engine {

const ErrorWords& ErrorCase::words() const {
  const auto blocks = [](const PassedOn& one) { return !one.words.blocked.empty(); };
  const auto other = reported.blocked.empty() ? std::ranges::find_if(passed_on, blocks) : passed_on.end();
  return other != passed_on.end() ? other->words : reported;
}

const ErrorCase* ErrorCases::find(Offset offset) const {
  const auto at = all_.find(offset);
  return at == all_.end() ? nullptr : &at->second;
}

std::vector<Offset> ErrorCases::find(std::string_view id) const {
  const IdKey key = id_key_of(id);
  std::vector<Offset> offsets;
  for (auto at = by_id_.lower_bound({key, {}, {}}); at != by_id_.end() && at->id == key; ++at) {
    if (offsets.size() == most_of_one) break;
    offsets.push_back(at->offset);
  }
  return offsets;
}

std::vector<Offset> ErrorCases::find(std::string_view id, AgentNumber agent) const {
  const IdKey key = id_key_of(id);
  std::vector<Offset> offsets;
  for (auto at = by_id_.lower_bound({key, agent, {}}); at != by_id_.end() && at->id == key && at->agent == agent; ++at)
    offsets.push_back(at->offset);
  return offsets;
}

void ErrorCases::add(Offset offset, ErrorCase error) {
  index(offset, error);
  all_.emplace(offset, std::move(error));
}

void ErrorCases::pass_on(Offset offset, PassedOn by) {
  const auto at = all_.find(offset);
  if (at == all_.end() || !has_room(offset, at->second, by)) return;
  passed_on_.insert({by.message, offset});
  at->second.passed_on.push_back(std::move(by));
  note_blocking(offset, at->second);
}

// Where there is none, what blocks takes the place of what does not.
bool ErrorCases::has_room(Offset offset, ErrorCase& error, const PassedOn& by) {
  std::vector<PassedOn>& all = error.passed_on;
  if (all.size() < most_of_one) return true;
  const auto other = by.words.blocked.empty()
                         ? all.end()
                         : std::ranges::find_if(all, [](const PassedOn& one) { return one.words.blocked.empty(); });
  if (other == all.end()) return false;
  passed_on_.erase({other->message, offset});
  all.erase(other);
  return true;
}

void ErrorCases::take_back(Offset message) {
  auto at = passed_on_.lower_bound({message, Offset{}});
  for (; at != passed_on_.end() && at->first == message; at = passed_on_.erase(at)) {
    ErrorCase& error = all_.at(at->second);
    std::erase_if(error.passed_on, [message](const PassedOn& one) { return one.message == message; });
    note_blocking(at->second, error);
  }
}

std::vector<Offset> ErrorCases::close(Offset offset) {
  std::vector<Offset> in_vain;
  const auto at = all_.find(offset);
  if (at == all_.end()) return in_vain;
  for (const PassedOn& one : at->second.passed_on) {
    passed_on_.erase({one.message, offset});
    const auto other = passed_on_.lower_bound({one.message, Offset{}});
    if (other == passed_on_.end() || other->first != one.message) in_vain.push_back(one.message);
  }
  by_id_.erase({id_key_of(at->second.id.view()), at->second.agent, offset});
  blocking_.erase(offset);
  by_agent_.remove(at->second.agent, offset);
  all_.erase(at);
  return in_vain;
}

void ErrorCases::index(Offset offset, const ErrorCase& error) {
  by_agent_.add(error.agent, offset);
  by_id_.insert({id_key_of(error.id.view()), error.agent, offset});
  for (const PassedOn& one : error.passed_on) passed_on_.insert({one.message, offset});
  note_blocking(offset, error);
}

void ErrorCases::note_blocking(Offset offset, const ErrorCase& error) {
  if (error.blocks())
    blocking_.insert(offset);
  else
    blocking_.erase(offset);
}

}  // namespace parley::engine
