#!/usr/bin/env python3
"""Results through a real Kafka broker, all servers and the producer on this machine.

    bench_kafka.py SCORELINE [--part sustained|steady|burst] [--stores embedded|shared] [--messages 400000] [--rounds 3]
                   [--seconds 30] [--burst-seconds 60]

sustained: messages wait in the topic (4 partitions, 10 % of them duplicates); a node starts and takes them in. The rate
is that between the first and the last tenth, by committed offsets; the median of the rounds counts. Beside it, on the
same topic, kcat: a consumer that does nothing with them.
steady: 2,000 messages a second; from the node's histogram, how long after its timestamp a result is on the board.
burst: twice the sustained rate; what the producer was told, and how long the lag takes to be gone.
embedded: SQLite and memory. shared: PostgreSQL (fsync on) and Redis. Ends with one JSON line.
"""

import argparse
import contextlib
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
for room in ("../http", "../../tests/support_py"):
    sys.path.insert(0, str((HERE / room).resolve()))

import bench_http  # noqa: E402  pylint: disable=wrong-import-position
from kafka import Broker, what_is_missing  # noqa: E402  pylint: disable=wrong-import-position
from stores import Postgres, Redis  # noqa: E402  pylint: disable=wrong-import-position

PARTITIONS = 4
PLAYERS = 100_000
STEADY_RATE = 2_000
GROUP = "scoreline"


class Bench:
    def __init__(self, options, broker, stores):
        self.options = options
        self.broker = broker
        self.stores = stores
        self.topics = 0

    def new_topic(self):
        self.topics += 1
        topic = f"bench-{self.stores}-{self.topics}"
        self.broker.create_topic(topic, PARTITIONS)
        return topic

    def producing(self, topic, messages, rate=None, seed=None):
        limits = ["--rate", str(rate)] if rate else []
        return subprocess.Popen(
            [self.options.scoreline, "--json", "produce", "--kafka", self.broker.address, "--topic", topic,
             "--generate", str(messages), "--players", str(PLAYERS), "--duplicates", "10", "--season", "12",
             "--seed", str(seed or self.topics), *limits], stdout=subprocess.PIPE, text=True)

    def produce(self, topic, messages):
        with self.producing(topic, messages) as producer:
            out, _ = producer.communicate()
        assert producer.returncode == 0, out

    @contextlib.contextmanager
    def node(self, topic):
        """A node over new stores; its port."""
        with contextlib.ExitStack() as running:
            if self.stores == "shared":
                postgres, redis = Postgres("max_wal_size=2GB"), Redis()
                running.callback(postgres.close)
                running.callback(redis.close)
                where = ("--ledger", postgres.url, "--index", redis.url)
            else:
                where = ("--data", running.enter_context(tempfile.TemporaryDirectory(prefix="bench-kafka-")))
            server = running.enter_context(
                bench_http.running(self.options.scoreline, "serve", *where, "--listen", "127.0.0.1:0", "--kafka",
                                   self.broker.address, "--topic", topic, "--kafka-group", self.group(topic)))
            yield bench_http.scoreline_port(server)

    @staticmethod
    def group(topic):
        return f"{GROUP}-{topic}"

    def lag(self, topic):
        return self.broker.lag(self.group(topic), topic)

    def drain(self, topic):
        """(seconds, lag) until nothing is left."""
        samples = []
        begin = time.monotonic()
        while not samples or samples[-1][1] > 0:
            assert time.monotonic() - begin < 900, "the lag does not end"
            samples.append((time.monotonic(), self.lag(topic)))
            time.sleep(0.05)
        return samples

    def sustained(self):
        rates, bare = [], []
        for _ in range(self.options.rounds):
            topic = self.new_topic()
            self.produce(topic, self.options.messages)
            bare.append(self.bare(topic))
            with self.node(topic):
                samples = self.drain(topic)
            between = [(at, lag) for at, lag in samples
                       if 0.1 * self.options.messages <= lag <= 0.9 * self.options.messages]
            (begin, most), (end, least) = between[0], between[-1]
            rates.append((most - least) / (end - begin))
            print(f"{self.stores}, sustained: {rates[-1]:,.0f} results/s; kcat alone {bare[-1]:,.0f} messages/s",
                  flush=True)
        return {"results_per_second": round(statistics.median(rates)),
                "kcat_messages_per_second": round(statistics.median(bare))}

    def bare(self, topic):
        begin = time.monotonic()
        subprocess.run(["kcat", "-q", "-b", self.broker.address, "-C", "-t", topic, "-o", "beginning", "-e"],
                       check=True, stdout=subprocess.DEVNULL)
        return self.options.messages / (time.monotonic() - begin)

    def steady(self):
        topic = self.new_topic()
        with self.node(topic) as port:
            with self.producing(topic, STEADY_RATE * 3, STEADY_RATE, seed=1000) as warming:
                warming.communicate()
            self.drain(topic)
            before = buckets_of(port)
            with self.producing(topic, STEADY_RATE * self.options.seconds, STEADY_RATE) as producer:
                producer.communicate()
            self.drain(topic)
            after = buckets_of(port)
        counts = [(bound, after[bound] - before[bound]) for bound in after]
        delays = {f"p{round(share * 100)}_seconds": round(quantile(counts, share), 3) for share in (0.5, 0.99)}
        print(f"{self.stores}, {STEADY_RATE:,} results/s for {self.options.seconds} s: {delays}", flush=True)
        return delays

    def burst(self, sustained):
        topic = self.new_topic()
        seconds = self.options.burst_seconds
        with self.node(topic):
            with self.producing(topic, 2 * sustained * seconds, 2 * sustained) as producer:
                begin = time.monotonic()
                told = json.loads(producer.communicate()[0])
                spent = time.monotonic() - begin
            lag = self.lag(topic)
            drained = self.drain(topic)
        figures = {"sent_per_second": round(told["sent"] / spent), "failed": told["failed"], "lag_at_the_end": lag,
                   "seconds_to_drain": round(drained[-1][0] - drained[0][0], 1)}
        print(f"{self.stores}, burst at {2 * sustained:,} a second for {seconds} s: {figures}", flush=True)
        return figures


def buckets_of(port):
    """How many results took at most so many seconds, by bound, ascending."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        text = answer.read().decode()
    found = re.findall(r'^scoreline_event_to_visible_seconds_bucket\{[^}]*le="([^"]+)"\} (\S+)$', text, re.M)
    return {float(bound): float(count) for bound, count in found}


def quantile(counts, share):
    """As Prometheus' histogram_quantile: linear within a bucket."""
    wanted = share * counts[-1][1]
    below_bound, below = 0.0, 0.0
    for bound, count in counts:
        if count >= wanted:
            return below_bound if bound == float("inf") else \
                below_bound + (bound - below_bound) * (wanted - below) / max(1.0, count - below)
        below_bound, below = bound, count
    return below_bound


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("scoreline")
    arguments.add_argument("--part", choices=("sustained", "steady", "burst"))
    arguments.add_argument("--stores", choices=("embedded", "shared"))
    arguments.add_argument("--messages", type=int, default=400_000)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--seconds", type=int, default=30)
    arguments.add_argument("--burst-seconds", type=int, default=60)
    options = arguments.parse_args()
    if missing := what_is_missing():
        sys.exit(missing)
    figures = {"bench": "kafka"}
    with Broker() as broker:
        for stores in ("embedded", "shared"):
            if options.stores not in (None, stores):
                continue
            bench = Bench(options, broker, stores)
            done = figures[stores] = {}
            if options.part in (None, "sustained", "burst"):
                done["sustained"] = bench.sustained()
            if options.part in (None, "steady"):
                done["steady"] = bench.steady()
            if options.part in (None, "burst"):
                done["burst"] = bench.burst(done["sustained"]["results_per_second"])
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
