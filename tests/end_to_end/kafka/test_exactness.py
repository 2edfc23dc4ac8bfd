"""A season through Kafka, with everything that goes wrong in messages, and nodes killed in the middle: in the end the
ledger, the dead letters and the boards are exactly what was sent."""

import random
import time

import pytest
from consuming import Consuming, Producing
from messages import Traffic
from stores import LONG

MESSAGES = 120_000 if LONG else 12_000
SECONDS = 20 if LONG else 6
PARTITIONS = 6


@pytest.mark.parametrize("mode", ["ledger-first", "parallel"])
@pytest.mark.parametrize("engines", ["embedded", "shared"])
def test_ends_exact_after_nodes_were_killed_in_the_middle(broker, request, tmp_path, engines, mode):
    stores = request.getfixturevalue("stores") if engines == "shared" else None
    seed = random.randrange(1 << 32)
    traffic = Traffic(seed, MESSAGES, PARTITIONS)
    print(f"seed {seed}; {traffic}")
    chance = random.Random(seed)
    with Consuming(broker, stores, tmp_path, mode, count=3 if stores else 1, partitions=PARTITIONS) as consuming:
        kills = 0
        begin = time.monotonic()
        with Producing(consuming, traffic, SECONDS) as producing:
            while producing.goes_on:
                time.sleep(chance.uniform(0.2, 1.5))
                number = chance.randrange(len(consuming.servers))
                consuming.servers[number].kill()
                kills += 1
                consuming.check_committed(traffic)
                consuming.nodes.restart(number)
        consuming.drained(traffic)
        print(f"{kills} kills; all taken after {time.monotonic() - begin:.1f} s")
        assert kills > 2
        consuming.check_end(traffic)
