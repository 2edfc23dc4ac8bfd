#!/usr/bin/env python3
"""What a result costs that counts on three boards (season, week, day) instead of one, and what 200 friends cost.

    bench_boards.py SCORELINE [--players 1000000] [--results 100000] [--rounds 5]

Two leaderboards of one embedded server take the same results in turns, batches of 500 on two connections, each round
into both; the ratio is the median over the rounds, of the time and of the server's CPU time. Then the ranks among 200
friends are read of a board of so many players, over one connection. Ends with one JSON line.
"""

import argparse
import json
import random
import statistics
import subprocess
import tempfile
import threading
import time
import uuid
from datetime import datetime, timezone
from pathlib import Path

from embedded_server import EmbeddedServer, ask

BATCH = 500
FRIENDS = 200
RANKS = "/v1/leaderboards/main/seasons/1/players:rank"
CONFIG = """
[leaderboards.one]
[leaderboards.three]
periods = ["day", "week"]
"""


def make_batches(results, rng):
    """Of now, so that every result counts on the day and the week as well."""
    at = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    rows = [{"playerId": f"player-{rng.randrange(100_000):08d}", "seasonId": 1, "points": rng.randrange(2_000_000),
             "achievedAt": at} for _ in range(results)]
    return [rows[n:n + BATCH] for n in range(0, results, BATCH)]


def send(server, leaderboard, batches):
    """Each result in a match of its own; returns seconds of time and of CPU."""
    waiting = list(batches)

    def work():
        connection = server.connect()
        while True:
            try:
                batch = waiting.pop()
            except IndexError:
                return
            answer = ask(connection, "POST", f"/v1/leaderboards/{leaderboard}/results",
                         {"results": [{"matchId": str(uuid.uuid4()), **row} for row in batch]})
            assert answer["improved"] + answer["unchanged"] == len(batch), answer

    cpu, began = server.cpu_seconds(), time.monotonic()
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.monotonic() - began, server.cpu_seconds() - cpu


def three_boards(binary, folder, results, rounds, rng):
    config = Path(folder) / "scoreline.toml"
    config.write_text(CONFIG, encoding="utf-8")
    ratios = []
    with EmbeddedServer(binary, Path(folder) / "boards", ["--config", config]) as server:
        connection = server.connect()
        for leaderboard in ("one", "three"):
            send(server, leaderboard, make_batches(BATCH * 20, rng))
        for turn in range(rounds):
            batches = make_batches(results, rng)
            took = {name: send(server, name, batches) for name in (("one", "three") if turn % 2 else ("three", "one"))}
            ratios.append([took["three"][n] / took["one"][n] for n in (0, 1)])
        day = ask(connection, "GET", "/v1/leaderboards/three/seasons/1/top?period=day&limit=1")
        season = ask(connection, "GET", "/v1/leaderboards/three/seasons/1/top?limit=1")
        assert day["players"] == season["players"] > 0
    return [round(statistics.median(ratio), 2) for ratio in zip(*ratios)]


def friends(binary, folder, players, rng):
    rows = Path(folder) / "results.csv"
    with open(rows, "w", encoding="utf-8") as out:
        out.write("match_id,player_id,season_id,points,achieved_at\n")
        for n in range(players):
            out.write(f"{uuid.UUID(int=n)},player-{n:08d},1,{rng.randrange(2_000_000)},2026-10-12T00:00:00Z\n")
    data = Path(folder) / "friends"
    subprocess.run([binary, "import", rows, "--data", data], check=True, capture_output=True, cwd=folder)
    times = []
    with EmbeddedServer(binary, data) as server:
        connection = server.connect()
        for _ in range(3_000):
            wanted = {f"player-{rng.randrange(players):08d}" for _ in range(FRIENDS)}
            body = json.dumps({"playerIds": sorted(wanted)})
            began = time.monotonic()
            connection.request("POST", RANKS, body, {"Content-Type": "application/json"})
            read = connection.getresponse().read()
            times.append(1000 * (time.monotonic() - began))
            assert len(json.loads(read)["entries"]) == len(wanted)
    times.sort()
    return [round(times[int(len(times) * part)], 2) for part in (0.5, 0.99)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scoreline", type=lambda path: Path(path).resolve())
    parser.add_argument("--players", type=int, default=1_000_000)
    parser.add_argument("--results", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    rng = random.Random(1)
    with tempfile.TemporaryDirectory(prefix="scoreline-bench-") as folder:
        wall, cpu = three_boards(options.scoreline, folder, options.results, options.rounds, rng)
        median, p99 = friends(options.scoreline, folder, options.players, rng)
    print(f"a result on three boards costs {wall} times one on one board in time, {cpu} times in CPU")
    print(f"{FRIENDS} friends among {options.players} players: median {median} ms, p99 {p99} ms over HTTP")
    print(json.dumps({"three_to_one_time": wall, "three_to_one_cpu": cpu, "friends_ms": [median, p99]}))


if __name__ == "__main__":
    main()
