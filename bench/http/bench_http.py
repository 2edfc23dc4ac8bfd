#!/usr/bin/env python3
"""Reads over HTTP, beside nginx answering a fixed string and Redis answering the same questions, in one run.

    bench_http.py SCORELINE [--players 100000] [--rounds 5] [--seconds 3]

nginx is what this machine's kernel and the load generator allow: it looks nothing up. wrk with one thread and 32
connections asks Scoreline and nginx alike, for random players; redis-benchmark asks with 32 connections and no
pipelining. Our page of the top carries the points, so its equal is ZREVRANGE … WITHSCORES; the plain one, which moves
half as many values, is asked too. The contestants take turns, and each ratio is the median of the ratios of the rounds.
Ends with one JSON line.
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
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
CONNECTIONS = 32
# About as long as Scoreline's answer for one player.
FIXED = ('{"rank":51234,"playerId":"player-000000051234","points":123456,"achievedAt":"2026-10-12T18:00:00Z",'
         '"players":100000,"percentile":48.77}')


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for_port(port):
    for _ in range(500):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.02)
    sys.exit(f"nothing listens on port {port}")


@contextmanager
def running(*command):
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)


def scoreline_port(process):
    for line in process.stdout:
        if match := re.search(r"listening on http://127\.0\.0\.1:(\d+)", line):
            return int(match[1])
    sys.exit("the server did not start")


def nginx_configuration(folder, port):
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temp = "\n".join(f"  {kind}_temp_path {folder}/{kind};" for kind in kinds)
    return f"""worker_processes auto;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log crit;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  keepalive_requests 1000000000;
{temp}
  server {{
    listen 127.0.0.1:{port};
    location / {{ default_type application/json; return 200 '{FIXED}'; }}
  }}
}}
"""


def load(port, players, points):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    while True:
        connection.request("GET", "/readyz")
        answer = connection.getresponse()
        answer.read()
        if answer.status == 200:
            break
        time.sleep(0.02)
    for first in range(0, players, 10_000):
        lines = (
            json.dumps({"playerId": f"player-{i:012d}", "seasonId": 12, "points": points[i]})
            for i in range(first, min(first + 10_000, players))
        )
        connection.request("POST", "/v1/leaderboards/main/results", "\n".join(lines),
                           {"Content-Type": "application/x-ndjson"})
        answer = json.loads(connection.getresponse().read())
        if answer["rejected"]:
            sys.exit(f"refused: {answer['rejected'][0]}")


def load_redis(port, points):
    commands = "".join(f"ZADD board {value} player-{i:012d}\n" for i, value in enumerate(points))
    subprocess.run(["redis-cli", "-p", str(port)], input=commands, text=True, check=True, stdout=subprocess.DEVNULL)


def wrk(port, kind, players, seconds):
    """Requests a second; every answer must be a good one."""
    out = subprocess.run(
        ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}", "-s", str(HERE / "requests.lua"),
         f"http://127.0.0.1:{port}", "--", kind, str(players)],
        capture_output=True, text=True, check=True,
    ).stdout
    if "Non-2xx" in out or "Socket errors" in out:
        sys.exit(f"bad answers:\n{out}")
    return float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1])


def redis_benchmark(port, seconds_hint, *command):
    count = int(12_000 * seconds_hint)
    out = subprocess.run(
        ["redis-benchmark", "-p", str(port), "-c", str(CONNECTIONS), "-n", str(count), "-r", "100000", "-q", *command],
        capture_output=True, text=True, check=True,
    ).stdout
    return float(re.findall(r"([\d.]+) requests per second", out)[-1])


def take_turns(contestants, count):
    """Runs all contestants, round after round: the median of each, and how to ask for the median ratio of two."""
    rounds = []
    for number in range(count):
        rounds.append({name: run() for name, run in contestants.items()})
        print(f"round {number + 1}: " + "  ".join(f"{n} {v:,.0f}" for n, v in rounds[-1].items()), flush=True)

    def ratio(ours, theirs):
        return round(statistics.median(r[ours] / r[theirs] for r in rounds), 2)

    return {name: round(statistics.median(r[name] for r in rounds)) for name in contestants}, ratio


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("scoreline")
    arguments.add_argument("--players", type=int, default=100_000)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--seconds", type=int, default=3)
    options = arguments.parse_args()
    rng = random.Random(12)
    points = [rng.randrange(2_000_000) for _ in range(options.players)]

    with tempfile.TemporaryDirectory(prefix="bench-http-") as folder:
        nginx_port, redis_port = free_port(), free_port()
        configuration = Path(folder) / "nginx.conf"
        configuration.write_text(nginx_configuration(folder, nginx_port))
        with running(options.scoreline, "serve", "--data", f"{folder}/data", "--listen", "127.0.0.1:0") as scoreline, \
             running("nginx", "-e", f"{folder}/error.log", "-c", str(configuration)), \
             running("redis-server", "--port", str(redis_port), "--bind", "127.0.0.1", "--save", "", "--dir", folder):
            port = scoreline_port(scoreline)
            wait_for_port(nginx_port)
            wait_for_port(redis_port)
            load(port, options.players, points)
            load_redis(redis_port, points)
            contestants = {
                "nginx": lambda: wrk(nginx_port, "rank", options.players, options.seconds),
                "rank": lambda: wrk(port, "rank", options.players, options.seconds),
                "around": lambda: wrk(port, "around", options.players, options.seconds),
                "top": lambda: wrk(port, "top", options.players, options.seconds),
                "redis_zrevrange_100_withscores": lambda: redis_benchmark(
                     redis_port, options.seconds, "ZREVRANGE", "board", "0", "99", "WITHSCORES"),
                "redis_zrevrange_100": lambda: redis_benchmark(
                     redis_port, options.seconds, "ZREVRANGE", "board", "0", "99"),
                "redis_zrevrank": lambda: redis_benchmark(redis_port, options.seconds * 4, "ZREVRANK", "board",
                                                          "player-__rand_int__"),
            }
            per_second, ratio = take_turns(contestants, options.rounds)

    print(f"\n{'requests a second, median':34}")
    for name, value in per_second.items():
        print(f"  {name:32}{value:>10,}")
    print(json.dumps({
        "bench": "http",
        "players": options.players,
        "ratio": {
            "rank_vs_nginx": ratio("rank", "nginx"),
            "around_vs_nginx": ratio("around", "nginx"),
            "top_vs_redis": ratio("top", "redis_zrevrange_100_withscores"),
            "top_vs_redis_plain": ratio("top", "redis_zrevrange_100"),
        },
        "per_second": per_second,
    }))


if __name__ == "__main__":
    main()
