#!/usr/bin/env python3
"""Listeners to one board: what a change a second costs the server, and how late it is heard.

    bench_events.py SCORELINE [--listeners 10000] [--players 100000] [--seconds 20] [--rounds 3]

Every listener has a player of its own, whose rank each change moves: the worst case. `top only` listeners hear the top
alone. Cores are the server's processor time, user and kernel, by the time that passed; idle is the same without a
change. The listeners run in a process of their own, on this machine. Ends with one JSON line.
"""

import argparse
import asyncio
import json
import os
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str((HERE / "../http").resolve()))

import bench_http  # noqa: E402  pylint: disable=wrong-import-position

SEASON = "/v1/leaderboards/main/seasons/12"
SETTLE = 5  # seconds


class Ear(asyncio.Protocol):
    """Counts the events that are heard, and when those of a change came."""

    heard = 0
    times = []

    def __init__(self, request):
        self.request = request
        self.transport = None

    def connection_made(self, transport):
        self.transport = transport
        transport.write(self.request)

    def data_received(self, data):
        events = data.count(b"\nevent: ") + data.startswith(b"event: ")
        if events:
            Ear.heard += events
            Ear.times.append(time.monotonic())


def processor_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def submit(port, results):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    body = json.dumps({"results": results}).encode()
    writer.write(b"POST /v1/leaderboards/main/results HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                 b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    answer = await reader.read()
    assert b" 200 OK" in answer.split(b"\r\n", 1)[0], answer[:300]
    writer.close()


async def measure(port, pid, options, with_player):
    loop = asyncio.get_running_loop()
    ears = []
    for number in range(options.listeners):
        player = f"&player=player-{number % options.players:08}" if with_player else ""
        request = f"GET {SEASON}/events?top=10{player} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        ears.append(await loop.create_connection(lambda r=request: Ear(r), "127.0.0.1", port))
    await asyncio.sleep(SETTLE)

    before, begin = processor_seconds(pid), time.monotonic()
    await asyncio.sleep(SETTLE)
    idle = (processor_seconds(pid) - before) / (time.monotonic() - begin)

    delays, expected = [], options.listeners * (2 if with_player else 1)
    before, begin, Ear.heard = processor_seconds(pid), time.monotonic(), 0
    for second in range(options.seconds):
        Ear.times = []
        sent = time.monotonic()
        measure.points += 1
        # A new leader: everybody's rank is one more.
        await submit(port, [{"playerId": f"leader-{measure.points}", "seasonId": 12, "points": measure.points}])
        await asyncio.sleep(max(0, begin + second + 1 - time.monotonic()))
        delays += [at - sent for at in Ear.times]
    cores = (processor_seconds(pid) - before) / (time.monotonic() - begin)
    heard = Ear.heard / (expected * options.seconds)
    for transport, _ in ears:
        transport.abort()
    await asyncio.sleep(1)
    delays.sort()
    return {"idle_cores": idle, "cores": cores, "heard": heard, "delay_p50_ms": 1e3 * delays[len(delays) // 2],
            "delay_p99_ms": 1e3 * delays[len(delays) * 99 // 100]}


measure.points = 10_000_000


async def run(port, pid, options):
    for first in range(0, options.players, 10_000):
        await submit(port, [{"playerId": f"player-{number:08}", "seasonId": 12, "points": number + 1}
                            for number in range(first, min(first + 10_000, options.players))])
    figures = {}
    for kind, with_player in (("top_only", False), ("top_and_rank", True)):
        rounds = []
        for _ in range(options.rounds):
            rounds.append(await measure(port, pid, options, with_player))
            print(kind + ": " + "  ".join(f"{name} {value:.3g}" for name, value in rounds[-1].items()), flush=True)
        figures[kind] = {name: round(statistics.median(each[name] for each in rounds), 3) for name in rounds[0]}
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scoreline")
    parser.add_argument("--listeners", type=int, default=10_000)
    parser.add_argument("--players", type=int, default=100_000)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most < options.listeners + 100:
        sys.exit(f"{options.listeners} listeners need as many open files; at most {most} are allowed")
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory() as data:
        with bench_http.running(options.scoreline, "serve", "--data", data, "--listen", "127.0.0.1:0") as server:
            figures = asyncio.run(run(bench_http.scoreline_port(server), server.pid, options))
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
