#include "adapters/redis/joined_reads.h"

#include <algorithm>
#include <utility>

namespace scoreline::redis {

using leaderboards::PlayerId;

namespace {

/// A script holds the server for so many.
constexpr std::size_t kMaxTogether = 64;

}  // namespace

std::vector<JoinedReads::Reader*> JoinedReads::take(Line& line) {
  const auto end = line.waiting.begin() + static_cast<std::ptrdiff_t>(std::min(line.waiting.size(), kMaxTogether));
  std::vector<Reader*> taken(line.waiting.begin(), end);
  line.waiting.erase(line.waiting.begin(), end);
  return taken;
}

JoinedReads::Answer JoinedReads::read(const std::string& board, const PlayerId& player, const Ask& ask) {
  Reader own{player, {}, {}};
  std::unique_lock lock(mutex_);
  Line& line = lines_[board];  // nobody takes a line away that somebody waits in
  line.waiting.push_back(&own);
  while (true) {
    own.wake.wait(lock, [&] { return own.answer || !line.asked; });
    if (own.answer) return *std::move(own.answer);
    line.asked = true;
    const std::vector<Reader*> readers = take(line);
    lock.unlock();
    std::vector<PlayerId> players;
    players.reserve(readers.size());
    for (const Reader* const reader : readers) players.push_back(reader->player);
    std::vector<Answer> answers = ask(players);
    SCORELINE_CHECK(answers.size() == readers.size());
    lock.lock();
    for (std::size_t i = 0; i < readers.size(); ++i) {
      readers[i]->answer = std::move(answers[i]);
      readers[i]->wake.notify_one();
    }
    line.asked = false;
    if (line.waiting.empty()) {
      lines_.erase(board);
    } else {
      line.waiting.front()->wake.notify_one();
    }
  }
}

}  // namespace scoreline::redis
