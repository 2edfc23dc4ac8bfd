#!/usr/bin/env python3
"""One node over a real PostgreSQL (fsync on) and a real Redis, all on this machine with the load generator.

    bench_nodes.py SCORELINE [--part ingest|reads|rebuild] [--rows 200000] [--players 100000]
                   [--rebuild-players 1000000] [--rounds 5] [--seconds 3]

ingest: results over HTTP in batches of 500 on four connections, in laps; the median lap counts.
reads: rank of random players and the top 100 on 32 connections by wrk, beside redis-benchmark asking the same Redis
for ZREVRANK on as many connections without pipelining, and beside a server that keeps its boards in memory. They take
turns.
rebuild: how long Redis, emptied, is without the board of a ledger that has three results a player.
Ends with one JSON line.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
for room in ("../http", "../ingest_http", "../../tests/support_py"):
    sys.path.insert(0, str((HERE / room).resolve()))

import bench_http  # noqa: E402  pylint: disable=wrong-import-position
import bench_ingest  # noqa: E402  pylint: disable=wrong-import-position
from stores import Postgres, Redis  # noqa: E402  pylint: disable=wrong-import-position

LAP = 50_000
RESULTS_A_PLAYER = 3
BOARD = "lb:{s12}"
FILL = """INSERT INTO match_results(leaderboard, match_id, player_id, season_id, points, achieved_at, by_player)
  SELECT 'main', lpad(to_hex(i), 32, '0')::uuid, 'id-' || lpad((i % {players})::text, 12, '0'), 12,
         (random() * 2000000)::bigint, timestamptz '2026-10-01' + i * interval '1 second', false
  FROM generate_series(1, {rows}) AS i"""


def serve(binary, *stores):
    return bench_http.running(binary, "serve", *stores, "--listen", "127.0.0.1:0")


def ingest(port, rows):
    batches = bench_ingest.HttpBatches(port, 500, 4)
    rates = [LAP / batches.lap(LAP) for _ in range(max(1, rows // LAP))]
    print("ingest, results/s by lap: " + "  ".join(f"{rate:,.0f}" for rate in rates), flush=True)
    return {"results_per_second": round(statistics.median(rates))}


def reads(port, redis, memory_port, options):
    contestants = {
        "rank": lambda: bench_http.wrk(port, "rank", options.players, options.seconds),
        "redis_zrevrank": lambda: bench_http.redis_benchmark(
            redis.port, options.seconds * 4, "ZREVRANK", "peer", "player-__rand_int__"),
        "top": lambda: bench_http.wrk(port, "top", options.players, options.seconds),
        "top_in_memory": lambda: bench_http.wrk(memory_port, "top", options.players, options.seconds),
    }
    figures, ratio = bench_http.take_turns(contestants, options.rounds)
    figures["rank_vs_zrevrank"] = ratio("rank", "redis_zrevrank")
    figures["top_vs_memory"] = ratio("top", "top_in_memory")
    return figures


def rebuild(binary, postgres, redis, players):
    """Seconds and bytes a player, for both kinds of keys."""
    with serve(binary, "--ledger", postgres.url, "--index", redis.url) as server:
        bench_http.load(bench_http.scoreline_port(server), 1, [1])  # makes the season
    postgres.query("delete from match_results", check=True)
    postgres.query(FILL.format(players=players, rows=players * RESULTS_A_PLAYER), check=True)
    postgres.query("update seasons set start_at = '2026-10-01'", check=True)
    figures = {}
    for key in ("wide", "packed"):
        postgres.query(f"update leaderboards set key = '{key}'", check=True)
        redis.command("FLUSHALL")
        empty = int(redis.info("memory", "used_memory"))
        begin = time.monotonic()
        with serve(binary, "--ledger", postgres.url, "--index", redis.url) as server:
            bench_http.scoreline_port(server)
            while redis.command("ZCARD", BOARD) != str(players):
                if time.monotonic() - begin > 120:
                    sys.exit("the board did not come")
                time.sleep(0.02)
            spent = time.monotonic() - begin
        taken = (int(redis.info("memory", "used_memory")) - empty) / players
        print(f"rebuild, {key}: {players:,} players of {players * RESULTS_A_PLAYER:,} results in {spent:.2f} s, "
              f"{taken:.0f} bytes a player", flush=True)
        figures[key] = {"seconds": round(spent, 2), "bytes_a_player": round(taken)}
    return figures


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("scoreline")
    arguments.add_argument("--part", choices=("ingest", "reads", "rebuild"))
    arguments.add_argument("--rows", type=int, default=200_000)
    arguments.add_argument("--players", type=int, default=100_000)
    arguments.add_argument("--rebuild-players", type=int, default=1_000_000)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--seconds", type=int, default=3)
    options = arguments.parse_args()
    figures = {"bench": "nodes"}

    def wanted(part):
        return options.part in (None, part)

    postgres, redis = Postgres("max_wal_size=2GB"), Redis()
    try:
        if wanted("ingest") or wanted("reads"):
            with tempfile.TemporaryDirectory(prefix="bench-nodes-") as folder, \
                 serve(options.scoreline, "--ledger", postgres.url, "--index", redis.url) as node, \
                 serve(options.scoreline, "--data", folder) as memory:
                port, memory_port = bench_http.scoreline_port(node), bench_http.scoreline_port(memory)
                rng = random.Random(12)
                points = [rng.randrange(2_000_000) for _ in range(options.players)]
                bench_http.load(port, options.players, points)
                if wanted("ingest"):
                    figures["ingest"] = ingest(port, options.rows)
                if wanted("reads"):
                    bench_http.load(memory_port, options.players, points)
                    commands = "".join(f"ZADD peer {value} player-{i:012d}\n" for i, value in enumerate(points))
                    subprocess.run(["redis-cli", "-p", str(redis.port)], input=commands, text=True, check=True,
                                   stdout=subprocess.DEVNULL)
                    figures["reads"] = reads(port, redis, memory_port, options)
        if wanted("rebuild"):
            figures["rebuild"] = rebuild(options.scoreline, postgres, redis, options.rebuild_players)
    finally:
        redis.close()
        postgres.close()
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
