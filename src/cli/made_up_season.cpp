#include "cli/made_up_season.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "base/uuid.h"

namespace scoreline::cli {
namespace {

constexpr std::array<std::string_view, 40> kGivenNames{
    "Amara",  "Bjørn",  "Chiara",  "Davit",  "Elif",   "Farid", "Gwen",    "Hana",  "Ingrid",  "João",
    "Kwame",  "Leila",  "Mateo",   "Ngozi",  "Oskar",  "Priya", "Quentin", "Rania", "Søren",   "Tomás",
    "Ulrike", "Viktor", "Wanjiru", "Ximena", "Yusuf",  "Zofia", "Aiko",    "Bruno", "Camille", "Dmytro",
    "Eva",    "Finn",   "Giulia",  "Haruto", "Isabel", "Jun",   "Katya",   "Luca",  "Mei",     "Nikhil"};
constexpr std::array<std::string_view, 40> kFamilyNames{
    "Adeyemi",  "Bauer",     "Castillo", "Dubois",   "Eriksen", "Fontaine",  "García",  "Haddad", "Ivanova", "Jansen",
    "Kowalski", "Lindqvist", "Moreau",   "Nakamura", "Okafor",  "Petrov",    "Quispe",  "Rossi",  "Şahin",   "Tanaka",
    "Uribe",    "Virtanen",  "Weber",    "Xu",       "Yılmaz",  "Zielinski", "Almeida", "Brandt", "Costa",   "Demir",
    "Eze",      "Ferrari",   "Gupta",    "Horváth",  "Iyer",    "Jovanović", "Kim",     "Larsen", "Müller",  "Novák"};

}  // namespace

MadeUpSeason::MadeUpSeason(const Clock& clock, Random& random, const MadeUpSeasonOptions& options)
    : clock_(clock), random_(random), options_(options) {
  SCORELINE_CHECK(options.players >= 2 && options.smallest_match >= 1);
  SCORELINE_CHECK(options.smallest_match <= options.largest_match);
  std::set<std::string> taken;
  constexpr std::size_t kNames = kGivenNames.size() * kFamilyNames.size();
  while (players_.size() < options.players) {
    std::string name(kGivenNames[random_.below(kGivenNames.size())]);
    name.append(" ").append(kFamilyNames[random_.below(kFamilyNames.size())]);
    // Of more players than names, each has a number too.
    if (options.players > kNames) name.append(" ").append(std::to_string(players_.size() + 1));
    if (taken.insert(name).second) players_.push_back(std::move(name));
  }
}

std::vector<ingest::Submission> MadeUpSeason::next_match() {
  const bool again = options_.told_twice > 0 && !last_.empty() && random_.below(options_.told_twice) == 0;
  if (again) return std::exchange(last_, {});
  const std::size_t sizes = options_.largest_match - options_.smallest_match + 1;
  const std::size_t size = std::min<std::size_t>(options_.smallest_match + random_.below(sizes), players_.size());
  const std::size_t first = random_.below(players_.size() - size + 1);  // neighbours in the list are of like skill
  const Uuid match = new_uuid_v7(clock_.now(), random_);
  const std::uint64_t skill = 4 + 16 * (players_.size() - first) / players_.size();
  last_.clear();
  for (std::size_t i = 0; i < size; ++i) {
    ingest::Submission result;
    result.match_id = match;
    result.player_id = players_[first + i];
    result.season_id = options_.season;
    // The lower of two throws: many small scores and ties, a big one now and then.
    result.points = decimal_from(static_cast<std::int64_t>(1 + std::min(random_.below(skill), random_.below(skill))));
    result.achieved_at = clock_.now();
    last_.push_back(std::move(result));
  }
  return last_;
}

}  // namespace scoreline::cli
