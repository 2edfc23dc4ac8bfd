#!/usr/bin/env python3
"""Job queues: enqueue, take and acknowledge, beside beanstalkd and bare Redis commands, in one run.

    bench_queue.py BUILD [--rounds 5] [--scale 1.0]

What is durable answers after an fsync: Scoreline's default, `beanstalkd -f 0`, `appendfsync always`. Eight producers
and eight workers, each on a connection of its own, one job at a time and fifty; without a disk, eight callers that put
in fifty, take fifty and acknowledge them. The contestants take turns, round after round; figures are medians of the
rounds, ratios medians of the ratios within each round. Scoreline is asked over HTTP, as the peers are over their
sockets, and through the library in the load generator's process. Ends with one JSON line.
"""

import argparse
import http.client
import json
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import long_queue  # noqa: E402  pylint: disable=wrong-import-position
from servers import beanstalkd_at, redis_at, scoreline_at  # noqa: E402  pylint: disable=wrong-import-position


def serves_queues(port):
    """Whether the queues of this server are there; sets one that keeps its jobs in memory."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    for _ in range(500):
        connection.request("PUT", "/v1/queues/fast", '{"durability":"memory"}', {"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        if answer.status != 503:
            return answer.status == 200
        time.sleep(0.02)
    return False


class Contest:
    def __init__(self, load, rounds, scale):
        self.load, self.rounds, self.scale = load, rounds, scale

    def run(self, title, how, batch, contestants):
        """`contestants`: name → (kind, where, jobs). Prints and returns medians, and ratios to each other."""
        results = []
        for _ in range(self.rounds):
            results.append({name: self.one(kind, where, how, batch, jobs)
                            for name, (kind, where, jobs) in contestants.items()})
        print(f"\n{title}, jobs a second")
        first = next(iter(contestants))
        medians = {name: round(statistics.median(r[name] for r in results)) for name in contestants}
        ratios = {name: round(statistics.median(r[first] / r[name] for r in results), 2) for name in contestants}
        for name in contestants:
            print(f"  {name:42}{medians[name]:>10,}   {first} is {ratios[name]:.2f} × that", flush=True)
        return {"per_second": medians, "ratio_of_first": ratios}

    def one(self, kind, where, how, batch, jobs):
        count = max(batch * 16, int(jobs * self.scale))
        command = [self.load, kind, str(where), how, str(batch), str(count)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{kind} {where}: {done.stderr}")
        return float(done.stdout)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("build", type=Path)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--scale", type=float, default=1.0, help="of the number of jobs")
    options = arguments.parse_args()
    contest = Contest(str(options.build / "bench/queue/queue_load"), options.rounds, options.scale)
    report = {"bench": "queue"}

    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-queue-"))
        for name in ("kept", "memory", "log", "serve", "library"):
            (Path(folder) / name).mkdir()
        kept = redis_at(stack, f"{folder}/kept", "--appendonly", "yes", "--appendfsync", "always")
        fleeting = redis_at(stack, f"{folder}/memory", "--appendonly", "no")
        synced = beanstalkd_at(stack, "-b", f"{folder}/log", "-f", "0")
        unsynced = beanstalkd_at(stack)
        scoreline, _ = scoreline_at(stack, str(options.build / "scoreline"), f"{folder}/serve")
        over_http = serves_queues(scoreline)
        if not over_http:
            print("this build serves no queues over HTTP: they are left out")

        def all_of(http_queue, library, redis_port, beanstalkd_port, jobs):
            contestants = {"http": ("http", f"{scoreline}/{http_queue}", jobs)} if over_http else {}
            return contestants | {
                "library": ("library", library, jobs),
                "on_redis": ("store", redis_port, jobs),
                "bare_redis": ("redis", redis_port, jobs),
                "beanstalkd": ("beanstalkd", beanstalkd_port, jobs),
            }

        durable = ("mail", f"{folder}/library", kept, synced)
        report["durable_1"] = contest.run("durable, 8 producers and 8 workers, one at a time", "pairs", 1,
                                          all_of(*durable, 4_000))
        report["durable_50"] = contest.run("durable, 8 producers and 8 workers, 50 at a time", "pairs", 50,
                                           all_of(*durable, 40_000))
        report["memory_50"] = contest.run("in memory, 8 callers, 50 at a time", "cycles", 50,
                                          all_of("fast", "", fleeting, unsynced, 200_000))
        jobs = max(1_000, int(1_000_000 * options.scale))
        report |= long_queue.measure(str(options.build / "scoreline"), folder, jobs)
    print(flush=True)
    subprocess.run([options.build / "bench/queue/bench_queue"], check=True)
    print(json.dumps(report))


if __name__ == "__main__":
    main()
