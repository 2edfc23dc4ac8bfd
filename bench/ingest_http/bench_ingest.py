#!/usr/bin/env python3
"""Durable results over HTTP, beside a bare SQLite loop doing the same inserts in the same run.

    bench_ingest.py SCORELINE BUILD_FOLDER [--rows 1000000] [--batch 500] [--connections 4] [--single-seconds 10]

BUILD_FOLDER has bench/ingest/bare_sqlite: prepared inserts in transactions of one batch, with the same settings, in a
loop with nothing around it. It runs before and after, and its mean is what counts. Requests are made before the clock
starts. Then single results on 64 connections, each answered after its (shared) fsync. Ends with one JSON line.
"""

import argparse
import http.client
import json
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PLAYERS = 100_000
SINGLE_CONNECTIONS = 64
PREPARED_BATCHES = 400  # made at a time, outside the clock


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


def http_batches(port, rows, batch, connections, rng):
    """Rows a second, the requests' making not counted."""
    open_connections = [Connection(port) for _ in range(connections)]
    kept, spent = 0, 0.0
    while kept < rows:
        todo = min(PREPARED_BATCHES, -(-(rows - kept) // batch))
        requests = [make_request(rng, batch) for _ in range(todo)]
        counts = [0] * connections

        def work(number):
            for request in requests[number::connections]:
                counts[number] += open_connections[number].exchange(request)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(connections)]
        begin = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        spent += time.monotonic() - begin
        if sum(counts) != todo * batch:
            sys.exit("a batch was not kept")
        kept += sum(counts)
    return kept / spent


def bare(build, rows, batch, ids, folder):
    with tempfile.TemporaryDirectory(prefix="bare-", dir=folder) as scratch:
        program = Path(build) / "bench" / "ingest" / "bare_sqlite"
        out = subprocess.run([program, str(rows), str(batch), ids, scratch], capture_output=True, text=True, check=True)
    return float(out.stdout.split()[-1])


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
    arguments.add_argument("--batch", type=int, default=500)
    arguments.add_argument("--connections", type=int, default=4)
    arguments.add_argument("--single-seconds", type=int, default=10)
    options = arguments.parse_args()
    rng = random.Random()

    # Beside the build, not in /tmp: that may be memory, where an fsync costs nothing.
    with tempfile.TemporaryDirectory(prefix="bench-ingest-", dir=options.build) as folder:
        before = bare(options.build, options.rows, options.batch, "v4", folder)
        process, port = start(options.scoreline, f"{folder}/data")
        try:
            batches = http_batches(port, options.rows, options.batch, options.connections, rng)
            singles = http_singles(port, options.single_seconds)
        finally:
            stop(process)
        after = bare(options.build, options.rows, options.batch, "v4", folder)

    per_second = {
        "bare_sqlite_before": round(before),
        "http_batches": round(batches),
        "bare_sqlite_after": round(after),
        "http_singles": round(singles),
    }
    for name, value in per_second.items():
        print(f"  {name:24}{value:>10,} results/s")
    print(json.dumps({
        "bench": "ingest",
        "rows": options.rows,
        "batch": options.batch,
        "connections": options.connections,
        "single_connections": SINGLE_CONNECTIONS,
        "ratio": {"batches_vs_bare": round(batches / ((before + after) / 2), 2)},
        "per_second": per_second,
    }))


if __name__ == "__main__":
    main()
