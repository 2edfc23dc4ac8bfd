#include "leaderboards/service.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/limits.h"
#include "leaderboards/archived_board.h"
#include "leaderboards/calendar.h"
#include "leaderboards/empty_boards.h"
#include "leaderboards/rank_key_codec.h"
#include "leaderboards/season_boards.h"
#include "leaderboards/season_closing.h"
#include "leaderboards/season_opening.h"

namespace scoreline::leaderboards {
namespace {

constexpr std::chrono::milliseconds kRetryWhileStarting = std::chrono::seconds{1};
constexpr std::chrono::milliseconds kRetryWhileChanged = std::chrono::seconds{1};

/// By rank, equals in the order of the board; ranks among them go by the board's ties.
void sort_friends(const Board& board, std::vector<FriendEntry>& entries) {
  const RankKeyCodec codec(board);
  const bool descending = board.order == Order::descending;
  std::sort(entries.begin(), entries.end(), [&](const FriendEntry& a, const FriendEntry& b) {
    if (a.entry.rank != b.entry.rank) return a.entry.rank < b.entry.rank;
    const auto x = codec.encode_valid(a.entry.standing);
    const auto y = codec.encode_valid(b.entry.standing);
    return (x != y ? x < y : a.entry.player < b.entry.player) != descending;
  });
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const FriendEntry* const before = i > 0 ? &entries[i - 1] : nullptr;
    const bool level = before != nullptr && before->entry.rank == entries[i].entry.rank;
    entries[i].rank_among = i + 1;
    if (level) entries[i].rank_among = before->rank_among;
    if (!level && before != nullptr && board.ties == Ties::dense) entries[i].rank_among = before->rank_among + 1;
  }
}

Result<void> check_limit(std::size_t limit) {
  if (limit >= 1 && limit <= kMaxEntries) return {};
  return fail(Code::invalid, "must be 1..1000", "limit");
}

/// As it was opened, or as its first result would open it.
Season season_of(const LeaderboardRecord& record, SeasonId id) {
  const Season* const opened = find_season(record, id);
  return opened != nullptr ? *opened : Season{id, std::nullopt, std::nullopt};
}

/// `season, day:2026-10-09 to day:2026-10-12, week:2026-W37 to week:2026-W42`.
std::string kept_text(const PeriodRules& rules, const Calendar& calendar, Timestamp now) {
  std::string text = "season";
  const auto add = [&](Period latest, std::int32_t step) {
    Period first = latest;
    while (calendar.keeps({first.kind, first.first_day - step}, now)) first.first_day -= step;
    text += ", " + to_string(first) + " to " + to_string(latest);
  };
  if (rules.days) add(calendar.day_of(now), 1);
  if (rules.weeks) add(calendar.week_of(now), 7);
  return text;
}

}  // namespace

Service::Service(Catalogue& catalogue, Ledger& ledger, RankIndex& index, const Clock& clock,
                 PastBoards::MakeIndex make_index, std::uint64_t hash_seed)
    : catalogue_(catalogue),
      ledger_(ledger),
      index_(index),
      clock_(clock),
      maker_(catalogue, ledger, index, clock, hash_seed),
      past_(maker_, std::move(make_index), clock),
      followed_(catalogue.audit_position()) {}

Result<void> Service::rebuild() {
  const auto made = maker_.make_missing([this](ScanProgress at) {
    results_done_.store(at.rows_done, std::memory_order_relaxed);
    results_total_.store(at.rows_total, std::memory_order_relaxed);
  });
  if (!made) {
    const std::lock_guard lock(failure_mutex_);
    failure_ = made.error();
    return fail(made.error());
  }
  ready_.store(true, std::memory_order_release);
  return {};
}

RebuildProgress Service::progress() const {
  const std::lock_guard lock(failure_mutex_);
  return RebuildProgress{ready(), results_done_.load(std::memory_order_relaxed),
                         results_total_.load(std::memory_order_relaxed), failure_};
}

Result<void> Service::check_ready() const {
  if (ready()) return {};
  const RebuildProgress at = progress();
  if (at.failure) return fail(Code::not_ready, "the boards cannot be made from the ledger: " + at.failure->detail);
  return fail(Error{Code::not_ready,
                    "the boards are being made from the ledger: " + std::to_string(at.results_done) + " of " +
                        std::to_string(at.results_total) + " results are done",
                    {},
                    kRetryWhileStarting});
}

Result<Board> Service::resolve(const BoardRef& ref) const {
  if (const auto is_ready = check_ready(); !is_ready) return fail(is_ready.error());
  const auto record = catalogue_.find(ref.leaderboard);
  if (!record) return fail(record.error());
  const SeasonId id = ref.season ? *ref.season : current_season(**record, clock_.now());
  const auto period = period_of(ref, (*record)->definition);
  if (!period) return fail(period.error());
  return board_of((*record)->definition, season_of(**record, id), *period);
}

Result<Period> Service::period_of(const BoardRef& ref, const Definition& definition) const {
  if (ref.period.empty() || ref.period == "season") return Period{};
  const Timestamp now = clock_.now();
  const Timestamp at = ref.as_of.value_or(now);
  const Calendar calendar(definition.periods);
  auto period = parse_period(ref.period, definition.periods.week_start);
  if (ref.period == "day") period = calendar.day_of(at);
  if (ref.period == "week") period = calendar.week_of(at);
  if (!period) return period;
  // Any board of the past can be made from the ledger.
  if (ref.as_of ? calendar.has(period->kind) : calendar.keeps(*period, now)) return period;
  return fail(Code::not_found, "there is no board of it; there are " + kept_text(definition.periods, calendar, now),
              "period");
}

Result<bool> Service::is_unopened(const Board& board) const {
  if (index_.exclusive()) return false;
  const auto is_known = [&] {
    const auto record = catalogue_.find(board.id.leaderboard.text());
    return record && find_season(**record, board.id.season) != nullptr;
  };
  if (is_known()) return false;
  const auto current = catalogue_.is_current();
  if (!current) return fail(current.error());
  if (*current) return !is_known();  // it may have become current after the first look, and know more
  return fail(Error{Code::not_ready, "leaderboards or seasons have just changed", {}, kRetryWhileChanged});
}

std::optional<Season> Service::closed_season(const Board& board) const {
  if (board.id.period != Period{}) return std::nullopt;  // days and weeks live as long as they are kept
  const auto record = catalogue_.find(board.id.leaderboard.text());
  if (!record) return std::nullopt;
  const Season* const season = find_season(**record, board.id.season);
  if (season == nullptr || season->state != SeasonState::closed) return std::nullopt;
  return *season;
}

Result<Service::Readable> Service::readable(const BoardRef& ref) const {
  auto board = resolve(ref);
  if (!board) return fail(std::move(board).error());
  if (ref.as_of) {
    if (*ref.as_of > clock_.now()) return fail(Code::invalid, "must not be in the future", "asOf");
    return past_.at(*board, *ref.as_of).map([&](auto reader) { return Readable{*board, std::move(reader)}; });
  }
  if (const auto season = closed_season(*board)) {
    return Readable{*std::move(board), std::make_shared<const ArchivedBoard>(ledger_.archives(), *season)};
  }
  // A shared index has no board that nobody has opened, nor one of a day that the season has no part of.
  const auto is_empty = is_unopened(*board);
  if (!is_empty) return fail(is_empty.error());
  const auto record = catalogue_.find(ref.leaderboard);
  if (!record) return fail(record.error());
  const bool is_outside = !meets(season_of(**record, board->id.season), board->span);
  static const EmptyBoards empty;
  const BoardReader& reader = *is_empty || is_outside ? static_cast<const BoardReader&>(empty) : index_;
  return Readable{*std::move(board), {std::shared_ptr<void>(), &reader}};  // both outlive every reader
}

Result<void> Service::compare(const BoardRef& ref, const Board& board, std::span<Entry* const> entries) const {
  if (!ref.since) return {};
  if (*ref.since > ref.as_of.value_or(clock_.now())) {
    return fail(Code::invalid, "must not be later than the board that it is compared with", "since");
  }
  const auto then = past_.at(board, *ref.since);
  if (!then) return fail(then.error());
  std::vector<PlayerId> players;
  for (const Entry* const entry : entries) players.push_back(entry->player);
  const auto before = (*then)->ranks_of(board, players);
  if (!before) return fail(before.error());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i]->previous_rank.emplace((*before)[i] ? std::optional((*before)[i]->rank) : std::nullopt);
  }
  return {};
}

Result<Page> Service::compared(const BoardRef& ref, const Board& board, Result<Page> page) const {
  if (!page || !ref.since) return page;
  std::vector<Entry*> entries;
  for (Entry& entry : page->entries) entries.push_back(&entry);
  if (const auto compared = compare(ref, board, entries); !compared) return fail(compared.error());
  return page;
}

Result<Page> Service::top(const BoardRef& ref, std::size_t limit) const { return range(ref, 1, limit); }

Result<Page> Service::range(const BoardRef& ref, std::uint64_t from, std::size_t limit) const {
  if (const auto valid = check_limit(limit); !valid) return fail(valid.error());
  if (from < 1) return fail(Code::invalid, "must be 1 or more", "from");
  return readable(ref).and_then(
      [&](const Readable& at) { return compared(ref, at.board, at.reader->range(at.board, from, limit)); });
}

Result<Page> Service::range_after(const BoardRef& ref, const PlayerId& player, const Standing& standing,
                                  std::size_t limit) const {
  if (const auto valid = check_limit(limit); !valid) return fail(valid.error());
  return readable(ref).and_then([&](const Readable& at) {
    return compared(ref, at.board, at.reader->range_after(at.board, player, standing, limit));
  });
}

Result<Page> Service::range_before(const BoardRef& ref, const PlayerId& player, const Standing& standing,
                                   std::size_t limit) const {
  if (const auto valid = check_limit(limit); !valid) return fail(valid.error());
  return readable(ref).and_then([&](const Readable& at) {
    return compared(ref, at.board, at.reader->range_before(at.board, player, standing, limit));
  });
}

Result<PointsPage> Service::range_by_points(const BoardRef& ref, PointsRange points, std::size_t limit) const {
  if (const auto valid = check_limit(limit); !valid) return fail(valid.error());
  if (points.low > points.high) return fail(Code::invalid, "must not be below `from`", "to");
  return readable(ref).and_then(
      [&](const Readable& at) { return at.reader->range_by_points(at.board, points, limit); });
}

Result<PointsCounts> Service::counts_above(const BoardRef& ref, std::span<const std::int64_t> points) const {
  if (points.size() > kMaxEntries) return fail(Code::too_many, "may be 1000 at most", "points");
  return readable(ref).and_then([&](const Readable& at) { return at.reader->counts_above(at.board, points); });
}

Result<RankHolder> Service::holder_of(const BoardRef& ref, std::uint64_t rank) const {
  if (rank < 1) return fail(Code::invalid, "must be 1 or more", "rank");
  const auto record = catalogue_.find(ref.leaderboard);
  if (!record) return fail(record.error());
  return readable(ref).and_then(
      [&](const Readable& at) { return leaderboards::holder_of(*at.reader, at.board, (*record)->definition, rank); });
}

Result<Distribution> Service::distribution(const BoardRef& ref, std::size_t buckets) const {
  if (buckets < 1 || buckets > kMaxBuckets) return fail(Code::invalid, "must be 1..100", "buckets");
  return readable(ref).and_then(
      [&](const Readable& at) { return leaderboards::distribution_of(*at.reader, at.board, buckets); });
}

Result<Place> Service::place_of(const BoardRef& ref, const PlayerId& player) const {
  const auto at = readable(ref);
  if (!at) return fail(at.error());
  auto place = at->reader->place_of(at->board, player);
  if (!place) return fail(std::move(place).error());
  if (!*place) return fail(Code::not_found, "the player has no result on this board", "playerId");
  Entry* const entry = &(*place)->entry;
  if (const auto compared = compare(ref, at->board, {&entry, 1}); !compared) return fail(compared.error());
  return **std::move(place);
}

Result<std::vector<PlaceOnBoard>> Service::places_of(std::string_view leaderboard, const PlayerId& player) const {
  if (const auto is_ready = check_ready(); !is_ready) return fail(is_ready.error());
  const auto record = catalogue_.find(leaderboard);
  if (!record) return fail(record.error());
  std::vector<PlaceOnBoard> places;
  const std::vector<Season>& seasons = (*record)->seasons;
  for (auto season = seasons.rbegin(); season != seasons.rend(); ++season) {
    for (const Board& board : boards_of((*record)->definition, *season, clock_.now())) {
      const auto at = readable({leaderboard, season->id, std::nullopt, to_string(board.id.period)});
      if (!at && at.error().field == "period") continue;  // it has just gone
      if (!at) return fail(at.error());
      auto place = at->reader->place_of(at->board, player);
      if (!place) return fail(std::move(place).error());
      if (*place) places.push_back({at->board.id, **std::move(place)});
    }
  }
  return places;
}

Result<Page> Service::around(const BoardRef& ref, const PlayerId& player, std::size_t radius) const {
  if (radius > kMaxRadius) return fail(Code::invalid, "must be 0..100", "radius");
  return readable(ref).and_then(
      [&](const Readable& at) { return compared(ref, at.board, at.reader->around(at.board, player, radius)); });
}

Result<RankAudit> Service::audit_rank(const BoardRef& ref, const PlayerId& player) const {
  return readable(ref).and_then([&](const Readable& at) {
    return maker_.audit_rank(*at.reader, at.board, ref.as_of.value_or(kMaxTimestamp), player);
  });
}

Result<Friends> Service::friends(const BoardRef& ref, std::span<const PlayerId> players) const {
  if (players.empty()) return fail(Code::invalid, "must name 1..1000 players", "playerIds");
  if (players.size() > kMaxEntries) return fail(Code::too_many, "must name 1..1000 players", "playerIds");
  const auto at = readable(ref);
  if (!at) return fail(at.error());

  std::vector<PlayerId> distinct;
  distinct.reserve(players.size());
  std::unordered_set<std::string_view> seen;
  for (const PlayerId& player : players) {
    if (seen.insert(player.text()).second) distinct.push_back(player);
  }
  auto ranked = at->reader->ranks_of(at->board, distinct);
  if (!ranked) return fail(std::move(ranked).error());

  Friends friends;
  for (std::size_t i = 0; i < distinct.size(); ++i) {
    if (auto& entry = (*ranked)[i]) {
      friends.entries.push_back({0, *std::move(entry)});
    } else {
      friends.absent.push_back(std::move(distinct[i]));
    }
  }
  sort_friends(at->board, friends.entries);
  std::vector<Entry*> entries;
  for (FriendEntry& each : friends.entries) entries.push_back(&each.entry);
  if (const auto compared = compare(ref, at->board, entries); !compared) return fail(compared.error());
  return friends;
}

Result<std::vector<std::optional<Entry>>> Service::ranks_of(const BoardRef& ref,
                                                            std::span<const PlayerId> players) const {
  return readable(ref).and_then([&](const Readable& at) { return at.reader->ranks_of(at.board, players); });
}

Result<std::uint64_t> Service::version(const BoardRef& ref) const {
  return readable(ref).and_then([](const Readable& at) { return at.reader->version(at.board); });
}

std::optional<std::uint64_t> Service::known_version(const BoardRef& ref) const {
  if (ref.as_of) return std::nullopt;
  const auto board = resolve(ref);
  if (!board) return std::nullopt;
  if (const auto season = closed_season(*board)) {
    return ArchivedBoard(ledger_.archives(), *season).known_version(*board);
  }
  return index_.known_version(*board);
}

Result<bool> Service::put_definition(const Definition& definition, const AskedBy& by) {
  if (const auto is_ready = check_ready(); !is_ready) return fail(is_ready.error());
  const auto before = catalogue_.find(definition.name.text());
  if (before) {
    if (const auto made = make_newly_kept(**before, definition); !made) return fail(made.error());
  }
  auto created = catalogue_.put_definition(definition);
  if (!created) return created;
  if (!before || !((*before)->definition == definition)) {
    const AuditEntry entry{AuditAction::define_leaderboard, definition.name};
    if (const auto logged = add_to_audit(entry, by); !logged) return fail(logged.error());
  }
  if (*created) return created;
  // Without results any field may have changed, the order too: what the index holds of the old boards must go.
  const auto record = catalogue_.find(definition.name.text());
  if (!record) return fail(record.error());
  const auto used = ledger_.has_results(definition.name);
  if (!used) return fail(used.error());
  if (!*used) {
    if (const auto dropped = drop_boards(**record); !dropped) return fail(dropped.error());
  }
  return created;
}

Result<void> Service::open_season(const LeaderboardName& leaderboard, const Season& season, const AskedBy& by) {
  if (const auto is_ready = check_ready(); !is_ready) return is_ready;
  const auto before = catalogue_.find(leaderboard.text());
  const bool was_open = before && find_season(**before, season.id) != nullptr;
  if (auto opened = leaderboards::open_season(catalogue_, index_, leaderboard, season, clock_.now());
      !opened || was_open) {
    return opened;
  }
  return add_to_audit({AuditAction::open_season, leaderboard, season.id}, by);
}

Result<Season> Service::close_season(const LeaderboardName& leaderboard, SeasonId season, const AskedBy& by) {
  if (const auto is_ready = check_ready(); !is_ready) return fail(is_ready.error());
  const auto before = catalogue_.find(leaderboard.text());
  const Season* const opened = before ? find_season(**before, season) : nullptr;
  const bool was_open = opened != nullptr && opened->state == SeasonState::open;
  if (const auto marked = mark_closing(catalogue_, ledger_.archives(), leaderboard, season, clock_.now()); !marked) {
    return fail(marked.error());
  }
  if (was_open) {
    if (const auto logged = add_to_audit({AuditAction::close_season, leaderboard, season}, by); !logged) {
      return fail(logged.error());
    }
  }
  return catalogue_.find(leaderboard.text()).map([&](const auto& record) { return *find_season(*record, season); });
}

Result<std::vector<ArchivedEntry>> Service::archived(const LeaderboardName& leaderboard, SeasonId season,
                                                     std::uint64_t position, std::size_t limit) const {
  return ledger_.archives().read(leaderboard, season, position, limit);
}

Result<void> Service::drop(const LeaderboardName& leaderboard, const AskedBy& by) {
  if (const auto is_ready = check_ready(); !is_ready) return is_ready;
  const auto record = catalogue_.find(leaderboard.text());
  if (!record) return fail(record.error());
  return catalogue_.drop(leaderboard).and_then([&] { return drop_boards(**record); }).and_then([&] {
    return add_to_audit({AuditAction::drop_leaderboard, leaderboard}, by);
  });
}

Result<void> Service::make_newly_kept(const LeaderboardRecord& from, const Definition& to) {
  const PeriodRules &before = from.definition.periods, &after = to.periods;
  const bool keeps_more = after.keep_days > before.keep_days || after.keep_weeks > before.keep_weeks;
  // Over a shared index the keepers of all processes see what is missing.
  if (!index_.exclusive() || !keeps_more || !can_change(from.definition, to) || !validate(to)) return {};
  std::vector<Board> fresh;
  for (const Season& season : from.seasons) {
    const auto old = boards_of(from.definition, season, clock_.now());
    for (Board& board : boards_of(to, season, clock_.now())) {
      const auto is_it = [&board](const Board& each) { return each.id == board.id; };
      if (std::none_of(old.begin(), old.end(), is_it)) fresh.push_back(std::move(board));
    }
  }
  if (fresh.empty()) return {};
  return maker_.make(fresh, [](ScanProgress) {});
}

Result<void> Service::drop_boards(const LeaderboardRecord& record) {
  for (const Season& season : record.seasons) {
    for (const Board& board : boards_of(record.definition, season, clock_.now())) {
      if (const auto dropped = index_.drop(board); !dropped) return dropped;
    }
  }
  return {};
}

double percentile(const Place& place) {
  if (place.players == 0) return 0;
  return 100.0 * static_cast<double>(place.players - place.above) / static_cast<double>(place.players);
}

}  // namespace scoreline::leaderboards
