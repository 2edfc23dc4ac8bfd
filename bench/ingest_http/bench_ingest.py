#!/usr/bin/env python3
"""Durable results over HTTP, beside a bare SQLite loop doing the same inserts in the same run.

    bench_ingest.py SCORELINE BUILD_FOLDER [--rows 1000000] [--lap 50000] [--batch 500] [--connections 4]
                    [--single-seconds 10]

BUILD_FOLDER has bench/ingest/bare_sqlite: prepared inserts in transactions of one batch, with the same settings, in a
loop with nothing around it. Both keep the same data, each row with a random match id of its own. They take turns, a
lap of rows each, each into a ledger that grows from lap to lap: a large ledger is slower, and whatever else the machine
does falls on both. The ratio is the median over the laps of the second half. Requests are made before the clock starts.
Then single results on 64 connections, each answered after its (shared) fsync. Ends with one JSON line.
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
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PLAYERS = 100_000
PLAYERS_PER_MATCH = 1  # of bare_sqlite; make_request draws a match id for every row
SINGLE_CONNECTIONS = 64


def start(binary, data):
    process = subprocess.Popen([binary, "serve", "--data", data, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)
    for line in process.stdout:
        if match := re.search(r"listening on http://127\.0\.0\.1:(\d+)", line):
            port = int(match[1])
            break
    else:
        sys.exit("the server did not start")
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("GET", "/readyz")
        if connection.getresponse().status == 200:
            return process, port
        time.sleep(0.02)


def stop(process):
    process.send_signal(signal.SIGTERM)
    if process.wait(timeout=120) != 0:
        sys.exit("the server did not stop well")


def make_request(rng, size):
    results = []
    for _ in range(size):
        bits = f"{rng.getrandbits(128):032x}"
        match = f"{bits[:8]}-{bits[8:12]}-4{bits[13:16]}-8{bits[17:20]}-{bits[20:]}"
        results.append(f'{{"matchId":"{match}","playerId":"player-{rng.randrange(PLAYERS):08d}","seasonId":1,'
                       f'"points":{rng.randrange(2_000_000)}}}')
    body = ('{"results":[' + ",".join(results) + "]}").encode()
    head = ("POST /v1/leaderboards/main/results HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n").encode()
    return head + body


class Connection:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=120)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")

    def exchange(self, request):
        """The results that the server kept."""
        self.socket.sendall(request)
        if b" 200 " not in self.file.readline():
            sys.exit("refused")
        length = 0
        while (line := self.file.readline()) != b"\r\n":
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        answer = json.loads(self.file.read(length))
        if answer["rejected"] or answer["duplicate"]:
            sys.exit(f"not kept: {answer}")
        return answer["improved"] + answer["unchanged"]


class HttpBatches:
    """Batches on some connections at once; the server's ledger grows."""

    def __init__(self, port, batch, connections):
        self.batch = batch
        self.connections = [Connection(port) for _ in range(connections)]
        self.rng = random.Random()

    def lap(self, rows):
        """The seconds that it took, the requests' making not counted."""
        requests = [make_request(self.rng, min(self.batch, rows - first)) for first in range(0, rows, self.batch)]
        counts = [0] * len(self.connections)

        def work(number):
            for request in requests[number::len(self.connections)]:
                counts[number] += self.connections[number].exchange(request)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(len(self.connections))]
        begin = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        spent = time.monotonic() - begin
        if sum(counts) != rows:
            sys.exit("a batch was not kept")
        return spent


class BareSqlite:
    """The bare loop in a process of its own; its database grows."""

    def __init__(self, build, batch, folder):
        Path(folder).mkdir()
        program = Path(build) / "bench" / "ingest" / "bare_sqlite"
        self.process = subprocess.Popen([program, str(batch), "v4", str(PLAYERS_PER_MATCH), folder],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def lap(self, rows):
        """The seconds that it took, the rows' making not counted."""
        self.process.stdin.write(f"{rows}\n")
        self.process.stdin.flush()
        if not (line := self.process.stdout.readline()):
            sys.exit("bare_sqlite failed")
        return float(line)

    def stop(self):
        self.process.stdin.close()
        if self.process.wait(timeout=120) != 0:
            sys.exit("bare_sqlite did not stop well")


def take_turns(http_batches, bare, rows, lap_rows):
    """The laps, as (rows, seconds over HTTP, seconds of the bare loop)."""
    laps = []
    print(f"{'rows':>10} {'HTTP rows/s':>14} {'bare rows/s':>14} {'ratio':>8}")
    for first in range(0, rows, lap_rows):
        size = min(lap_rows, rows - first)
        if len(laps) % 2 == 0:
            over_http, alone = http_batches.lap(size), bare.lap(size)
        else:
            alone, over_http = bare.lap(size), http_batches.lap(size)
        laps.append((size, over_http, alone))
        figures = f"{size / over_http:>14.0f} {size / alone:>14.0f} {alone / over_http:>8.2f}"
        print(f"{first + size:>10} {figures}", flush=True)
    return laps


def rates(laps):
    """Rows a second over HTTP, and of the bare loop."""
    rows, over_http, alone = (sum(column) for column in zip(*laps))
    return rows / over_http, rows / alone


def http_singles(port, seconds):
    out = subprocess.run(
        ["wrk", "-t1", f"-c{SINGLE_CONNECTIONS}", f"-d{seconds}", "-s", str(HERE / "singles.lua"),
         f"http://127.0.0.1:{port}", "--", str(PLAYERS)],
        capture_output=True, text=True, check=True,
    ).stdout
    if "Non-2xx" in out:
        sys.exit(f"bad answers:\n{out}")
    return float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1])


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("scoreline")
    arguments.add_argument("build")
    arguments.add_argument("--rows", type=int, default=1_000_000)
    arguments.add_argument("--lap", type=int, default=50_000)
    arguments.add_argument("--batch", type=int, default=500)
    arguments.add_argument("--connections", type=int, default=4)
    arguments.add_argument("--single-seconds", type=int, default=10)
    options = arguments.parse_args()

    # Beside the build, not in /tmp: that may be memory, where an fsync costs nothing.
    with tempfile.TemporaryDirectory(prefix="bench-ingest-", dir=options.build) as folder:
        bare = BareSqlite(options.build, options.batch, f"{folder}/bare")
        process, port = start(options.scoreline, f"{folder}/data")
        try:
            laps = take_turns(HttpBatches(port, options.batch, options.connections), bare, options.rows, options.lap)
            singles = http_singles(port, options.single_seconds)
        finally:
            stop(process)
            bare.stop()

    second_half = laps[len(laps) // 2:]
    ratio = statistics.median(alone / over_http for _, over_http, alone in second_half)
    over_http, alone = rates(laps)
    over_http_late, alone_late = rates(second_half)
    per_second = {
        "http_batches": round(over_http),
        "bare_sqlite": round(alone),
        "http_batches_second_half": round(over_http_late),
        "bare_sqlite_second_half": round(alone_late),
        "http_singles": round(singles),
    }
    for name, value in per_second.items():
        print(f"  {name:26}{value:>10,} results/s")
    print(f"  median ratio of the laps of the second half {ratio:.2f}, of all rows {over_http / alone:.2f}")
    print(json.dumps({
        "bench": "ingest",
        "rows": options.rows,
        "lap": options.lap,
        "batch": options.batch,
        "connections": options.connections,
        "single_connections": SINGLE_CONNECTIONS,
        "ratio": {"batches_vs_bare": round(ratio, 2), "batches_vs_bare_all_rows": round(over_http / alone, 2)},
        "per_second": per_second,
    }))


if __name__ == "__main__":
    main()
