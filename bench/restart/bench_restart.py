#!/usr/bin/env python3
"""How long a restart takes until every rank is right again, beside a Redis that loads the same board from its file.

    bench_restart.py SCORELINE [--players 1000000] [--results-per-player 1] [--runs 5]

Scoreline reads its ledger row by row, verifies it, and builds the boards from it; Redis loads an RDB file. Both are
started by turns; a run ends when the server first answers that it is ready. Ends with one JSON line.
"""

import argparse
import http.client
import json
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def write_results(path, players, per_player, rng):
    """Random match ids and points, every player with `per_player` results, in random order of players."""
    order = [p for p in range(players) for _ in range(per_player)]
    rng.shuffle(order)
    with open(path, "w", encoding="utf-8") as out:
        out.write("match_id,player_id,season_id,points,achieved_at\n")
        for n, player in enumerate(order):
            match = uuid.UUID(int=rng.getrandbits(128), version=4)
            at = f"2026-10-{1 + n % 28:02d}T{n % 24:02d}:{n % 60:02d}:00Z"
            out.write(f"{match},player-{player:08d},1,{rng.randrange(2_000_000)},{at}\n")


def stop(process):
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=60)


def scoreline_ready_seconds(binary, data):
    start = time.monotonic()
    server = subprocess.Popen([binary, "serve", "--data", data, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
    try:
        port = None
        for line in server.stdout:
            if match := re.search(r"listening on http://127\.0\.0\.1:(\d+)", line):
                port = int(match[1])
                break
        if port is None:
            sys.exit("the server did not start")
        while True:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            connection.request("GET", "/readyz")
            if connection.getresponse().status == 200:
                return time.monotonic() - start
            time.sleep(0.005)
    finally:
        stop(server)


def redis_call(port, *lines):
    return subprocess.run(["redis-cli", "-p", str(port), *lines], capture_output=True, text=True).stdout.strip()


def start_redis(folder, port):
    return subprocess.Popen(["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "",
                             "--appendonly", "no"], stdout=subprocess.DEVNULL)


def redis_ready_seconds(folder, players):
    port = free_port()
    start = time.monotonic()
    server = start_redis(folder, port)
    try:
        while True:
            if redis_call(port, "ZCARD", "board") == str(players):
                return time.monotonic() - start
            time.sleep(0.005)
    finally:
        server.kill()
        server.wait()


def fill_redis(folder, players, rng):
    port = free_port()
    server = start_redis(folder, port)
    while redis_call(port, "PING") != "PONG":
        time.sleep(0.01)
    commands = "".join(f"ZADD board {rng.randrange(1 << 53)} player-{p:08d}\n" for p in range(players))
    subprocess.run(["redis-cli", "-p", str(port), "--pipe"], input=commands, text=True, stdout=subprocess.DEVNULL,
                   check=True)
    redis_call(port, "SAVE")
    server.kill()
    server.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scoreline")
    parser.add_argument("--players", type=int, default=1_000_000)
    parser.add_argument("--results-per-player", type=int, default=1)
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    rng = random.Random(20261012)

    with tempfile.TemporaryDirectory(dir=Path(args.scoreline).resolve().parent) as scratch:
        results, data, redis_folder = f"{scratch}/results.csv", f"{scratch}/data", f"{scratch}/redis"
        Path(redis_folder).mkdir()
        write_results(results, args.players, args.results_per_player, rng)
        subprocess.run([args.scoreline, "import", results, "--data", data, "--json"], stdout=subprocess.DEVNULL,
                       check=True)
        fill_redis(redis_folder, args.players, rng)
        ours, redis = [], []
        for run in range(args.runs):
            ours.append(scoreline_ready_seconds(args.scoreline, data))
            redis.append(redis_ready_seconds(redis_folder, args.players))
            print(f"run {run + 1}: scoreline {ours[-1]:.2f} s, redis {redis[-1]:.2f} s")
        print(json.dumps({
            "bench": "restart", "players": args.players, "results": args.players * args.results_per_player,
            "ready_seconds": round(statistics.median(ours), 2), "redis_seconds": round(statistics.median(redis), 2),
            "ratio": round(statistics.median(redis) / statistics.median(ours), 2),
        }))


if __name__ == "__main__":
    main()
