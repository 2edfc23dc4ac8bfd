// How RedisRankIndex loads a board: into side keys, which every change takes part in, and in place of the board's keys
// in one step at the end.
#include <fmt/format.h>

#include <algorithm>

#include "adapters/redis/member_codec.h"
#include "adapters/redis/offer_batch.h"
#include "adapters/redis/redis_rank_index.h"
#include "adapters/redis/script_answer.h"
#include "adapters/redis/scripts.h"

namespace scoreline::redis {

using leaderboards::Board;
using leaderboards::Offer;

namespace {

/// A script holds the server for one piece; a pipeline of them keeps it busy.
constexpr std::size_t kOffersInPiece = 1'000;
constexpr std::size_t kPiecesInPipeline = 8;

tl::unexpected<Error> lost_load() {
  return fail(Code::conflict, "the load of the board is over: another process took it, or the index lost it");
}

}  // namespace

std::optional<std::string> RedisRankIndex::token_of(const Board& board) const {
  const std::lock_guard lock(tokens_mutex_);
  const auto at = tokens_.find(board.id);
  return at == tokens_.end() ? std::nullopt : std::optional(at->second);
}

void RedisRankIndex::forget_token(const Board& board) {
  const std::lock_guard lock(tokens_mutex_);
  tokens_.erase(board.id);
}

/// Relative, because the server's clock may be another one.
std::string RedisRankIndex::goes_in(const Board& board) const {
  if (board.id.period == leaderboards::Period{}) return {};
  const Clock& clock = options_.calendar_clock != nullptr ? *options_.calendar_clock : clock_;
  return std::to_string(std::max<std::int64_t>(1, board.kept_until.ms - clock.now().ms));
}

Result<void> RedisRankIndex::begin_load(const Board& board) {
  const auto own = token_of(board);
  const std::string token = own ? *own : fmt::format("{:016x}{:016x}", random_.bits(), random_.bits());
  const auto lease = std::to_string(options_.load_lease.count());
  const auto parts =
      run(board, scripts().begin_load, keys(board).to_change(), {token, lease, own ? "1" : "0", goes_in(board)}, 1);
  if (!parts) return fail(parts.error());
  if (parts->front().text == "begun") {
    const std::lock_guard lock(tokens_mutex_);
    tokens_.insert_or_assign(board.id, token);
    return {};
  }
  forget_token(board);
  if (parts->front().text == "lost") return lost_load();
  if (parts->size() < 2) return strange_answer();
  return fail(Error{
      Code::conflict, "another process is loading the board", {}, std::chrono::milliseconds{(*parts)[1].integer}});
}

Result<void> RedisRankIndex::send_standings(const Board& board, const std::string& token,
                                            const std::function<std::optional<Offer>()>& next) {
  const MemberCodec codec(board);
  const Arguments head = {token, std::to_string(options_.load_lease.count())};
  std::vector<Arguments> pieces;
  std::size_t in_piece = kOffersInPiece;
  const auto send = [&]() -> Result<void> {
    if (pieces.empty()) return {};
    const auto answer = ask(board, scripts().load, keys(board).to_change(), std::exchange(pieces, {}));
    if (!answer) return fail(answer.error());
    if (answer->parts.front().text != "kept") return lost_load();
    return {};
  };
  while (const auto offer = next()) {
    if (in_piece == kOffersInPiece) {
      if (pieces.size() == kPiecesInPipeline) {
        if (const auto sent = send(); !sent) return sent;
      }
      pieces.push_back(head);
      in_piece = 0;
    }
    if (const auto encoded = append_offer(pieces.back(), board, codec, *offer); !encoded) return encoded;
    ++in_piece;
  }
  return send();
}

Result<void> RedisRankIndex::load(const Board& board, std::uint64_t /*expected*/,
                                  const std::function<std::optional<Offer>()>& next) {
  const auto token = token_of(board);
  if (!token) return fail(Code::conflict, "the load of the board was not begun, or is over");
  if (const auto sent = send_standings(board, *token, next); !sent) {
    if (sent.error().code == Code::conflict) forget_token(board);
    return sent;
  }
  const auto parts = run(board, scripts().finish_load, keys(board).to_change(), {*token}, 1);
  if (!parts) return fail(parts.error());
  forget_token(board);
  if (parts->front().text == "lost") return lost_load();
  return {};
}

}  // namespace scoreline::redis
