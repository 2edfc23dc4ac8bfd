"""PostgreSQL or Redis fails while results come through Kafka: they wait in the topic, and come by themselves."""

import contextlib
import time

import pytest
from consuming import SESSION, Consuming, Producing
from messages import Traffic
from scoreline import wait_until
from stores import LONG

COUNT = 20_000 if LONG else 6_000
AWAY = 30 if LONG else 2 * SESSION  # longer than may pass between two polls
CATCHES_UP = 60


@contextlib.contextmanager
def stopped(postgres, _):
    postgres.kill()
    try:
        yield
    finally:
        postgres.start()


@contextlib.contextmanager
def hung(postgres, _):
    with postgres.hung():
        yield


@contextlib.contextmanager
def redis_killed(_, redis):
    redis.kill()
    try:
        yield
    finally:
        redis.start()


@contextlib.contextmanager
def redis_hung(_, redis):
    redis.hang()
    try:
        yield
    finally:
        redis.resume()


@pytest.mark.parametrize("mode", ["ledger-first", "parallel"])
@pytest.mark.parametrize("fault", [stopped, hung, redis_killed, redis_hung])
def test_no_offset_moves_while_a_store_is_away_and_then_the_lag_drains(broker, stores, tmp_path, fault, mode):
    traffic = Traffic(fault.__name__, COUNT)
    with Consuming(broker, stores, tmp_path, mode, count=2) as consuming:
        with Producing(consuming, traffic, AWAY + 4):
            wait_until(lambda: consuming.committed() > 0, 20, "some of it")
            with fault(*stores):
                time.sleep(2)  # what was taken before is committed
                before, lag = consuming.committed(), consuming.lag()
                time.sleep(AWAY - 2)
                assert consuming.committed() == before and consuming.lag() > lag
                assert sum(consuming.metric("scoreline_kafka_paused", node) for node in (0, 1)) > 0
            consuming.check_committed(traffic)
        consuming.drained(traffic, CATCHES_UP)
        consuming.check_end(traffic)


def test_the_first_result_of_a_match_counts_whenever_connections_to_postgresql_end(broker, stores, tmp_path):
    """A batch that failed must not be passed by conflicts behind it."""
    traffic = Traffic("backends", 10 * COUNT, conflicts=0.3)
    postgres, _ = stores
    with Consuming(broker, stores, tmp_path) as consuming:
        broker.produce(consuming.topic, traffic.messages)
        for _ in range(60):
            postgres.query("select pg_terminate_backend(pid) from pg_stat_activity "
                           "where application_name = 'scoreline'")
            time.sleep(0.03)
        consuming.drained(traffic, CATCHES_UP)
        consuming.check_end(traffic)
