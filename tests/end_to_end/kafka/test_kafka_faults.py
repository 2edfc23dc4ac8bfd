"""Consumers and the broker fail under load; a topic comes late, an offset is gone."""

import signal
import time

import pytest
from consuming import SESSION, Consuming, Producing
from messages import Traffic, in_any_order
from scoreline import wait_until

COUNT = 6_000


def test_a_node_frozen_past_its_session_counts_nothing_twice(broker, stores, tmp_path):
    traffic = Traffic(1, COUNT)
    with Consuming(broker, stores, tmp_path, count=2) as consuming:
        with Producing(consuming, traffic, 3 * SESSION):
            wait_until(lambda: consuming.committed() > COUNT / 10, 20, "some of it")
            frozen = consuming.servers[0].process
            with stores[0].locked("match_results"):
                # Frozen between the ledger and the offset: PostgreSQL goes on with what it was sent.
                waiting = "select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
                wait_until(lambda: stores[0].query(waiting) == "2", 10, "a batch of each node on its way")
                frozen.send_signal(signal.SIGSTOP)
            time.sleep(2 * SESSION)
            consuming.check_committed(traffic)
            frozen.send_signal(signal.SIGCONT)
        consuming.drained(traffic)
        read = sum(consuming.metric("scoreline_kafka_messages_total", node) for node in (0, 1))
        assert read > len(traffic.messages), "nothing came twice"
        consuming.check_end(traffic)


@pytest.mark.parametrize("mode", ["ledger-first", "parallel"])
def test_three_nodes_that_come_and_go_share_the_work(broker, stores, tmp_path, mode):
    traffic = Traffic(2, COUNT)
    with Consuming(broker, stores, tmp_path, mode) as consuming:
        with Producing(consuming, traffic, 12):
            consuming.nodes.add()
            time.sleep(1)
            consuming.nodes.add()
            wait_until(lambda: all(consuming.metric("scoreline_kafka_partitions", node) > 0 for node in (0, 1, 2)), 15,
                       "partitions for each node")
            assert consuming.servers[1].stop() == 0
            time.sleep(1)
            consuming.nodes.restart(1)
            consuming.servers[2].kill()
            consuming.check_committed(traffic)
            consuming.nodes.restart(2)
        consuming.drained(traffic)
        consuming.check_end(traffic)


def killed(broker):
    broker.kill()
    time.sleep(1)
    broker.start()


def hung(broker):
    with broker.hung():
        time.sleep(2 * SESSION)


@pytest.mark.parametrize("fault", [killed, hung])
def test_a_broker_that_was_away_is_read_on(broker, stores, tmp_path, fault):
    traffic = Traffic(3, COUNT)
    with Consuming(broker, stores, tmp_path, count=2) as consuming:
        broker.produce(consuming.topic, traffic.messages)
        wait_until(lambda: consuming.committed() > COUNT / 10, 20, "some of it")
        fault(broker)
        broker.produce(consuming.topic, traffic.add(COUNT))
        consuming.drained(traffic)
        consuming.check_end(traffic)


def test_a_topic_that_comes_later_is_read_from_its_first_message(broker, tmp_path):
    traffic = Traffic(5, 500)
    with Consuming(broker, None, tmp_path, make_topic=False) as consuming:
        time.sleep(1)
        consuming.make_topic()
        broker.produce(consuming.topic, traffic.messages)
        consuming.drained(traffic)
        consuming.check_end(traffic)


def test_an_offset_that_is_gone_stops_its_partition_and_no_other(broker, tmp_path):
    traffic = Traffic(6, COUNT)
    with Consuming(broker, None, tmp_path) as consuming:
        broker.produce(consuming.topic, traffic.messages)
        consuming.drained(traffic)
        taken = list(traffic.results)
        consuming.servers[0].kill()
        at = broker.committed(consuming.group, consuming.topic)
        broker.produce(consuming.topic, traffic.add(COUNT))
        broker.delete_records(consuming.topic, {1: at[1] + 10})
        consuming.nodes.restart(0)

        def others_are_read():
            ends, now = broker.ends(consuming.topic), broker.committed(consuming.group, consuming.topic)
            return all(now[partition] == ends[partition] for partition in (0, 2, 3))
        wait_until(others_are_read, 30, "the other partitions")
        wait_until(lambda: consuming.metric("scoreline_kafka_stopped_partitions") == 1, 10, "the alarm")
        assert broker.committed(consuming.group, consuming.topic)[1] == at[1]
        said = [line for line in consuming.servers[0].log_text().splitlines() if "out of range" in line]
        assert said and consuming.topic in said[0], consuming.servers[0].log_text()[-2000:]
        consuming.check_boards(taken + [result for result in traffic.results[len(taken):]
                                        if traffic.partition_of(result.player) != 1])


def test_partitions_in_any_order_give_the_same_boards(broker, tmp_path):
    traffic = Traffic(7, COUNT, poison=0, conflicts=0)
    with Consuming(broker, None, tmp_path) as consuming:
        broker.produce(consuming.topic, in_any_order(traffic))
        consuming.drained(traffic)
        consuming.check_boards(traffic.results)
        assert not consuming.dead_letters()
