#include "ingest/dead_letter_replay.h"

#include <string>
#include <utility>

#include "base/limits.h"
#include "ingest/on_writer.h"

namespace scoreline::ingest {
namespace {

/// Why a letter cannot be tried at all.
std::optional<Error> not_replayable(const StoredDeadLetter& stored) {
  if (!stored.letter.message.value) {
    return Error{Code::unreadable, "the value of the message is null: there is nothing to take in", "value", {}};
  }
  if (stored.is_whole()) return std::nullopt;
  return Error{Code::too_large,
               "only the first " + std::to_string(stored.letter.message.value->size()) + " of " +
                   std::to_string(stored.letter.size) + " bytes are kept: send the message again",
               "value",
               {}};
}

}  // namespace

/// On the writer's thread, as everything that is written to the ledger; waits for it.
template <typename Write>
Result<void> DeadLetterReplay::write(const Write& work) {
  if (stopped_) return fail(Code::not_ready, "the server is stopping");
  return on_writer(pipeline_, work);
}

Result<std::vector<StoredDeadLetter>> DeadLetterReplay::find(const DeadLetterChoice& choice,
                                                             DeadLettersDone& done) const {
  if (choice.ids.empty()) {
    auto page = letters_.list(choice.after, kMaxEntries);
    if (page && page->size() == kMaxEntries) done.next = page->back().id;
    return page;
  }
  SCORELINE_CHECK(choice.ids.size() <= kMaxEntries);
  std::vector<StoredDeadLetter> found;
  for (const DeadLetterId id : choice.ids) {
    auto letter = letters_.find(id);
    if (!letter) return fail(std::move(letter).error());
    if (*letter) {
      found.push_back(**std::move(letter));
    } else {
      done.refused.push_back({id, {Code::not_found, "there is no such dead letter", "id", {}}});
    }
  }
  return found;
}

Result<DeadLettersDone> DeadLetterReplay::replay(const DeadLetterChoice& choice) {
  DeadLettersDone done;
  auto letters = find(choice, done);
  if (!letters) return fail(std::move(letters).error());
  if (const auto taken = take_in(*std::move(letters), done); !taken) return fail(taken.error());
  return done;
}

Result<void> DeadLetterReplay::take_in(std::vector<StoredDeadLetter> letters, DeadLettersDone& done) {
  std::vector<Submission> submissions;
  std::vector<DeadLetterId> submitted, taken;
  std::vector<RefusedAgain> again;
  for (const StoredDeadLetter& stored : letters) {
    if (auto why = not_replayable(stored)) {
      done.refused.push_back({stored.id, *std::move(why)});
      continue;
    }
    auto submission = read_message(stored.letter.message, read_text_);
    if (submission) {
      submissions.push_back(*std::move(submission));
      submitted.push_back(stored.id);
    } else {
      again.push_back({stored.id, std::move(submission).error()});
    }
  }
  if (!submissions.empty()) {
    if (stopped_) return fail(Code::not_ready, "the server is stopping");
    auto receipts = pipeline_.submit(std::move(submissions), leaderboards::Ranks::skip);
    if (!receipts) return fail(std::move(receipts).error());
    for (std::size_t i = 0; i < receipts->size(); ++i) {
      auto& receipt = (*receipts)[i];
      if (receipt && !receipt->conflict) {
        taken.push_back(submitted[i]);
      } else {
        again.push_back({submitted[i], receipt ? conflict_reason() : std::move(receipt).error()});
      }
    }
  }
  if (taken.empty() && again.empty()) return {};
  const auto written = write([&letters = letters_, taken, again]() -> Result<void> {
    if (!again.empty()) {
      if (const auto kept = letters.refuse_again(again); !kept) return kept;
    }
    return letters.remove(taken).map([](std::uint64_t) {});
  });
  if (!written) return written;
  done.done += taken.size();
  done.refused.insert(done.refused.end(), again.begin(), again.end());
  return {};
}

Result<DeadLettersDone> DeadLetterReplay::discard(const DeadLetterChoice& choice) {
  DeadLettersDone done;
  const auto letters = find(choice, done);
  if (!letters) return fail(letters.error());
  std::vector<DeadLetterId> ids;
  for (const StoredDeadLetter& stored : *letters) ids.push_back(stored.id);
  if (ids.empty()) return done;
  const auto removed = write([&letters = letters_, ids] { return letters.remove(ids).map([](std::uint64_t) {}); });
  if (!removed) return fail(removed.error());
  done.done = ids.size();
  return done;
}

}  // namespace scoreline::ingest
