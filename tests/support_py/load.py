"""Results and readers under way against several servers while something fails, and what must hold of every answer.

Writers note which results were answered with 200. Readers hold every answer against what was answered before they asked
and what was sent before they were told: a board that is old, empty, or counts twice is between no such bounds.
"""

import collections
import http.client
import json
import os
import random
import threading
import time
import uuid

from recount import BOARDS, Entry, Result, ledger_of, ranking, second
from scoreline import quote, wait_until

PLAYERS = [f"player {i}" for i in range(120)] + ["漢字", "<b>", "a/b", "{s12}"]
LONGEST_ANSWER = 12  # seconds; what is slower hangs
KEPT_TOP = 1.5  # seconds for which a top may be shown again without asking, with some room
ON_THE_WAY = 0.1  # seconds that a request may take to be heard
WRITERS = 3
READERS = 2


class Wrong(Exception):
    """An answer that must not be."""


class Bounds:
    """Points by board and player: as answered (at least these), and as sent (at most these)."""

    def __init__(self):
        self.answered = {board: {} for board in BOARDS}
        self.sent = {board: {} for board in BOARDS}
        self.lock = threading.Lock()

    def add(self, to, results):
        with self.lock:
            for result in results:
                points = to[result.board]
                points[result.player] = result.board.fold(points.get(result.player), result.points)

    def copy(self, which, board):
        with self.lock:
            return dict(which[board])


class Client:
    """The connections of one thread."""

    def __init__(self, load):
        self.load = load
        self.connections = {}

    def ask(self, node, method, path, body=None):
        """(status, body) of one request; None when the server ended and that was to be expected."""
        server = self.load.servers[node]
        begin = time.monotonic()
        try:
            connection = self.connections.get(server)
            if connection is None:
                connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=LONGEST_ANSWER)
                self.connections[server] = connection
            connection.request(method, path, json.dumps(body).encode() if body else None,
                               {"Content-Type": "application/json"} if body else {})
            answer = connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.connections.pop(server).close()
            if self.load.is_ending(server, begin):
                return None
            raise Wrong(f"no answer from node {node} in {time.monotonic() - begin:.1f} s: {error!r}") from error
        self.load.slowest = max(self.load.slowest, time.monotonic() - begin)
        return answer.status, self.load.checked(answer, text)

    def close(self):
        for connection in self.connections.values():
            connection.close()


class Load:
    """`refusals`: the statuses that may be answered besides what is asked for. `sends_again`: whether writers but the
    first send what was not answered again."""

    def __init__(self, servers, refusals=(503,), sends_again=True):
        self.servers = servers
        self.refusals = refusals
        self.sends_again = sends_again
        self.seed = os.environ.get("SCORELINE_TEST_SEED") or random.randrange(1 << 32)
        print(f"seed {self.seed}")
        self.bounds = Bounds()
        self.answered = []
        self.sent = []
        self.refused = collections.Counter()  # by "results" and "reads"
        self.served = collections.Counter()  # by node, board, and "results" or "reads"
        self.codes = collections.Counter()
        self.slowest = 0.0
        self.ending = {}  # server: since when it may end
        self.wrong = []
        self.stopped = threading.Event()
        self.threads = []
        self.begin()

    def begin(self):
        client = Client(self)
        for board in BOARDS:
            for path, body in ((board.path, board.definition), (f"{board.path}/seasons", board.season)):
                if body:
                    status, answer = client.ask(0, "POST" if body is board.season else "PUT", path, body)
                    assert status in (200, 201), answer
            for node in range(len(self.servers)):
                wait_until(lambda n=node, b=board: client.ask(n, "GET", b.path)[0] == 200, 10, "the definition")
        client.close()

    def checked(self, answer, text):
        body = json.loads(text)
        if answer.status < 400 or answer.status == 404:
            return body
        self.codes[body.get("code")] += 1
        if answer.status not in self.refusals:
            raise Wrong(f"{answer.status}: {body}")
        if "problem+json" not in answer.headers["Content-Type"] or body["status"] != answer.status or not body["code"]:
            raise Wrong(f"no problem: {answer.headers['Content-Type']} {body}")
        if int(answer.headers["Retry-After"] or 0) < 1:
            raise Wrong(f"{answer.status} without Retry-After: {body}")
        return body

    def may_end(self, server, orderly=False):
        """From now on requests to `server` may stay without an answer; `orderly`: only those that it gets from now."""
        self.ending[server] = time.monotonic() - ON_THE_WAY if orderly else 0

    def is_ending(self, server, asked):
        return asked > self.ending.get(server, float("inf"))

    def __enter__(self):
        for number in range(WRITERS):
            self.start(self.write, Client(self), random.Random(f"{self.seed} w{number}"),
                       self.sends_again and number > 0)
        for number in range(READERS):
            self.start(Reader(self, random.Random(f"{self.seed} r{number}")).read)
        self.goes_on()
        return self

    def start(self, work, *arguments):
        def run():
            while not self.stopped.is_set():
                try:
                    work(*arguments)
                except Exception as error:  # pylint: disable=broad-except
                    self.wrong.append(error)
                time.sleep(0.005)
        self.threads.append(threading.Thread(target=run, daemon=True))
        self.threads[-1].start()

    def __exit__(self, *_):
        self.stopped.set()
        for thread in self.threads:
            thread.join(2 * LONGEST_ANSWER)
            assert not thread.is_alive()
        print(f"{len(self.sent)} results sent, {len(self.answered)} answered; refused: {dict(self.refused)} "
              f"{dict(self.codes)}; slowest answer {self.slowest:.1f} s")

    def write(self, client, chance, sends_again):
        board = chance.choice(BOARDS)
        results = [Result(board, str(uuid.UUID(int=chance.getrandbits(128), version=4)), chance.choice(PLAYERS),
                          chance.randrange(1, 1_000), second(chance.randrange(40)))
                   for _ in range(chance.choice((1, 1, 3, 40)))]
        with self.bounds.lock:
            self.sent += results
        self.bounds.add(self.bounds.sent, results)
        single = len(results) == 1
        body = results[0].as_json() if single else {"results": [result.as_json() for result in results]}
        while not self.stopped.is_set():
            node = chance.randrange(len(self.servers))
            known = self.bounds.copy(self.bounds.answered, board)
            answer = client.ask(node, "POST", f"{board.path}/results", body)
            if answer and answer[0] == 200:
                with self.bounds.lock:
                    self.answered += results
                self.check_receipt(answer[1], results, known)
                self.bounds.add(self.bounds.answered, results)
                self.served[node, board.name, "results"] += 1
                return
            if answer and answer[0] == 404:
                raise Wrong(f"404: {answer[1]}")
            self.refused["results"] += 1
            if not sends_again:
                return  # nobody will ever know, but the ledger
            time.sleep(0.1)

    @staticmethod
    def check_receipt(body, results, known):
        if len(results) > 1:
            if body["rejected"] or body["improved"] + body["unchanged"] + body["duplicate"] != len(results):
                raise Wrong(f"{len(results)} results: {body}")
            return
        result = results[0]
        least = result.board.fold(known.get(result.player), result.points)
        if body["rank"] is None or not result.board.is_as_good(body["points"], least):
            raise Wrong(f"{result} was answered {body}; the player had {known.get(result.player)}")

    def check(self):
        assert not self.wrong, f"{len(self.wrong)} wrong answers, the first: {self.wrong[0]}"

    def goes_on(self, within=15):
        """Waits until every server takes results and answers reads on every board."""
        before = self.served.copy()
        wanted = [(node, board.name, kind) for node in range(len(self.servers)) for board in BOARDS
                  for kind in ("results", "reads")]
        wait_until(lambda: self.wrong or all(self.served[each] > before[each] for each in wanted), within,
                   f"answers again; so far {self.served - before}")
        self.check()

    def refuses(self, kind="results", times=1, within=10):
        """Waits until the fault shows."""
        wanted = self.refused[kind] + times
        wait_until(lambda: self.wrong or self.refused[kind] >= wanted, within, f"{kind} are refused")
        self.check()

    def reads_go_on(self):
        """Every board is read at every server, and nothing of that is refused."""
        refused, served = self.refused["reads"], self.served.copy()
        wanted = [(node, board.name, "reads") for node in range(len(self.servers)) for board in BOARDS]
        wait_until(lambda: self.wrong or all(self.served[each] > served[each] + 1 for each in wanted), 15, "reads")
        assert self.refused["reads"] == refused, f"{self.refused['reads'] - refused} reads were refused"
        self.check()

    def check_end(self, postgres, within=15):
        """The ledger has what was answered and nothing that was not sent, and all servers show just that."""
        self.check()
        stored = ledger_of(postgres)
        lost = set(self.answered) - set(stored)
        assert not lost, f"{len(lost)} answered results are lost, e.g. {next(iter(lost))}"
        foreign = set(stored) - set(self.sent)
        assert not foreign, f"{len(foreign)} results that nobody sent, e.g. {next(iter(foreign))}"
        assert len(stored) == len(set(stored)), "a result is there twice"
        print(f"{len(stored) - len(self.answered)} results are kept that were not answered")
        for board in BOARDS:
            expected = ranking(board, stored)
            for number, server in enumerate(self.servers):
                wait_for_board(server, board, expected, within, f"node {number}")


def whole_board(server, board):
    """All entries, page by page; None while the board is not there, or still moves."""
    path = f"{board.season_path}/ranks?limit=50"
    entries = []
    while True:
        status, headers, body = server.request("GET", path + (f"&cursor={quote(body['next'])}" if entries else ""))
        assert status == 200 or (status == 503 and headers["Retry-After"]), f"{status}: {body}"
        if status == 503:
            return None
        if [entry["rank"] for entry in body["entries"]] != \
                list(range(len(entries) + 1, len(entries) + 1 + len(body["entries"]))):
            return None
        entries += map(Entry.of, body["entries"])
        if body["next"] is None:
            return entries if body["players"] == len(entries) else None


def wait_for_board(server, board, expected, within, where):
    end = time.monotonic() + within
    while (shown := whole_board(server, board)) != expected:
        if time.monotonic() > end:
            wrong = [pair for pair in zip(shown or [], expected) if pair[0] != pair[1]]
            raise AssertionError(f"{where}, {board.name}: {len(shown or [])} players instead of {len(expected)}; shown "
                                 f"and right: {wrong[:3]}")
        time.sleep(0.1)
    for number, entry in enumerate(expected):
        if number % 17 == 0:
            place = server.get(f"{board.season_path}/players/{quote(entry.player)}")
            assert (place["rank"], Entry.of(place)) == (number + 1, entry), f"{place} instead of {number + 1}, {entry}"


class Reader:
    """Asks for everything there is to read, one thing after the other."""

    def __init__(self, load, chance):
        self.load = load
        self.chance = chance
        self.client = Client(load)
        self.known = collections.deque()  # of the last seconds: when, and what was answered until then

    def read(self):
        board = self.chance.choice(BOARDS)
        node = self.chance.randrange(len(self.load.servers))
        bounds = self.load.bounds
        known = {each: bounds.copy(bounds.answered, each) for each in BOARDS}
        self.known.append((time.monotonic(), known))
        while len(self.known) > 1 and self.known[1][0] < time.monotonic() - KEPT_TOP:
            self.known.popleft()
        look = self.chance.choice((self.range, self.top, self.player, self.around, self.friends))
        if not look(node, board, known[board]):
            self.load.refused["reads"] += 1
            time.sleep(0.05)
            return
        self.load.served[node, board.name, "reads"] += 1

    def ask(self, node, board, rest, body=None):
        """The answer, None when it is refused, and what was sent until it came."""
        answer = self.client.ask(node, "POST" if body else "GET", f"{board.season_path}/{rest}", body)
        sent = self.load.bounds.copy(self.load.bounds.sent, board)
        return (answer[1] if answer and answer[0] in (200, 404) else None), sent

    def range(self, node, board, known):
        page, sent = self.ask(node, board, "ranks?limit=1000")
        return page and self.check_whole(board, page, known, sent)

    def top(self, node, board, known):
        del known
        at, before = self.known[0]
        if at > time.monotonic() - KEPT_TOP:
            before = {each: {} for each in BOARDS}
        page, sent = self.ask(node, board, f"top?limit={self.chance.choice((1000, 100))}")
        return page and self.check_page(board, page["entries"], before[board], sent)

    def player(self, node, board, known):
        player = self.chance.choice(PLAYERS)
        place, sent = self.ask(node, board, f"players/{quote(player)}")
        if place and "rank" in place:
            return self.check_entry(board, place, known, sent)
        if place and player in known:
            raise Wrong(f"{player} is on {board.name}, and was answered {place}")
        return place

    def around(self, node, board, known):
        player = self.chance.choice(PLAYERS)
        page, sent = self.ask(node, board, f"players/{quote(player)}/around?radius=5")
        if not page:
            return False
        if player in known and all(entry["playerId"] != player for entry in page["entries"]):
            raise Wrong(f"{player} is on {board.name}, and not among those around: {page}")
        return self.check_page(board, page["entries"], known, sent)

    def friends(self, node, board, known):
        asked = self.chance.sample(PLAYERS, 10)
        page, sent = self.ask(node, board, "players:rank", {"playerIds": asked})
        if not page:
            return False
        if absent := [player for player in page["absent"] if player in known]:
            raise Wrong(f"{absent} are on {board.name}, and absent among friends")
        return all(self.check_entry(board, entry, known, sent) for entry in page["entries"])

    def check_whole(self, board, page, known, sent):
        shown = {entry["playerId"] for entry in page["entries"]}
        if page["players"] != len(shown) or known.keys() - shown:
            raise Wrong(f"{board.name} shows {len(shown)} of {page['players']} players, and {len(known)} have results")
        return self.check_page(board, page["entries"], known, sent)

    def check_page(self, board, entries, known, sent):
        for above, below in zip(entries, entries[1:]):
            if below["rank"] != above["rank"] + 1 or not board.is_above(Entry.of(above), Entry.of(below)):
                raise Wrong(f"{above} is above {below} on {board.name}")
        return all(self.check_entry(board, entry, known, sent) for entry in entries)

    @staticmethod
    def check_entry(board, entry, known, sent):
        """Points and rank lie between what was answered and what was sent."""
        player, points, rank = entry["playerId"], entry["points"], entry["rank"]
        worst, best = known.get(player), sent.get(player)
        if best is None or not board.is_as_good(best, points) or \
                (worst is not None and not board.is_as_good(points, worst)):
            raise Wrong(f"{entry} on {board.name}: {worst} were answered, {best} were sent")
        above = sum(1 for other in known.values() if not board.is_as_good(points, other))
        level = sum(1 for name, other in sent.items() if name != player and board.is_as_good(other, points))
        if not 1 + above <= rank <= 1 + level:
            raise Wrong(f"{entry} on {board.name}: the rank is within {1 + above} and {1 + level}")
        return True
