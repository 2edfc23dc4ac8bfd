#!/usr/bin/env python3
"""Closing and archiving a big season of the embedded server while it reads and writes.

    bench_seasons.py SCORELINE [--players 1000000] [--quiet-seconds 10]

Season 1 gets one result a player. Then a reader (ranks of season 2's players) and a writer (single results into season
2) run by themselves; their times are taken for a while before, and while season 1 is closed by hand. Tells how long it
took until the archive answered, and both p99. Ends with one JSON line.
"""

import argparse
import json
import random
import subprocess
import tempfile
import threading
import time
import uuid
from pathlib import Path

from embedded_server import EmbeddedServer, ask

SEASONS = "/v1/leaderboards/main/seasons"


def write_results(path, players, rng):
    order = list(range(players))
    rng.shuffle(order)
    with open(path, "w", encoding="utf-8") as out:
        out.write("match_id,player_id,season_id,points,achieved_at\n")
        for n, player in enumerate(order):
            match = uuid.UUID(int=rng.getrandbits(128), version=4)
            at = f"2026-10-{1 + n % 28:02d}T{n % 24:02d}:00:00Z"
            out.write(f"{match},player-{player:08d},1,{rng.randrange(2_000_000)},{at}\n")


class Caller(threading.Thread):
    """One request after the other over one connection; keeps when each began and how long it took."""

    def __init__(self, server, make):
        super().__init__(daemon=True)
        self.connection = server.connect()
        self.make = make
        self.times = []
        self.stopping = False

    def run(self):
        while not self.stopping:
            method, path, body = self.make()
            began = time.monotonic()
            ask(self.connection, method, path, body)
            self.times.append((began, time.monotonic() - began))
            time.sleep(0.002)

    def p99(self, begin, end):
        times = sorted(took for began, took in self.times if begin <= began < end)
        return 1000 * times[int(len(times) * 0.99)] if times else float("nan")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scoreline", type=lambda path: Path(path).resolve())
    parser.add_argument("--players", type=int, default=1_000_000)
    parser.add_argument("--quiet-seconds", type=float, default=10)
    options = parser.parse_args()
    rng = random.Random(1)
    with tempfile.TemporaryDirectory(prefix="scoreline-bench-") as folder:
        data, file = Path(folder) / "data", Path(folder) / "results.csv"
        write_results(file, options.players, rng)
        subprocess.run([options.scoreline, "import", file, "--data", data], check=True, capture_output=True, cwd=folder)
        with EmbeddedServer(options.scoreline, data) as server:
            connection = server.connect()
            ask(connection, "POST", "/v1/leaderboards/main/results",
                {"results": [{"playerId": f"p{n}", "seasonId": 2, "points": n} for n in range(1_000)]})
            reader = Caller(server, lambda: ("GET", f"{SEASONS}/2/players/p{rng.randrange(1_000)}", None))
            writer = Caller(server, lambda: ("POST", "/v1/leaderboards/main/results",
                                             {"playerId": f"p{rng.randrange(1_000)}", "seasonId": 2,
                                              "points": rng.randrange(10**6)}))
            reader.start()
            writer.start()
            time.sleep(1)
            quiet = time.monotonic()
            time.sleep(options.quiet_seconds)
            begin = time.monotonic()
            ask(connection, "POST", f"{SEASONS}/1:close")
            while ask(connection, "GET", SEASONS)["seasons"][0]["state"] != "closed":
                time.sleep(0.1)
            end = time.monotonic()
            reader.stopping = writer.stopping = True
            top = ask(connection, "GET", f"{SEASONS}/1/top?limit=1")
            assert top["players"] == options.players
        row = {"players": options.players, "close_seconds": round(end - begin, 2),
               "read_p99_ms": [round(reader.p99(quiet, begin), 2), round(reader.p99(begin, end), 2)],
               "write_p99_ms": [round(writer.p99(quiet, begin), 2), round(writer.p99(begin, end), 2)]}
    print(f"closing and archiving {row['players']} players: {row['close_seconds']} s")
    for what in ("read", "write"):
        before, during = row[f"{what}_p99_ms"]
        print(f"p99 of a {what}: {before} ms before, {during} ms meanwhile ({during / before:.1f} times)")
    print(json.dumps(row))


if __name__ == "__main__":
    main()
