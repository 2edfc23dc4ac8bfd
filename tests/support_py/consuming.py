"""Nodes that take results from a topic of a real broker, and what their ledger and boards must have in the end."""

import collections
import itertools
import re
import shutil
import sqlite3
import tempfile
import threading
import time
import uuid

from load import wait_for_board
from messages import CLOSED_SEASON, START, Refused
from nodes import Nodes
from recount import BOARDS, SEASON, Result, ledger_of, ranking, second
from scoreline import wait_until

# Who is gone or stands still is found out soon. The broker allows no shorter session.
SESSION = 3  # seconds; also the longest pause between two polls
QUICK = f"session.timeout.ms={SESSION}000,max.poll.interval.ms={SESSION}000,heartbeat.interval.ms=500"
DEAD_LETTERS = "select partition, \"offset\", sent_at, {}, size, code, field from dead_letters where topic = '{}'"
TOPICS = itertools.count()


class Consuming:
    """`stores`: None for one node over its own folder. As a context it starts the nodes, with every board defined."""

    def __init__(self, broker, stores, folder, mode="ledger-first", count=1, partitions=4, make_topic=True, more=()):
        self.broker = broker
        self.postgres = stores[0] if stores else None
        self.topic = self.group = f"results-{next(TOPICS)}"
        self.partitions = partitions
        self.groups = [self.group] + ([f"{self.group}-leaderboard"] if mode == "parallel" else [])
        if make_topic:
            self.make_topic()
        self.nodes = Nodes(stores, folder / self.topic, count, more=(
            "--kafka", broker.address, "--topic", self.topic, "--kafka-group", self.group, "--kafka-mode", mode,
            "--kafka-settings", QUICK, *more))
        self.folder = folder / self.topic / "node0"
        self.define()

    def make_topic(self):
        self.broker.create_topic(self.topic, self.partitions)

    @property
    def servers(self):
        return self.nodes.servers

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.nodes.__exit__()

    def define(self):
        """Every board, at every node, and a season that is over."""
        main = BOARDS[0]
        for board in BOARDS:
            for method, path, body in (("PUT", board.path, board.definition),
                                       ("POST", f"{board.path}/seasons", board.season),
                                       ("POST", f"{board.path}/seasons", CLOSED_SEASON if board is main else None)):
                if body:
                    status, _, answer = self.servers[0].request(method, path, body)
                    assert status in (200, 201), answer
        for server in self.servers:
            for board in BOARDS:
                wait_until(lambda s=server, b=board: s.request("GET", b.path)[0] == 200, 10, "the definition")
            wait_until(lambda s=server: s.get(f"{main.path}/seasons")["seasons"], 10, "the season")

    def lag(self):
        return sum(self.broker.lag(group, self.topic) for group in self.groups)

    def committed(self):
        """How many messages, by the group that counts."""
        return sum(self.broker.committed(self.group, self.topic).values())

    def drained(self, traffic, within=60):
        """Waits until every message is behind the groups."""
        wait_until(lambda: sum(self.broker.ends(self.topic).values()) == len(traffic.messages) and self.lag() == 0,
                   within, f"no lag; it is {self.lag()}, committed {self.broker.committed(self.group, self.topic)}; "
                   f"logs: {[server.log_text()[-600:] for server in self.servers]}")

    # What the stores have, read past the program.

    def rows(self, query):
        """Of SQLite: of a copy, so that nothing is recovered in its place."""
        with tempfile.TemporaryDirectory(prefix="scoreline-copy-") as copy:
            for name in ("ledger.sqlite", "ledger.sqlite-wal"):
                if (self.folder / name).exists():
                    shutil.copy(self.folder / name, copy)
            connection = sqlite3.connect(f"{copy}/ledger.sqlite")
            try:
                return connection.execute(query).fetchall()
            finally:
                connection.close()

    def ledger(self):
        """Every result of the season."""
        if self.postgres:
            return ledger_of(self.postgres)
        boards = {board.name: board for board in BOARDS}
        rows = self.rows("select leaderboard, match_id, player_id, points, achieved_at from match_results "
                         f"where season_id = {SEASON}")
        return [Result(boards[board], str(uuid.UUID(bytes=match)), player, points, second(at // 1000 - START))
                for board, match, player, points, at in rows]

    def dead_letters(self):
        if not self.postgres:
            return [Refused(*row) for row in self.rows(DEAD_LETTERS.format("value", self.topic))]
        query = DEAD_LETTERS.format("coalesce(encode(value, 'hex'), 'null')", self.topic)
        text = self.postgres.query(query, check=True)
        letters = []
        for line in text.splitlines():
            partition, offset, sent_at, value, size, code, field = line.split("|")
            value = None if value == "null" else bytes.fromhex(value)
            letters.append(Refused(int(partition), int(offset), int(sent_at), value, int(size), code, field))
        return letters

    def check_committed(self, traffic):
        """No offset is ahead of the ledger and the dead letters: first it is asked for, then they are looked at."""
        committed = self.broker.committed(self.group, self.topic)
        kept = {(result.board, result.match, result.player) for result in self.ledger()}
        put_aside = {(letter.partition, letter.offset) for letter in self.dead_letters()}
        for (partition, offset), result in traffic.places.items():
            if offset < committed.get(partition, 0):
                assert (result.board, result.match, result.player) in kept, \
                    f"{partition}:{offset} of {committed} is lost"
        for at, letter in traffic.refused.items():
            if letter.offset < committed.get(letter.partition, 0):
                assert at in put_aside, f"{letter} of {committed} is no dead letter"
        return sum(committed.values())

    def check_end(self, traffic, within=20):
        """Each result once in the ledger, each message that cannot be taken among the dead letters, and all boards."""
        self.check_ledger(traffic.results)
        letters = {(letter.partition, letter.offset): letter for letter in self.dead_letters()}
        assert letters.keys() == traffic.refused.keys(), \
            f"missing {list(traffic.refused.keys() - letters.keys())[:5]}, " \
            f"too many {[letters[at] for at in list(letters.keys() - traffic.refused.keys())[:5]]}"
        wrong = [(letters[at], right) for at, right in traffic.refused.items() if letters[at] != right]
        assert not wrong, f"{len(wrong)} dead letters, the first and as it must be: {wrong[0]}"
        self.check_boards(traffic.results, within)

    def check_ledger(self, results):
        right = collections.Counter(content(result, result.match) for result in results if result.match)
        made = collections.Counter(content(result, None) for result in results if not result.match)
        for result in self.ledger():
            known = content(result, result.match)
            if known in right:
                right[known] -= 1
            else:
                made[content(result, None)] -= 1
        missing = [*(+right), *(+made)]
        foreign = [*(-right), *(-made)]
        assert not missing and not foreign, \
            f"{len(missing)} results are missing: {missing[:3]}; {len(foreign)} too many: {foreign[:3]}"

    def check_boards(self, results, within=20):
        for board in BOARDS:
            expected = ranking(board, results)
            for number, server in enumerate(self.servers):
                wait_for_board(server, board, expected, within, f"node {number}")

    def metric(self, name, server=0):
        """The sum over all labels."""
        text = self.servers[server].get("/metrics").decode()
        return sum(float(line.rpartition(" ")[2]) for line in text.splitlines() if re.match(rf"{name}[{{ ]", line))


def content(result, match):
    return result.board.name, match, result.player, result.points, result.achieved_at


class Producing:
    """Produces in the background, evenly over so many seconds."""

    def __init__(self, consuming, traffic, seconds):
        self.consuming = consuming
        self.traffic = traffic
        self.seconds = seconds
        self.failure = None
        self.thread = threading.Thread(target=self.run)

    def run(self):
        pieces = max(1, int(self.seconds / 0.1))
        size = -(-len(self.traffic.messages) // pieces)
        begin = time.monotonic()
        try:
            for number in range(pieces):
                piece = self.traffic.messages[number * size:(number + 1) * size]
                self.consuming.broker.produce(self.consuming.topic, piece)
                time.sleep(max(0.0, begin + (number + 1) * 0.1 - time.monotonic()))
        except Exception as error:  # pylint: disable=broad-except
            self.failure = error

    def __enter__(self):
        self.thread.start()
        return self

    @property
    def goes_on(self):
        return self.thread.is_alive()

    def __exit__(self, *_):
        self.thread.join()
        assert self.failure is None, self.failure
