// The public library over the embedded engine: only translation, from Result to exceptions and between words.
#include <scoreline/scoreline.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "app/backing.h"
#include "app/engine.h"
#include "app/library_core.h"
#include "base/limits.h"
#include "base/uuid.h"
#include "leaderboards/criteria.h"
#include "leaderboards/definition.h"
#include "leaderboards/values.h"

namespace scoreline {

namespace lb = leaderboards;

namespace {

lb::Rule rule_of(Rule rule) {
  switch (rule) {
    case Rule::best: return lb::Rule::best;
    case Rule::least: return lb::Rule::least;
    case Rule::sum: return lb::Rule::sum;
    case Rule::latest: return lb::Rule::latest;
  }
  return lb::Rule::best;
}

lb::Ties ties_of(Ties ties) {
  switch (ties) {
    case Ties::first: return lb::Ties::first;
    case Ties::last: return lb::Ties::last;
    case Ties::shared: return lb::Ties::shared;
    case Ties::dense: return lb::Ties::dense;
  }
  return lb::Ties::first;
}

/// `definition` with all that the options speak of; the rest (grace, top) stays.
lb::Definition with_options(lb::Definition definition, const LeaderboardOptions& options) {
  definition.rule = rule_of(options.rule);
  definition.order = lb::default_order(definition.rule);
  if (options.order) {
    definition.order = *options.order == Order::descending ? lb::Order::descending : lb::Order::ascending;
  }
  definition.ties = ties_of(options.ties);
  definition.scale = options.scale;
  definition.min_points = options.min_points;
  definition.max_points = options.max_points;
  definition.criteria.clear();
  for (const Criterion& each : options.criteria) {
    const auto order = each.order == Order::descending ? lb::Order::descending : lb::Order::ascending;
    definition.criteria.push_back({each.name, order, each.scale, each.min, each.max});
  }
  definition.periods = {options.days,      options.weeks,
                        options.time_zone, value_of(lb::parse_week_start(options.week_start)),
                        options.keep_days, options.keep_weeks};
  return definition;
}

Outcome outcome_of(lb::Outcome outcome) {
  switch (outcome) {
    case lb::Outcome::duplicate: return Outcome::duplicate;
    case lb::Outcome::unchanged: return Outcome::unchanged;
    case lb::Outcome::improved: return Outcome::improved;
  }
  return Outcome::unchanged;
}

Receipt receipt_of(const ingest::Receipt& receipt) {
  return {outcome_of(receipt.outcome), receipt.standing.points, receipt.rank, receipt.previous_rank};
}

Entry entry_of(const lb::Entry& entry, const lb::Definition& definition) {
  Entry shown{entry.rank, entry.player.text(), entry.standing.points,
              Time{std::chrono::milliseconds{entry.standing.achieved_at.ms}}};
  const lb::CriteriaValues values = unpack_criteria(definition, entry.standing.extra);
  for (std::size_t i = 0; i < definition.criteria.size(); ++i) {
    shown.criteria.emplace(definition.criteria[i].name, values[i]);
  }
  return shown;
}

std::optional<Time> time_of(const std::optional<Timestamp>& at) {
  return at ? std::optional(Time{std::chrono::milliseconds{at->ms}}) : std::nullopt;
}

SeasonState state_of(lb::SeasonState state) {
  switch (state) {
    case lb::SeasonState::open: return SeasonState::open;
    case lb::SeasonState::closing: return SeasonState::closing;
    case lb::SeasonState::closed: return SeasonState::closed;
  }
  return SeasonState::open;
}

Uuid match_of(std::string_view text) {
  const auto id = parse_uuid(text);
  if (!id) throw Failure(std::string(traits(id.error().code).name), id.error().detail, "matchId");
  return *id;
}

std::vector<Entry> entries_of(Result<lb::Page> page, const lb::Definition& definition) {
  std::vector<Entry> entries;
  for (const lb::Entry& entry : value_of(std::move(page)).entries) entries.push_back(entry_of(entry, definition));
  return entries;
}

}  // namespace

struct Board::Place {
  std::shared_ptr<Scoreline::Core> core;
  lb::Definition definition;
  std::optional<lb::SeasonId> season = {};
  std::optional<Timestamp> as_of = {};
  std::string period = {};

  lb::Service& service() const { return core->engine->service(); }
  lb::BoardRef ref() const { return {definition.name.text(), season, as_of, period}; }

  /// What is in units of 10^-scale already is written as such a decimal.
  static Decimal scaled(std::int64_t value, int scale) {
    Decimal decimal = decimal_from(value);
    if (decimal.digits != 0) decimal.exponent -= scale;
    return decimal;
  }

  ingest::Submission submission_of(const MatchResult& result) const {
    if (as_of) throw Failure("usage", "a board of the past takes no results", {});
    ingest::Submission submission;
    submission.leaderboard = definition.name.text();
    if (result.match_id) submission.match_id = match_of(*result.match_id);
    submission.player_id = result.player;
    if (season) submission.season_id = season->value;
    submission.points = scaled(result.points, definition.scale);
    for (const auto& [name, value] : result.criteria) {
      const auto is_it = [&name = name](const lb::Criterion& each) { return each.name == name; };
      const auto known = std::ranges::find_if(definition.criteria, is_it);
      submission.criteria.push_back({name, scaled(value, known == definition.criteria.end() ? 0 : known->scale)});
    }
    if (result.achieved_at) submission.achieved_at = Timestamp{result.achieved_at->time_since_epoch().count()};
    return submission;
  }
};

Receipt Board::add_points(std::string_view player, std::int64_t points) {
  return submit(MatchResult{std::string(player), points, std::nullopt, std::nullopt, {}});
}

Receipt Board::submit(const MatchResult& result) {
  auto receipts = value_of(place_->core->engine->pipeline().submit({place_->submission_of(result)}, lb::Ranks::tell));
  return receipt_of(value_of(std::move(receipts.front())));
}

std::vector<Answer> Board::submit(std::span<const MatchResult> results) {
  std::vector<Answer> answers(results.size());
  std::vector<ingest::Submission> submissions;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < results.size(); ++i) {
    try {
      submissions.push_back(place_->submission_of(results[i]));
      places.push_back(i);
    } catch (const Failure& failure) {
      answers[i].rejected = failure;
    }
  }
  if (submissions.empty() && !results.empty()) return answers;
  const auto receipts = value_of(place_->core->engine->pipeline().submit(std::move(submissions), lb::Ranks::skip));
  for (std::size_t i = 0; i < receipts.size(); ++i) {
    Answer& answer = answers[places[i]];
    if (receipts[i]) {
      answer.receipt = receipt_of(*receipts[i]);
    } else {
      answer.rejected = failure_of(receipts[i].error());
    }
  }
  return answers;
}

std::vector<Entry> Board::top(std::size_t count) const {
  return entries_of(place_->service().top(place_->ref(), count), place_->definition);
}

std::vector<Entry> Board::range(std::uint64_t from, std::size_t count) const {
  return entries_of(place_->service().range(place_->ref(), from, count), place_->definition);
}

std::vector<Entry> Board::around(std::string_view player, std::size_t radius) const {
  return entries_of(place_->service().around(place_->ref(), value_of(lb::PlayerId::parse(player)), radius),
                    place_->definition);
}

std::uint64_t Board::count_above(std::int64_t points) const {
  return value_of(place_->service().counts_above(place_->ref(), std::span(&points, 1))).above.front();
}

std::vector<Entry> Board::between(std::int64_t low, std::int64_t high, std::size_t limit) const {
  return entries_of(place_->service().range_by_points(place_->ref(), {low, high}, limit).map([](auto&& found) {
    return std::move(found.page);
  }),
                    place_->definition);
}

std::optional<Entry> Board::at_rank(std::uint64_t rank) const {
  const auto holder = value_of(place_->service().holder_of(place_->ref(), rank));
  return holder.entry ? std::optional(entry_of(*holder.entry, place_->definition)) : std::nullopt;
}

std::optional<std::uint64_t> Board::rank_of(std::string_view player) const {
  const auto entry = find(player);
  return entry ? std::optional(entry->rank) : std::nullopt;
}

std::optional<Entry> Board::find(std::string_view player) const {
  const auto place = place_->service().place_of(place_->ref(), value_of(lb::PlayerId::parse(player)));
  if (place) return entry_of(place->entry, place_->definition);
  if (place.error().code == Code::not_found && place.error().field == "playerId") return std::nullopt;
  throw failure_of(place.error());
}

std::vector<std::optional<Entry>> Board::find(std::span<const std::string> players) const {
  std::vector<lb::PlayerId> ids;
  for (const std::string& player : players) ids.push_back(value_of(lb::PlayerId::parse(player)));
  const auto friends = value_of(place_->service().friends(place_->ref(), ids));
  std::unordered_map<std::string_view, const lb::Entry*> by_player;
  for (const lb::FriendEntry& each : friends.entries) by_player.emplace(each.entry.player.text(), &each.entry);
  std::vector<std::optional<Entry>> found;
  for (const std::string& player : players) {
    const auto at = by_player.find(player);
    found.push_back(at == by_player.end() ? std::nullopt : std::optional(entry_of(*at->second, place_->definition)));
  }
  return found;
}

Distribution Board::distribution(std::size_t buckets) const {
  if (buckets < 1 || buckets > lb::kMaxBuckets) throw Failure("invalid", "must be 1..100", "buckets");
  const auto found = value_of(place_->service().distribution(place_->ref(), buckets));
  Distribution shown{.players = found.players, .buckets = {}, .cuts = {}};
  for (const lb::Bucket& each : found.buckets) shown.buckets.push_back({each.points.low, each.points.high, each.count});
  for (const lb::PercentileCut& cut : found.cuts) shown.cuts.emplace(cut.percent, cut.points);
  return shown;
}

std::uint64_t Board::size() const { return value_of(place_->service().top(place_->ref(), 1)).players; }

Board Board::season(std::int64_t id) const {
  Place other = *place_;
  other.season = value_of(lb::SeasonId::from(id));
  return Board(std::make_shared<const Place>(std::move(other)));
}

Board Board::period(std::string_view name) const {
  Place other = *place_;
  other.period = std::string(name);
  return Board(std::make_shared<const Place>(std::move(other)));
}

Board Board::as_of(Time at) const {
  Place past = *place_;
  past.as_of = Timestamp{at.time_since_epoch().count()};
  return Board(std::make_shared<const Place>(std::move(past)));
}

Scoreline Scoreline::open(const std::filesystem::path& folder) {
  app::EngineOptions options;
  options.data = folder;
  return Scoreline(Core::open(options));
}

Scoreline Scoreline::open(const SharedStores& stores) {
  if (!stores.ledger.starts_with("postgres")) throw Failure("usage", "must be a URL, postgresql://…", "ledger");
  if (!app::is_shared_index(stores.index)) throw Failure("usage", "must be a URL, like redis://…", "index");
  app::EngineOptions options;
  options.ledger = stores.ledger;
  options.index = stores.index;
  return Scoreline(Core::open(options));
}

Board Scoreline::leaderboard(std::string_view name) {
  const auto record = value_of(core_->engine->service().catalogue().find(name));
  return Board(std::make_shared<const Board::Place>(Board::Place{core_, record->definition}));
}

Board Scoreline::leaderboard(std::string_view name, const LeaderboardOptions& options) {
  const lb::Definition fresh{.name = value_of(lb::LeaderboardName::parse(name))};
  core_->exclusively([&] {
    lb::Service& service = core_->engine->service();
    const auto known = service.catalogue().find(name);
    return service.put_definition(with_options(known ? (*known)->definition : fresh, options));
  });
  return leaderboard(name);
}

void Scoreline::erase_player(std::string_view leaderboard, std::string_view player) {
  const auto name = value_of(lb::LeaderboardName::parse(leaderboard));
  const auto id = value_of(lb::PlayerId::parse(player));
  core_->exclusively([&] { return core_->engine->service().erase_player(name, id, lb::Ledger::Erase::from_ledger); });
}

bool Scoreline::hide_player(std::string_view leaderboard, std::string_view player, std::string_view reason) {
  const auto name = value_of(lb::LeaderboardName::parse(leaderboard));
  const auto id = value_of(lb::PlayerId::parse(player));
  const lb::AskedBy by{.reason = std::string(reason)};
  return core_->exclusively([&] { return core_->engine->service().hide_player(name, id, by); });
}

bool Scoreline::restore_player(std::string_view leaderboard, std::string_view player, std::string_view reason) {
  const auto name = value_of(lb::LeaderboardName::parse(leaderboard));
  const auto id = value_of(lb::PlayerId::parse(player));
  const lb::AskedBy by{.reason = std::string(reason)};
  return core_->exclusively([&] { return core_->engine->service().restore_player(name, id, by); });
}

std::uint64_t Scoreline::void_match(std::string_view leaderboard, std::string_view match_id, std::string_view reason) {
  const auto name = value_of(lb::LeaderboardName::parse(leaderboard));
  const auto id = match_of(match_id);
  const lb::AskedBy by{.reason = std::string(reason)};
  return core_->exclusively([&] { return core_->engine->service().void_match(name, id, by); });
}

std::vector<PlaceOnBoard> Scoreline::places_of(std::string_view leaderboard, std::string_view player) const {
  const auto id = value_of(lb::PlayerId::parse(player));
  const auto record = value_of(core_->engine->service().catalogue().find(leaderboard));
  std::vector<PlaceOnBoard> places;
  for (const auto& [board, place] : value_of(core_->engine->service().places_of(leaderboard, id))) {
    places.push_back(
        {board.season.value, to_string(board.period), entry_of(place.entry, record->definition), place.players});
  }
  return places;
}

std::vector<Season> Scoreline::seasons(std::string_view leaderboard) const {
  std::vector<Season> seasons;
  const auto record = value_of(core_->engine->service().catalogue().find(leaderboard));
  for (const lb::Season& season : record->seasons) {
    seasons.push_back(
        {season.id.value, time_of(season.start), time_of(season.end), state_of(season.state), season.players});
  }
  return seasons;
}

void Scoreline::open_season(std::string_view leaderboard, std::int64_t id, std::optional<Time> start,
                            std::optional<Time> end) {
  const auto name = value_of(lb::LeaderboardName::parse(leaderboard));
  const auto at = [](const std::optional<Time>& time) {
    return time ? std::optional(Timestamp{time->time_since_epoch().count()}) : std::nullopt;
  };
  const lb::Season season{value_of(lb::SeasonId::from(id)), at(start), at(end)};
  core_->exclusively([&] { return core_->engine->service().open_season(name, season); });
}

void Scoreline::close_season(std::string_view leaderboard, std::int64_t id) {
  const auto name = value_of(lb::LeaderboardName::parse(leaderboard));
  const auto season = value_of(lb::SeasonId::from(id));
  core_->exclusively([&] { return core_->engine->service().close_season(name, season); });
}

std::vector<Entry> Scoreline::archive(std::string_view leaderboard, std::int64_t season, std::uint64_t from,
                                      std::size_t count) const {
  if (from < 1) throw Failure("invalid", "must be 1 or more", "from");
  if (count < 1 || count > kMaxEntries) throw Failure("invalid", "must be 1..1000", "count");
  const auto record = value_of(core_->engine->service().catalogue().find(leaderboard));
  std::vector<Entry> entries;
  for (const lb::ArchivedEntry& line : value_of(core_->engine->service().archived(
           record->definition.name, value_of(lb::SeasonId::from(season)), from, count))) {
    entries.push_back(entry_of(line.entry, record->definition));
  }
  return entries;
}

}  // namespace scoreline
