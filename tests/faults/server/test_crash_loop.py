"""A server that is killed at random moments under load: what it answered is there, once, and the boards agree.

SCORELINE_LONG=1 kills it 400 times instead of 50. The seed is printed; SCORELINE_TEST_SEED=N runs it again (the
moments then differ only by what the machine does in between).
"""

import csv
import http.client
import json
import os
import random
import threading
import time
import uuid

from scoreline import Server, run, run_json

KILLS = 400 if os.environ.get("SCORELINE_LONG") == "1" else 50
CLIENTS = 4
PLAYERS = [f"player {i}" for i in range(200)] + ["漢字", "<b>", "a/b"]
CONFIG = '[leaderboards.total]\nrule = "sum"\n'


class Client(threading.Thread):
    """Sends results and writes down what was answered, and what never was."""

    def __init__(self, port, seed):
        super().__init__(daemon=True)
        self.port = port
        self.random = random.Random(seed)
        self.answered = []
        self.open = []  # sent, the answer never came: both is right, there or not
        self.stopped = threading.Event()

    def some_results(self):
        count = self.random.choice((1, 1, 1, 3, 40))
        return [{"matchId": str(uuid.UUID(int=self.random.getrandbits(128), version=4)),
                 "playerId": self.random.choice(PLAYERS), "points": self.random.randrange(1_000), "seasonId": 1}
                for _ in range(count)]

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        while not self.stopped.is_set():
            leaderboard = self.random.choice(("main", "total"))
            results = self.some_results()
            told = [(leaderboard, result["matchId"], result["playerId"], result["points"]) for result in results]
            body = results[0] if len(results) == 1 else {"results": results}
            try:
                connection.request("POST", f"/v1/leaderboards/{leaderboard}/results", json.dumps(body).encode(),
                                   {"Content-Type": "application/json"})
                answer = connection.getresponse()
                text = answer.read()
            except (OSError, http.client.HTTPException):
                self.open += told
                return
            if answer.status == 200 and b"rejected\":[{" not in text:
                self.answered += told
            elif answer.status == 503:
                self.open += told
            else:
                raise AssertionError(f"{answer.status}: {text!r}")


def run_load(server, seconds, seed, end):
    """Clients at work for a while, then `end`; what was answered and what stayed open."""
    clients = [Client(server.port, f"{seed}-{i}") for i in range(CLIENTS)]
    for client in clients:
        client.start()
    time.sleep(seconds)
    end()
    for client in clients:
        client.stopped.set()
        client.join(30)
        assert not client.is_alive()
    return [r for c in clients for r in c.answered], [r for c in clients for r in c.open]


def stored_results(folder, data):
    stored = []
    for leaderboard in ("main", "total"):
        text = run("export", "-l", leaderboard, "--data", data, cwd=folder).stdout
        stored += [(leaderboard, row["match_id"], row["player_id"], int(row["points"]))
                   for row in csv.DictReader(text.splitlines())]
    return stored


def recount(stored):
    """Points per player by the plain meaning of `best` and `sum`."""
    boards = {"main": {}, "total": {}}
    for leaderboard, _, player, points in stored:
        before = boards[leaderboard].get(player)
        better = points if before is None else max(before, points) if leaderboard == "main" else before + points
        boards[leaderboard][player] = better
    return boards


def check(folder, data, answered, unanswered):
    stored = stored_results(folder, data)
    assert len(stored) == len(set(stored)), "a result is there twice"
    missing = set(answered) - set(stored)
    assert not missing, f"{len(missing)} answered results are lost, e.g. {next(iter(missing))}"
    foreign = set(stored) - set(answered) - set(unanswered)
    assert not foreign, f"results nobody sent: {foreign}"
    for leaderboard, points in recount(stored).items():
        board = run_json("top", "1000", "-l", leaderboard, "-s", "1", "--data", data, cwd=folder)
        assert {entry["playerId"]: entry["points"] for entry in board["entries"]} == points
        order = [entry["points"] for entry in board["entries"]]
        assert order == sorted(order, reverse=True)
    assert run_json("verify", "--data", data, cwd=folder)["results"] == len(stored)


def test_what_was_answered_survives_every_kill(tmp_path):
    seed = int(os.environ.get("SCORELINE_TEST_SEED", random.randrange(1 << 32)))
    print(f"seed {seed}")
    (tmp_path / "s.toml").write_text(CONFIG)
    chance = random.Random(seed)
    answered, unanswered = [], []
    for turn in range(KILLS):
        with Server(tmp_path / "data", "--config", tmp_path / "s.toml", "--log-level", "warn") as server:
            taken, left = run_load(server, chance.uniform(0.02, 0.7), f"{seed}-{turn}", server.kill)
        answered += taken
        unanswered += left
        if turn % 10 == 9:
            check(tmp_path, "data", answered, unanswered)
    check(tmp_path, "data", answered, unanswered)
    assert len(answered) > 20 * KILLS, f"only {len(answered)} results were answered: no load to speak of"


def test_a_stop_under_load_loses_nothing_and_ends_well(tmp_path):
    (tmp_path / "s.toml").write_text(CONFIG)
    answered, unanswered = [], []
    for turn in range(5):
        with Server(tmp_path / "data", "--config", tmp_path / "s.toml") as server:
            codes = []
            taken, left = run_load(server, 0.3, turn, lambda: codes.append(server.stop()))
            assert codes == [0]
        answered += taken
        unanswered += left
    check(tmp_path, "data", answered, unanswered)
    assert len(answered) > 100
