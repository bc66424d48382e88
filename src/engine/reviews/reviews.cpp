#include "engine/reviews/reviews.hpp"

namespace parley::engine {

const Review& Reviews::at(Offset offset) const {
  return all_.at(offset);
}

Review& Reviews::at(Offset offset) {
  return all_.at(offset);
}

std::optional<Offset> Reviews::find(std::string_view id) const {
  return by_id_.find(id_key_of(id), [&](Offset offset) { return at(offset).id.view() == id; });
}

const ReviewedTask* Reviews::of_task(Offset task) const {
  const auto at = of_tasks_.find(task);
  return at == of_tasks_.end() ? nullptr : &at->second;
}

ReviewedTask& Reviews::task(Offset task) {
  return of_tasks_[task];
}

std::optional<Offset> Reviews::waiting(Offset task) const {
  const ReviewedTask* const reviewed = of_task(task);
  if (!reviewed || reviewed->reviews.empty() || !at(reviewed->reviews.back()).waits()) return std::nullopt;
  return reviewed->reviews.back();
}

std::optional<Offset> Reviews::of_approval(Offset approval) const {
  const auto at = escalated_.find(approval);
  return at == escalated_.end() ? std::nullopt : std::optional(at->second);
}

void Reviews::add(Offset offset, Review review) {
  ReviewedTask& task = of_tasks_[review.task];
  task.reviews.push_back(offset);
  index(offset, review);
  all_.emplace(offset, std::move(review));
}

void Reviews::leave(Offset offset) {
  escalated_.erase(at(offset).ended_by);
  by_reviewer_.remove(at(offset).reviewer, offset);
}

void Reviews::escalate(Offset offset) {
  escalated_.emplace(at(offset).ended_by, offset);
}

void Reviews::forget(Offset task) {
  const auto known = of_tasks_.find(task);
  if (known == of_tasks_.end()) return;
  for (const Offset offset : known->second.reviews) {
    by_id_.erase(id_key_of(at(offset).id.view()), offset);
    all_.erase(offset);
  }
  of_tasks_.erase(known);
}

void Reviews::index(Offset offset, const Review& review) {
  by_id_.insert(id_key_of(review.id.view()), offset);
  if (review.state == ReviewState::requested) by_reviewer_.add(review.reviewer, offset);
  if (review.state == ReviewState::escalated) escalated_.emplace(review.ended_by, offset);
}

}  // namespace parley::engine
