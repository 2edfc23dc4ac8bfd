// The three forms that calls of the embedded store have: they look, they change a queue, or they change each of some
// jobs that workers hold.
#pragma once

#include <shared_mutex>
#include <utility>
#include <vector>

#include "queues/embedded_turn.h"
#include "queues/specs.h"

namespace scoreline::queues {

/// `call(turn)` is a Result<T>, and changes nothing.
template <typename T, typename Call>
void EmbeddedJobStore::read(std::string_view queue, const Done<T>& done, Call call) {
  if (auto ok = check_queue_name(queue); !ok) return done(fail(ok.error()));
  ServedQueue* const served = known(queue);
  if (served == nullptr) return done(fail(no_such_queue(queue)));
  Result<T> answer = [&]() -> Result<T> {
    Turn turn(*this, *served);
    // What a failed commit left in memory is not told to anybody.
    if (const auto refused = commit_ && commit_->is_ahead() ? turn.refusal() : std::nullopt) return fail(*refused);
    if (!turn.is_there()) return fail(no_such_queue(queue));
    return call(turn);
  }();
  done(std::move(answer));
}

template <typename T, typename Call>
void EmbeddedJobStore::change(std::string_view queue, bool comes_into_being, const Done<T>& done, Call call) {
  if (auto ok = check_queue_name(queue); !ok) return done(fail(ok.error()));
  const auto served = comes_into_being ? known_or_new(queue) : known_already(queue);
  if (!served) return done(fail(served.error()));
  Turn turn(*this, **served);
  Result<T> answer = [&]() -> Result<T> {
    if (auto refused = turn.refusal()) return fail(*std::move(refused));
    if (!comes_into_being && !turn.is_there()) return fail(no_such_queue(queue));
    turn.begin();
    return call(turn);
  }();
  if (answer && comes_into_being) turn.bring_into_being();
  turn.finish(done, std::move(answer));
}

/// Of what the ledger has of every queue, also of one whose jobs live in memory.
template <typename T, typename Call>
void EmbeddedJobStore::change_setting(std::string_view queue, bool comes_into_being, const Done<T>& done, Call call) {
  change(queue, comes_into_being, done, [&](Turn& turn) -> Result<T> {
    if (auto refused = commit_ ? commit_->refusal() : std::nullopt) return fail(*std::move(refused));
    return call(turn);
  });
}

/// `call(turn, job)` is a Result<T>.
template <typename T, typename Call>
void EmbeddedJobStore::change_each(std::string_view queue, const std::vector<HeldJob>& jobs, Result<void> checked,
                                   const Done<std::vector<Result<T>>>& done, Call call) {
  if (!checked) return done(fail(std::move(checked).error()));
  change(queue, false, done, [&](Turn& turn) -> Result<std::vector<Result<T>>> {
    std::vector<Result<T>> answers;
    answers.reserve(jobs.size());
    for (const HeldJob& job : jobs) answers.push_back(call(turn, job));
    return answers;
  });
}

}  // namespace scoreline::queues
