"""A queue that has grown long, and one that many wait for: takes, a restart, and what waiting costs.

`measure` prints, and answers as a dict: `take_p99_ms` of a take of one job over HTTP by how many jobs were ready,
`restart_seconds` from the start of a process until it has handed out the first of them, and `waiting_cores`, the
processor time of a server in which `WAITING` takes wait, by the time that passes.
"""

import http.client
import json
import os
import resource
import socket
import sys
import time
from contextlib import ExitStack
from pathlib import Path

from servers import scoreline_at

TAKES = 5_000
WAITING = 10_000
WATCHED = 10  # seconds


class Queue:
    def __init__(self, stack, binary, folder, name):
        self.port, self.pid = scoreline_at(stack, binary, folder)
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        self.path = f"/v1/queues/{name}"

    def ask(self, path, body, method="POST"):
        self.connection.request(method, self.path + path, json.dumps(body), {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        answer.read()
        return answer.status

    def until_served(self, path, body, method="POST"):
        while (status := self.ask(path, body, method)) == 503:
            time.sleep(0.01)
        if status != 200:
            sys.exit(f"{method} {self.path}{path} was answered {status}")

    def fill(self, jobs):
        for begin in range(0, jobs, 1_000):
            batch = [{"id": f"job-{number:012}", "payload": "0123456789"}
                     for number in range(begin, min(begin + 1_000, jobs))]
            self.until_served("/jobs", {"jobs": batch})

    def take_p99_ms(self):
        times = []
        for _ in range(TAKES):
            began = time.perf_counter()
            self.until_served(":take", {})
            times.append(time.perf_counter() - began)
        return sorted(times)[TAKES * 99 // 100] * 1e3


def takes(binary, folder, jobs):
    with ExitStack() as stack:
        queue = Queue(stack, binary, folder, f"fast-{jobs}")
        queue.until_served("", {"durability": "memory"}, "PUT")
        queue.fill(jobs)
        return queue.take_p99_ms()


def restart(binary, folder, jobs):
    with ExitStack() as stack:
        Queue(stack, binary, folder, "mail").fill(jobs)
    began = time.monotonic()
    with ExitStack() as stack:
        Queue(stack, binary, folder, "mail").until_served(":take", {})
        return time.monotonic() - began


def waiting(binary, folder):
    body = json.dumps({"wait": "5m"}).encode()
    request = (b"POST /v1/queues/idle:take HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
               b"Content-Length: %d\r\n\r\n" % len(body)) + body
    with ExitStack() as stack:
        queue = Queue(stack, binary, folder, "idle")
        queue.until_served("", {}, "PUT")
        for _ in range(WAITING):
            one = stack.enter_context(socket.create_connection(("127.0.0.1", queue.port)))
            one.sendall(request)
        time.sleep(2)
        before = processor_seconds(queue.pid)
        time.sleep(WATCHED)
        return (processor_seconds(queue.pid) - before) / WATCHED


def processor_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(binary, folder, jobs):
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    folders = {name: str(Path(folder) / name) for name in ("few", "many", "restart", "idle")}
    for path in folders.values():
        Path(path).mkdir()
    few = min(TAKES + 1_000, jobs)
    report = {"take_p99_ms": {few: round(takes(binary, folders["few"], few), 3),
                              jobs: round(takes(binary, folders["many"], jobs), 3)},
              "restart_seconds": round(restart(binary, folders["restart"], jobs), 2),
              "waiting_cores": round(waiting(binary, folders["idle"]), 4)}
    print(f"\n{TAKES:,} takes of one job over HTTP, in memory: 99th percentile")
    for ready, milliseconds in report["take_p99_ms"].items():
        print(f"  of {ready:>9,} ready jobs {milliseconds:.3f} ms")
    print(f"{jobs:,} ready jobs: {report['restart_seconds']:.2f} s from the start to the first job handed out")
    print(f"{WAITING:,} waiting takes: {100 * report['waiting_cores']:.1f} % of a core", flush=True)
    return report
