#include "adapters/redis/redis_rank_index.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "adapters/redis/member_codec.h"
#include "adapters/redis/offer_batch.h"
#include "adapters/redis/script_answer.h"
#include "adapters/redis/scripts.h"
#include "adapters/redis/server_fitness.h"

namespace scoreline::redis {

using leaderboards::Applied;
using leaderboards::Board;
using leaderboards::By;
using leaderboards::EntriesAt;
using leaderboards::Entry;
using leaderboards::Offer;
using leaderboards::Order;
using leaderboards::Page;
using leaderboards::Place;
using leaderboards::PlayerId;
using leaderboards::PointsCounts;
using leaderboards::PointsPage;
using leaderboards::PointsRange;
using leaderboards::Ranks;
using leaderboards::Standing;
using leaderboards::Ties;

namespace {

constexpr std::chrono::milliseconds kRetryWhileStale = std::chrono::seconds{1};

tl::unexpected<Error> not_ready(std::string detail) {
  return fail(Error{Code::not_ready, std::move(detail), {}, kRetryWhileStale});
}

tl::unexpected<Error> stale_board(const std::string& reason) {
  return not_ready("the board has to be loaded from the ledger: " + reason);
}

/// A reader asked for nothing to be stored: nothing is unknown to it.
Error of_reading(Error error) {
  if (error.code == Code::unknown_outcome) error.code = Code::storage_failed;
  return error;
}

}  // namespace

Result<std::unique_ptr<RedisRankIndex>> RedisRankIndex::open(Client& client, RankIndexOptions options,
                                                             const Clock& clock, Random& random) {
  const auto server = client.server_of(options.key_prefix);
  if (!server) return fail(server.error());
  if (const auto fit = check_server(*server, "index"); !fit) return fail(fit.error());
  return std::unique_ptr<RedisRankIndex>(new RedisRankIndex(client, std::move(options), clock, random));
}

void RedisRankIndex::set_epoch(std::string epoch) {
  const std::lock_guard lock(epoch_mutex_);
  epoch_ = std::move(epoch);
}

std::string RedisRankIndex::epoch() const {
  const std::lock_guard lock(epoch_mutex_);
  return epoch_;
}

Result<RedisRankIndex::Answer> RedisRankIndex::ask(const Board& board, const Script& script,
                                                   std::vector<std::string> keys, std::vector<Arguments> calls) const {
  const Arguments head = {epoch(), {}, spec_of(board), std::to_string(seen_.seq(board.id))};
  std::vector<ScriptCall> sent;
  sent.reserve(calls.size());
  for (Arguments& arguments : calls) {
    ScriptCall call{&script, keys, {}};
    call.arguments.reserve(head.size() + arguments.size());
    call.arguments = head;
    std::move(arguments.begin(), arguments.end(), std::back_inserter(call.arguments));
    sent.push_back(std::move(call));
  }
  // The connection may have been made again in between, to a server that is another one now: nothing was done then.
  Result<std::vector<Reply>> replies = fail(Code::conflict, {});
  for (int attempt = 0; attempt < 2 && !replies && replies.error().code == Code::conflict; ++attempt) {
    const auto server = client_.server_of(keys.front());
    if (!server) return fail(server.error());
    if (const auto fit = check_server(*server, "index"); !fit) {
      client_.doubt_server_of(keys.front());  // an operator may set it right while it runs
      return not_ready(fit.error().detail);
    }
    for (ScriptCall& call : sent) call.run_id = call.arguments[1] = server->run_id;
    replies = client_.run(std::span<const ScriptCall>(sent));
  }
  if (!replies && replies.error().code == Code::conflict) return not_ready("the index is being replaced");
  if (!replies) return fail(std::move(replies).error());

  Answer answer;
  for (Reply& reply : *replies) {
    if (reply.kind == Reply::Kind::error) return fail(error_of(reply.text));
    if (reply.kind != Reply::Kind::array || reply.elements.empty()) return strange_answer();
    const Reply& first = reply.elements.front();
    if (first.kind == Reply::Kind::integer)
      seen_.saw(board.id, static_cast<std::uint64_t>(first.integer), clock_.monotonic());
    if (first.text == "stale") {
      if (reply.elements.size() < 2) return strange_answer();
      seen_.doubt(board.id);
      answer.stale = reply.elements[1].text;
    }
    answer.parts = std::move(reply.elements);
    if (answer.stale || answer.parts.front().text == "lost") break;
  }
  return answer;
}

Result<std::vector<Reply>> RedisRankIndex::run(const Board& board, const Script& script, std::vector<std::string> keys,
                                               Arguments arguments, std::size_t parts) const {
  std::vector<Arguments> calls;
  calls.push_back(std::move(arguments));
  auto answer = ask(board, script, std::move(keys), std::move(calls));
  if (!answer) return fail(std::move(answer).error());
  if (answer->stale) return stale_board(*answer->stale);
  if (answer->parts.size() < parts) return strange_answer();
  return std::move(answer->parts);
}

Result<std::vector<Reply>> RedisRankIndex::look(const Board& board, const Script& script, Arguments arguments,
                                                std::size_t parts) const {
  return run(board, script, keys(board).to_read(), std::move(arguments), parts).map_error(&of_reading);
}

Error RedisRankIndex::distrust(const Board& board, const Error& error) const {
  if (error.code != Code::damaged) return error;
  const std::string meta = keys(board).meta;
  const Command forget{meta, {"HDEL", meta, "epoch"}};
  (void)client_.run(std::span(&forget, 1));  // should it fail, the next reader does it
  seen_.doubt(board.id);
  return stale_board("somebody else wrote to it: " + error.detail).value();
}

Result<std::vector<Applied>> RedisRankIndex::apply(const Board& board, std::span<const Offer> offers, Ranks ranks) {
  if (offers.empty()) return std::vector<Applied>();
  const OfferBatch batch(board, offers);
  Arguments arguments = {ranks == Ranks::tell ? "1" : "0"};
  if (const auto encoded = batch.append_to(arguments); !encoded) return fail(encoded.error());
  return run(board, scripts().apply, keys(board).to_change(), std::move(arguments), 5)
      .and_then([&](const std::vector<Reply>& parts) {
        return batch.answers(parts).map_error([&](const Error& error) { return distrust(board, error); });
      });
}

Result<RedisRankIndex::Places> RedisRankIndex::places(const Board& board, std::span<const PlayerId> players,
                                                      Ranks ranks) const {
  Places places;
  places.entries.resize(players.size());
  places.above.resize(players.size());
  if (players.empty()) return places;
  Arguments arguments = {ranks == Ranks::tell ? "1" : "0"};
  for (const PlayerId& player : players) arguments.push_back(player.text());
  const auto parts = look(board, scripts().places, std::move(arguments), 5);
  if (!parts) return fail(parts.error());
  places.players = static_cast<std::uint64_t>((*parts)[1].integer);
  const std::vector<Reply>& scores = (*parts)[2].elements;
  const std::vector<Reply>& members = (*parts)[3].elements;
  if (scores.size() != players.size() || members.size() != players.size()) return strange_answer();
  const MemberCodec codec(board);
  for (std::size_t i = 0; i < players.size(); ++i) {
    if (scores[i].kind == Reply::Kind::nil) continue;
    const auto standing =
        codec.decode(scores[i].text, std::string_view(members[i].text).substr(0, codec.prefix_bytes()));
    if (!standing) return fail(distrust(board, standing.error()));
    places.entries[i] = Entry{rank_in((*parts)[4], i).value_or(0), players[i], *standing};
    const bool dense = board.ties == Ties::dense && parts->size() > 5;
    const auto above = dense ? rank_in((*parts)[5], i) : places.entries[i]->rank;
    places.above[i] = above.value_or(0) - (above ? 1 : 0);
  }
  return places;
}

Result<std::vector<std::optional<Standing>>> RedisRankIndex::standings(const Board& board,
                                                                       std::span<const PlayerId> players) const {
  return places(board, players, Ranks::skip).map([](const Places& places) {
    std::vector<std::optional<Standing>> standings;
    standings.reserve(places.entries.size());
    for (const auto& entry : places.entries) {
      standings.push_back(entry ? std::optional(entry->standing) : std::nullopt);
    }
    return standings;
  });
}

Result<std::vector<std::optional<Entry>>> RedisRankIndex::ranks_of(const Board& board,
                                                                   std::span<const PlayerId> players) const {
  return places(board, players, Ranks::tell).map([](Places&& places) { return std::move(places.entries); });
}

Result<std::optional<Place>> RedisRankIndex::place_of(const Board& board, const PlayerId& player) const {
  return joined_reads_.read(keys(board).board + ' ' + spec_of(board), player, [&](std::span<const PlayerId> together) {
    std::vector<Result<std::optional<Place>>> answers;
    answers.reserve(together.size());
    auto places = this->places(board, together, Ranks::tell);
    if (!places) answers.assign(together.size(), fail(places.error()));
    for (std::size_t i = 0; places && i < together.size(); ++i) {
      auto& entry = places->entries[i];
      answers.push_back(entry ? std::optional(Place{*std::move(entry), places->players, places->above[i]})
                              : std::nullopt);
    }
    return answers;
  });
}

Result<Page> RedisRankIndex::read(const Board& board, const Script& script, Arguments arguments) const {
  return look(board, script, std::move(arguments), 4).and_then([&](const std::vector<Reply>& parts) {
    return page_of(parts, board).map_error([&](const Error& error) { return distrust(board, error); });
  });
}

Result<Page> RedisRankIndex::range(const Board& board, std::uint64_t first, std::size_t limit) const {
  return read(board, scripts().range, {std::to_string(first - 1), std::to_string(limit)});
}

Result<Page> RedisRankIndex::range_after(const Board& board, const PlayerId& player, const Standing& standing,
                                         std::size_t limit) const {
  const auto place = MemberCodec(board).encode(standing);
  if (!place) return fail(place.error());
  return read(board, scripts().range_after, {place->score, place->prefix + player.text(), std::to_string(limit)});
}

Result<Page> RedisRankIndex::range_before(const Board& board, const PlayerId& player, const Standing& standing,
                                          std::size_t limit) const {
  const auto place = MemberCodec(board).encode(standing);
  if (!place) return fail(place.error());
  return read(board, scripts().range_before, {place->score, place->prefix + player.text(), std::to_string(limit)});
}

Result<PointsPage> RedisRankIndex::range_by_points(const Board& board, PointsRange points, std::size_t limit) const {
  const MemberCodec codec(board);
  auto best = codec.encode_points(points.high);
  auto worst = codec.encode_points(points.low);
  if (board.order == Order::ascending) std::swap(best, worst);
  return look(board, scripts().range_by_points,
              {best.score, best.prefix, worst.score, worst.prefix, std::to_string(limit)}, 6)
      .and_then([&](const std::vector<Reply>& parts) {
        return page_of(parts, board)
            .map([&](Page&& page) {
              return PointsPage{std::move(page), static_cast<std::uint64_t>(parts[5].integer)};
            })
            .map_error([&](const Error& error) { return distrust(board, error); });
      });
}

Result<PointsCounts> RedisRankIndex::counts_above(const Board& board, std::span<const std::int64_t> points) const {
  const MemberCodec codec(board);
  Arguments arguments;
  for (const std::int64_t each : points) {
    auto stored = codec.encode_points(each);
    arguments.push_back(std::move(stored.score));
    arguments.push_back(std::move(stored.prefix));
  }
  return look(board, scripts().counts_above, std::move(arguments), 3)
      .and_then([&](const std::vector<Reply>& parts) -> Result<PointsCounts> {
        const auto& above = parts[2].elements;
        if (above.size() != points.size()) return strange_answer();
        PointsCounts counts{static_cast<std::uint64_t>(parts[1].integer), {}};
        for (const Reply& each : above) counts.above.push_back(static_cast<std::uint64_t>(each.integer));
        return counts;
      });
}

Result<EntriesAt> RedisRankIndex::entries_at(const Board& board, std::span<const std::uint64_t> numbers, By by) const {
  Arguments arguments = {by == By::rank ? "1" : "0"};
  for (const std::uint64_t number : numbers) arguments.push_back(std::to_string(number));
  const auto parts = look(board, scripts().entries_at, std::move(arguments), 3);
  if (!parts) return fail(parts.error());
  const auto& found = (*parts)[2].elements;
  if (found.size() != numbers.size()) return strange_answer();
  EntriesAt at{static_cast<std::uint64_t>((*parts)[1].integer), {}};
  const MemberCodec codec(board);
  for (const Reply& each : found) {
    if (each.kind == Reply::Kind::nil) {
      at.entries.emplace_back();
      continue;
    }
    if (each.elements.size() != 3) return strange_answer();
    auto entry = entry_of(each.elements[0], each.elements[1], codec);
    if (!entry) return fail(distrust(board, entry.error()));
    entry->rank = rank_in(each, 2).value_or(0);
    at.entries.emplace_back(*std::move(entry));
  }
  return at;
}

Result<Page> RedisRankIndex::around(const Board& board, const PlayerId& player, std::size_t radius) const {
  return read(board, scripts().around, {player.text(), std::to_string(radius)});
}

Result<std::uint64_t> RedisRankIndex::erase(const Board& board, std::span<const PlayerId> players) {
  if (players.empty()) return 0;
  Arguments arguments;
  for (const PlayerId& player : players) arguments.push_back(player.text());
  return run(board, scripts().erase, keys(board).to_change(), std::move(arguments), 2)
      .map([](const std::vector<Reply>& parts) { return static_cast<std::uint64_t>(parts[1].integer); });
}

Result<void> RedisRankIndex::drop(const Board& board) {
  forget_token(board);
  return run(board, scripts().drop, keys(board).to_change(), {}, 1).map([&](const auto&) { seen_.doubt(board.id); });
}

Result<std::uint64_t> RedisRankIndex::version(const Board& board) const {
  if (const auto known = known_version(board)) return *known;
  return look(board, scripts().state, {}, 2).map([](const std::vector<Reply>& parts) {
    return static_cast<std::uint64_t>(parts[0].integer);
  });
}

std::optional<std::uint64_t> RedisRankIndex::known_version(const Board& board) const {
  return seen_.fresh(board.id, clock_.monotonic());
}

Result<bool> RedisRankIndex::is_loaded(const Board& board) const {
  return ask(board, scripts().state, keys(board).to_read(), {{}})
      .map([](const Answer& answer) { return !answer.stale; })
      .map_error(&of_reading);
}

}  // namespace scoreline::redis
