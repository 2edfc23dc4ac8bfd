#include "adapters/redis/redis_job_takers.h"

#include <iterator>
#include <utility>

namespace scoreline::redis {

using queues::StoredJob;

namespace {

/// Takers of one script; jobs that it hands out at most are kMaxJobs, unless the first alone wants more.
constexpr std::size_t kTakersOfLook = 64;

}  // namespace

TakeLine::Look TakeLine::begin_look() const {
  Look look;
  for (const auto& [ticket, taker] : takers_) {
    if (look.asked.size() == kTakersOfLook) break;
    if (!look.asked.empty() && look.wanted + taker.max > queues::kMaxJobs) break;
    look.asked.push_back({ticket, taker.max, taker.lease});
    look.wanted += taker.max;
    look.waits = look.waits || taker.until;
  }
  if (!takers_.empty()) look.covered = takers_.rbegin()->first;
  return look;
}

void TakeLine::answer(std::uint64_t ticket, Result<std::vector<StoredJob>> jobs, Settled& settled) {
  const auto taker = takers_.find(ticket);
  settled.answers.push_back({std::move(taker->second.done), std::move(jobs)});
  settled.tickets.push_back(ticket);
  takers_.erase(taker);
}

TakeLine::Settled TakeLine::settle(const Look& look, std::vector<std::vector<StoredJob>> got) {
  Settled settled;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i].empty()) continue;
    const std::uint64_t ticket = look.asked[i].ticket;
    if (takers_.contains(ticket)) {
      answer(ticket, std::move(got[i]), settled);
    } else {
      std::move(got[i].begin(), got[i].end(), std::back_inserter(settled.unwanted));
    }
  }
  settled.again = got.size() < look.asked.size() || !got.back().empty();
  if (settled.again) return settled;
  // The last one got nothing, so there is nothing for those behind it either.
  std::vector<std::uint64_t> over;
  for (const auto& [ticket, taker] : takers_) {
    if (ticket > look.covered) break;
    if (!taker.until) over.push_back(ticket);
  }
  for (const std::uint64_t ticket : over) answer(ticket, std::vector<StoredJob>(), settled);
  // The script marks the queue as waited for only when one of those it looks for waits.
  settled.again = !look.waits && !takers_.empty();
  return settled;
}

TakeLine::Settled TakeLine::settle(const Look& look, const Error& error) {
  Settled settled;
  for (const Asked& asked : look.asked) {
    if (takers_.contains(asked.ticket)) answer(asked.ticket, fail(error), settled);
  }
  settled.again = true;
  return settled;
}

std::optional<TakeDone> TakeLine::remove(std::uint64_t ticket) {
  const auto taker = takers_.find(ticket);
  if (taker == takers_.end()) return std::nullopt;
  TakeDone done = std::move(taker->second.done);
  takers_.erase(taker);
  return done;
}

void TakeLine::end_wait(std::uint64_t ticket) {
  if (const auto taker = takers_.find(ticket); taker != takers_.end()) taker->second.until.reset();
}

std::vector<TakeDone> TakeLine::remove_all() {
  std::vector<TakeDone> all;
  for (auto& [ticket, taker] : std::exchange(takers_, {})) all.push_back(std::move(taker.done));
  return all;
}

}  // namespace scoreline::redis
