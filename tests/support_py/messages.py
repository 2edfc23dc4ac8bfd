"""Messages as game servers and their mistakes send them, and what must become of each: told without the program."""

import collections
import dataclasses
import datetime
import json
import random
import uuid
import zlib

from recount import BOARDS, SEASON_START, Result, second

MAIN = BOARDS[0]
CLOSED_SEASON = {"id": 11, "start": "2024-10-01T00:00:00Z", "end": "2025-09-01T00:00:00Z"}
PLAYERS = [f"player {i}" for i in range(500)] + ["漢字", "<b>", "a/b", "{s12}"]
KEPT_BYTES = 4096
START = int(datetime.datetime.fromisoformat(SEASON_START.replace("Z", "+00:00")).timestamp())
SENT_AT = 1_760_000_000_000  # milliseconds, in the season; each message of a topic a second later


@dataclasses.dataclass(frozen=True)
class Refused:
    """A dead letter as it must be."""

    partition: int
    offset: int
    sent_at: int
    value: bytes | None  # as it is kept: cut
    size: int
    code: str
    field: str


def encoded(result, **changed):
    named = {} if result.board is MAIN else {"leaderboard": result.board.name}
    body = {key: value for key, value in (result.as_json() | named | changed).items() if value is not None}
    return json.dumps(body, ensure_ascii=False).encode()


# What is wrong with a result: its value, and the code and field of the reason.
POISON = {
    "null": lambda result: (None, "unreadable", ""),
    "empty": lambda result: (b"", "unreadable", ""),
    "no JSON": lambda result: (b"points: 12", "unreadable", ""),
    "cut off": lambda result: (encoded(result)[:-5], "unreadable", ""),
    "bad UTF-8": lambda result: (encoded(result, playerId="xyz").replace(b"xyz", b"x\xc3\x28z"), "unreadable", ""),
    "deep": lambda result: (b"[" * 30_000 + b"]" * 30_000, "unreadable", ""),
    "1 MB": lambda result: (encoded(result) + b" " * 1_000_000, "too_large", ""),
    "a list": lambda result: (b"[" + encoded(result) + b"]", "invalid", ""),
    "points as text": lambda result: (encoded(result, points="12"), "invalid", "points"),
    "a list for a player": lambda result: (encoded(result, playerId=["a"]), "invalid", "playerId"),
    "no player": lambda result: (encoded(result, playerId=None), "invalid", "playerId"),
    "a match that is none": lambda result: (encoded(result, matchId="the final"), "invalid", "matchId"),
    "an unknown field": lambda result: (encoded(result, score=3), "invalid", "score"),
    "an unknown leaderboard": lambda result: (encoded(result, leaderboard="nowhere"), "not_found", "leaderboard"),
    "a closed season": lambda result: (encoded(result, seasonId=11, leaderboard="main",
                                               achievedAt="2025-01-01T00:00:00Z"), "conflict", "seasonId"),
    "points below all": lambda result: (encoded(result, points=-1), "invalid", "points"),
    "points above all": lambda result: (encoded(result, points=2**63), "invalid", "points"),
    "the future": lambda result: (encoded(result, achievedAt="2199-01-01T00:00:00Z"), "invalid", "achievedAt"),
}


class Traffic:
    """So many messages for a new topic: `messages` to produce, in order; the `results` that count; `refused`, by
    partition and offset. Of the results of one match and player the first one counts."""

    def __init__(self, seed, count, partitions=4, poison=0.02, conflicts=0.02):
        self.chance = random.Random(seed)
        self.messages = []
        self.results = []
        self.refused = {}
        self.places = {}  # of each result with a match: partition and offset where it comes first
        self.duplicates = 0
        self.ends = collections.Counter()
        self.partitions = partitions
        self.add(count, poison, conflicts)

    def add(self, count, poison=0.02, conflicts=0.02):
        """So many more; the new ones."""
        before = len(self.messages)
        kinds = list(POISON.values())
        for number in range(count):
            what = self.chance.random()
            if what < poison:
                self.add_poison(kinds[len(self.refused) % len(kinds)])
                continue
            repeats = self.results and what < poison + conflicts + 0.1
            earlier = self.chance.choice(self.results[-2_000:]) if repeats else None
            if earlier is None or earlier.match is None:
                self.add_result(number)
            elif what < poison + conflicts:
                self.add_conflict(earlier)
            else:
                self.add_again(earlier)
        return self.messages[before:]

    def partition_of(self, player):
        return zlib.crc32(player.encode()) % self.partitions

    def put(self, player, value):
        """The partition and offset that it will have, and its time."""
        partition = self.partition_of(player)
        sent_at = SENT_AT + 1000 * len(self.messages)
        self.messages.append((partition, player.encode(), value, sent_at))
        offset = self.ends[partition]
        self.ends[partition] += 1
        return partition, offset, sent_at

    def refuse(self, player, value, code, field):
        partition, offset, sent_at = self.put(player, value)
        kept, size = (None, 0) if value is None else (value[:KEPT_BYTES], len(value))
        self.refused[partition, offset] = Refused(partition, offset, sent_at, kept, size, code, field)

    def made_up(self):
        return Result(self.chance.choice(BOARDS), str(uuid.UUID(int=self.chance.getrandbits(128), version=4)),
                      self.chance.choice(PLAYERS), self.chance.randrange(1, 1_000_000),
                      second(self.chance.randrange(8_000_000)))

    def add_result(self, number):
        result = self.made_up()
        left_out = {}
        if number % 50 == 0:  # without a match: it cannot come again
            left_out["matchId"] = None
            result = dataclasses.replace(result, match=None)
        if number % 7 == 0:  # without a time: it is that of the message
            left_out["achievedAt"] = None
            seconds = SENT_AT // 1000 + len(self.messages) - START
            result = dataclasses.replace(result, achieved_at=second(seconds))
        partition, offset, _ = self.put(result.player, encoded(result, **left_out))
        self.results.append(result)
        if result.match is not None:
            self.places[partition, offset] = result

    def add_again(self, result):
        self.put(result.player, encoded(result))
        self.duplicates += 1

    def add_conflict(self, result):
        changed = {"points": result.points + self.chance.choice((1, 500_000))} if self.chance.random() < 0.7 else \
            {"achievedAt": second(8_000_001)}
        self.refuse(result.player, encoded(result, **changed), "conflict", "matchId")

    def add_poison(self, kind):
        result = self.made_up()
        self.refuse(result.player, *kind(result))

    def __str__(self):
        return (f"{len(self.messages)} messages: {len(self.results)} results, {self.duplicates} sent again, "
                f"{len(self.refused)} refused")


def in_any_order(traffic):
    """The same messages over the partitions whatever their keys: those of one player pass each other."""
    order = list(traffic.messages)
    traffic.chance.shuffle(order)
    return [(number % traffic.partitions, *message[1:]) for number, message in enumerate(order)]
