#include "ingest/validator.h"

#include <string>
#include <tuple>

#include "base/limits.h"

namespace scoreline::ingest {

using leaderboards::Board;
using leaderboards::Definition;
using leaderboards::KeyKind;
using leaderboards::LeaderboardRecord;
using leaderboards::MatchResult;
using leaderboards::PlayerId;
using leaderboards::Rule;
using leaderboards::Season;
using leaderboards::SeasonId;
using leaderboards::Standing;

namespace {

Result<void> check_time(const Target& target, Timestamp now, Timestamp achieved_at) {
  const auto invalid = [](std::string detail) { return fail(Code::invalid, std::move(detail), "achievedAt"); };
  if (achieved_at.ms > now.ms + kMaxClockSkew.count()) return invalid("must not be more than 5 minutes in the future");
  if (target.opened == nullptr) return {};
  const auto& [id, start, end] = std::tie(target.opened->id, target.opened->start, target.opened->end);
  if (start && achieved_at < *start) {
    return invalid("must not be before the start of season " + std::to_string(id.value) + ", " +
                   format_timestamp(*start));
  }
  if (end && achieved_at >= *end) {
    return invalid("must be before the end of season " + std::to_string(id.value) + ", " + format_timestamp(*end));
  }
  return {};
}

Result<void> check_season(const Target& target, Timestamp now) {
  const Definition& definition = target.record->definition;
  const std::string name = "season " + std::to_string(target.board.id.season.value);
  if (definition.key == KeyKind::packed && (target.opened == nullptr || !target.opened->start)) {
    return fail(Code::conflict, name + " must be opened with a start first: packed keys count seconds from it",
                "seasonId");
  }
  if (target.opened == nullptr) {
    if (target.record->seasons.size() < kMaxSeasons) return {};
    return fail(Code::conflict, "the leaderboard has 10000 seasons already, the most there can be", "seasonId");
  }
  if (target.opened->state != leaderboards::SeasonState::open) return fail(season_is_closed(target.opened->id));
  if (target.opened->end && now.ms - target.opened->end->ms >= definition.grace.count()) {
    return fail(Code::conflict, name + " ended at " + format_timestamp(*target.opened->end) + " and its grace is over",
                "seasonId");
  }
  return {};
}

Result<std::int64_t> scaled_points(const Definition& definition, Decimal written) {
  auto points = to_scaled(written, definition.scale);
  if (!points) return fail(points.error().code, points.error().detail, "points");
  const std::int64_t most = leaderboards::most_points(definition);
  if (*points < definition.min_points || *points > most) {
    return fail(Code::invalid,
                "must be " + format_scaled(definition.min_points, definition.scale) + ".." +
                    format_scaled(most, definition.scale),
                "points");
  }
  return points;
}

}  // namespace

Error season_is_closed(SeasonId season) {
  return {Code::conflict, "season " + std::to_string(season.value) + " is closed and takes no more results", "seasonId",
          std::nullopt};
}

Target::Target(std::shared_ptr<const LeaderboardRecord> of, SeasonId season)
    : record(std::move(of)),
      opened(leaderboards::find_season(*record, season)),
      board(board_of(record->definition, opened != nullptr ? *opened : Season{season, std::nullopt, std::nullopt})),
      codec(board) {}

Result<void> check_against(const Target& target, Timestamp now, Accepted& accepted) {
  if (const auto open = check_season(target, now); !open) return open;
  const auto points = scaled_points(target.record->definition, accepted.points);
  if (!points) return fail(points.error());
  if (const auto timely = check_time(target, now, accepted.result.achieved_at); !timely) return timely;
  const auto extra = leaderboards::pack_criteria(target.record->definition, accepted.criteria);
  if (!extra) return fail(extra.error());
  // The key is made of the standing; that of a sum is known at the commit only, so here just its time is tried.
  const Standing tried{target.board.rule == Rule::sum ? 0 : *points, accepted.result.achieved_at, *extra};
  if (const auto key = target.codec.encode(tried); !key) return fail(key.error());
  accepted.result.points = *points;
  accepted.result.extra = *extra;
  return {};
}

Timestamp Validator::achieved_at(const Submission& submission) const {
  return submission.achieved_at.value_or(submission.sent_at.value_or(now_));
}

Result<std::int64_t> Validator::season_of(const Submission& submission) {
  if (submission.season_id) return *submission.season_id;
  const Timestamp at = achieved_at(submission);
  auto known = current_.find(submission.leaderboard);
  if (known == current_.end()) {
    auto record = catalogue_.find(submission.leaderboard);
    if (!record) return fail(std::move(record).error());
    const auto season = season_at(**record, at);
    known = current_.emplace(submission.leaderboard, Current{*std::move(record), season}).first;
  }
  Current& current = known->second;
  if (!current.at.span.contains(at)) current.at = season_at(*current.record, at);
  return current.at.season.value;
}

Result<std::shared_ptr<const Target>> Validator::target_of(const Submission& submission) {
  const auto season = season_of(submission);
  if (!season) return fail(season.error());
  const auto is_wanted = [&](const auto& known) {
    return known.first == submission.leaderboard && known.second == *season;
  };
  if (last_ != nullptr && is_wanted(last_->first)) return last_->second;
  const auto [place, is_new] = targets_.try_emplace({submission.leaderboard, *season});
  if (is_new || !place->second) {
    auto record = catalogue_.find(submission.leaderboard);
    if (!record) return fail(std::move(record).error());
    const auto id = SeasonId::from(*season);
    if (!id) return fail(id.error());
    place->second = std::make_shared<const Target>(*std::move(record), *id);
  }
  last_ = &*place;
  return place->second;
}

Result<Accepted> Validator::accept(const Submission& submission) {
  auto target = target_of(submission);
  if (!target) return fail(std::move(target).error());
  auto player = PlayerId::parse(submission.player_id);
  if (!player) return fail(std::move(player).error());
  const Board& board = (*target)->board;
  MatchResult result{board.id.leaderboard,
                     submission.match_id ? *submission.match_id : new_uuid_v7(now_, random_),
                     *std::move(player),
                     board.id.season,
                     0,
                     achieved_at(submission)};
  Accepted accepted{
      *std::move(target), submission.points,  submission.match_id.has_value(), submission.achieved_at.has_value(),
      std::move(result),  submission.criteria};
  if (const auto valid = check_against(*accepted.target, now_, accepted); !valid) return fail(valid.error());
  return accepted;
}

}  // namespace scoreline::ingest
