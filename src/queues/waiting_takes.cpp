#include "queues/waiting_takes.h"

namespace scoreline::queues {

void WaitingTakes::add(std::uint64_t number, WaitingTake take) {
  ends_.emplace(take.until, number);
  takes_.emplace_hint(takes_.end(), number, std::move(take));
}

WaitingTake WaitingTakes::take_out(Takes::iterator at) {
  WaitingTake take = std::move(at->second);
  ends_.erase({take.until, at->first});
  takes_.erase(at);
  return take;
}

std::optional<WaitingTake> WaitingTakes::remove(std::uint64_t number) {
  const auto at = takes_.find(number);
  return at == takes_.end() ? std::nullopt : std::optional(take_out(at));
}

std::optional<WaitingTake> WaitingTakes::pop_ended(Monotonic now) {
  if (ends_.empty() || ends_.begin()->first > now) return std::nullopt;
  return remove(ends_.begin()->second);
}

std::optional<Monotonic> WaitingTakes::next_end() const {
  return ends_.empty() ? std::nullopt : std::optional(ends_.begin()->first);
}

}  // namespace scoreline::queues
