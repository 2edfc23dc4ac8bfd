"""What boards must be, told the slow way: every result of them in a list, ranks by sorting."""

import dataclasses
import datetime
import functools

SEASON = 12
SEASON_START = "2025-10-01T00:00:00Z"


@dataclasses.dataclass(frozen=True, eq=False)
class Board:
    name: str
    rule: str
    definition: dict | None = None  # None: as it is from the start
    season: dict | None = None  # None: opened by its first result

    @property
    def descending(self):
        return self.rule != "least"

    @property
    def path(self):
        return f"/v1/leaderboards/{self.name}"

    @property
    def season_path(self):
        return f"{self.path}/seasons/{SEASON}"

    def is_as_good(self, points, other):
        return points >= other if self.descending else points <= other

    def fold(self, before, points):
        """The points of a player who had `before` (None: nothing)."""
        if before is None:
            return points
        if self.rule == "sum":
            return before + points
        return max(before, points) if self.rule == "best" else min(before, points)

    def is_above(self, one, other):
        if one.points != other.points:
            return (one.points > other.points) == self.descending
        if one.achieved_at != other.achieved_at:
            return one.achieved_at < other.achieved_at
        return (one.player > other.player) == self.descending


# Both kinds of keys, both orders, and one where counting a result twice shows.
BOARDS = (Board("main", "best"), Board("totals", "sum", {"rule": "sum"}),
          Board("laps", "least", {"rule": "least", "key": "packed"}, {"id": SEASON, "start": SEASON_START}))


@dataclasses.dataclass(frozen=True)
class Result:
    board: Board
    match: str
    player: str
    points: int
    achieved_at: str  # whole seconds, all at one offset: sorts as text

    def as_json(self):
        return {"matchId": self.match, "playerId": self.player, "seasonId": SEASON, "points": self.points,
                "achievedAt": self.achieved_at}


@dataclasses.dataclass(frozen=True)
class Entry:
    player: str
    points: int
    achieved_at: str

    @classmethod
    def of(cls, answered):
        return cls(answered["playerId"], answered["points"], answered["achievedAt"])


def second(number):
    """`number` seconds after the season's start."""
    start = datetime.datetime.fromisoformat(SEASON_START.replace("Z", "+00:00"))
    return (start + datetime.timedelta(seconds=number)).strftime("%Y-%m-%dT%H:%M:%SZ")


def standing(board, results):
    points = functools.reduce(board.fold, (result.points for result in results), None)
    if board.rule == "sum":  # points are never 0 here: the last one moved it
        return points, max(result.achieved_at for result in results)
    return points, min(result.achieved_at for result in results if result.points == points)


def ranking(board, results):
    """The whole board, the first one first."""
    by_player = {}
    for result in results:
        if result.board is board:
            by_player.setdefault(result.player, []).append(result)
    entries = [Entry(player, *standing(board, of_player)) for player, of_player in by_player.items()]
    return sorted(entries, key=functools.cmp_to_key(lambda one, other: -1 if board.is_above(one, other) else 1))


def ledger_of(postgres):
    """Every result that PostgreSQL keeps."""
    boards = {board.name: board for board in BOARDS}
    text = postgres.query(
        "select leaderboard, match_id, player_id, points, to_char(achieved_at at time zone 'UTC', "
        "'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') from match_results where season_id = 12 and not erased")
    results = []
    for line in text.splitlines():
        leaderboard, match, player, points, achieved_at = line.split("|")
        results.append(Result(boards[leaderboard], match, player, int(points), achieved_at))
    return results
