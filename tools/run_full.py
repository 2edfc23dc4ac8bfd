"""Everything on one machine, to look at: PostgreSQL, Redis, Kafka, two nodes, and matches that go on being played.

`./dev run --full` installs what it needs and starts it. All of it listens on 127.0.0.1 only, keeps its data in scratch
folders under /tmp, and is gone after Ctrl-C.
"""

import argparse
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "support_py"))

# pylint: disable=wrong-import-position
from kafka import Broker, what_is_missing  # noqa: E402
from scoreline import BINARY, Server, clean_environment  # noqa: E402
from stores import Postgres, Redis  # noqa: E402

TOPIC = "match-results"
PARTITIONS = 8
A_DAY = 24 * 60 * 60


def arguments():
    parser = argparse.ArgumentParser(prog="./dev run --full", description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--ports", type=int, nargs=2, default=(8080, 8081), metavar="PORT", help="of the two nodes")
    parser.add_argument("--rate", type=int, default=200, metavar="N", help="results a second (default: 200)")
    return parser.parse_args()


def told(postgres, redis, broker, nodes, rate):
    """What runs where, and what to try."""
    program = os.path.relpath(BINARY)
    return f"""
PostgreSQL  {postgres.url}
Redis       {redis.url}
Kafka       {broker.address}, topic {TOPIC}, {PARTITIONS} partitions
node 1      {nodes[0].url}  process {nodes[0].process.pid}  log {nodes[0].log_path}
node 2      {nodes[1].url}  process {nodes[1].process.pid}  log {nodes[1].log_path}
matches     {rate} results a second

Open {nodes[0].url}/ and {nodes[1].url}/: both show the same board. Then try:

A burst, and its lag, which falls by itself:
  {program} produce --generate 200000 --players 5000 --kafka {broker.address}
  curl -s {nodes[0].url}/metrics | grep scoreline_kafka_lag
A message that cannot be taken is put aside:
  echo nonsense | {program} produce --raw --kafka {broker.address} -
  psql {postgres.url} -c 'select * from dead_letters'
The first node goes on with all partitions when the second one dies:
  kill -9 {nodes[1].process.pid}

Ctrl-C ends it all.
"""


def stop(*_):
    raise KeyboardInterrupt


def run(options):
    with contextlib.ExitStack() as running:
        folder = pathlib.Path(running.enter_context(tempfile.TemporaryDirectory(prefix="scoreline-full-")))
        started = []
        for store in (Postgres, Redis, Broker):
            started.append(store())
            running.callback(started[-1].close)
        postgres, redis, broker = started
        broker.create_topic(TOPIC, PARTITIONS)
        nodes = []
        for number, port in enumerate(options.ports, 1):
            nodes.append(running.enter_context(
                Server(folder / f"node{number}", "--ledger", postgres.url, "--index", redis.url, "--kafka",
                       broker.address, port=port)))
        produce = subprocess.Popen(
            [BINARY, "produce", "--kafka", broker.address, "--rate", str(options.rate), "--generate",
             str(options.rate * A_DAY), "--players", "2000", "--duplicates", "5"],
            env=clean_environment(), stdout=subprocess.DEVNULL, stderr=(folder / "produce.log").open("wb"))
        running.callback(produce.wait)
        running.callback(produce.kill)
        print(told(postgres, redis, broker, nodes, options.rate), flush=True)
        while produce.poll() is None:
            time.sleep(0.2)
        sys.exit(f"the matches ended: {(folder / 'produce.log').read_text()}")


def main():
    options = arguments()
    if missing := what_is_missing():
        sys.exit(f"./dev run --full: {missing}")
    signal.signal(signal.SIGTERM, stop)
    with contextlib.suppress(KeyboardInterrupt):
        run(options)


if __name__ == "__main__":
    main()
