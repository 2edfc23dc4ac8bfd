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
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path


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


def listening(stack, port, *command):
    stack.enter_context(running(*command))
    wait_for_port(port)
    return port


def redis_at(stack, folder, *settings):
    port = free_port()
    return listening(stack, port, "redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir",
                     folder, *settings)


def beanstalkd_at(stack, *settings):
    port = free_port()
    return listening(stack, port, "beanstalkd", "-l", "127.0.0.1", "-p", str(port), *settings)


def scoreline_at(stack, binary, folder):
    process = stack.enter_context(running(binary, "serve", "--data", folder, "--listen", "127.0.0.1:0"))
    for line in process.stdout:
        if match := re.search(r"listening on http://127\.0\.0\.1:(\d+)", line):
            return int(match[1])
    sys.exit("the server did not start")


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


def restart_of(binary, folder, jobs):
    """Seconds from the start of a process that finds so many ready jobs until it has handed one out."""
    def ask(connection, path, body):
        connection.request("POST", f"/v1/queues/mail{path}", json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, answer.read()

    with ExitStack() as stack:
        connection = http.client.HTTPConnection("127.0.0.1", scoreline_at(stack, binary, folder), timeout=60)
        while ask(connection, "/jobs", {"id": "first"})[0] != 200:
            time.sleep(0.02)
        for begin in range(0, jobs, 1_000):
            batch = [{"id": f"job-{number:012}", "payload": "0123456789"} for number in range(begin, begin + 1_000)]
            if ask(connection, "/jobs", {"jobs": batch})[0] != 200:
                sys.exit("a batch was refused")
    began = time.monotonic()
    with ExitStack() as stack:
        connection = http.client.HTTPConnection("127.0.0.1", scoreline_at(stack, binary, folder), timeout=60)
        while ask(connection, ":take", {})[0] != 200:
            time.sleep(0.02)
        return time.monotonic() - began


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
        for name in ("kept", "memory", "log", "serve", "library", "restart"):
            (Path(folder) / name).mkdir()
        kept = redis_at(stack, f"{folder}/kept", "--appendonly", "yes", "--appendfsync", "always")
        fleeting = redis_at(stack, f"{folder}/memory", "--appendonly", "no")
        synced = beanstalkd_at(stack, "-b", f"{folder}/log", "-f", "0")
        unsynced = beanstalkd_at(stack)
        scoreline = scoreline_at(stack, str(options.build / "scoreline"), f"{folder}/serve")
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
        report["restart_seconds"] = restart_of(str(options.build / "scoreline"), f"{folder}/restart", jobs)
        print(f"\n{jobs:,} ready jobs: {report['restart_seconds']:.2f} s from the start to the first job handed out")
    print(flush=True)
    subprocess.run([options.build / "bench/queue/bench_queue"], check=True)
    print(json.dumps(report))


if __name__ == "__main__":
    main()
