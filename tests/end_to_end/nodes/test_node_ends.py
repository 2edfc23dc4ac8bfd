"""A node is killed or stopped under load while another goes on, or starts at a bad time."""

import os
import random
import signal
import time
import uuid

import pytest
from load import Load
from nodes import Nodes
from recount import ledger_of
from scoreline import run_json
from stores import LONG, free_port
from tcp_proxy import TcpProxy


def test_what_was_answered_survives_nodes_that_are_killed_and_started_again(stores, tmp_path):
    nodes = Nodes(stores, tmp_path)
    with nodes as servers:
        with Load(servers) as load:
            for turn in range(100 if LONG else 6):
                time.sleep(random.uniform(0, 0.5))
                load.may_end(servers[turn % 2])
                servers[turn % 2].kill()
                nodes.restart(turn % 2)
            load.goes_on()
        load.check_end(stores[0])


def test_a_node_that_is_stopped_answers_what_it_has_heard(stores, tmp_path):
    postgres, _ = stores
    nodes = Nodes(stores, tmp_path)
    with nodes as servers:
        with Load(servers) as load:
            for turn in range(20 if LONG else 3):
                stopped = servers[turn % 2]
                with postgres.hung():  # so that requests are open
                    time.sleep(0.3)
                    load.may_end(stopped, orderly=True)
                    os.kill(stopped.pid, signal.SIGTERM)
                    time.sleep(0.1)
                assert stopped.process.wait(20) == 0, stopped.log_text()
                nodes.restart(turn % 2)
                load.goes_on()
        load.check_end(postgres)


@pytest.mark.parametrize("whose", ["survivor", "newcomer"])
def test_what_a_dead_node_kept_and_did_not_show_is_shown_without_a_hand(stores, tmp_path, whose):
    postgres, redis = stores
    proxy = TcpProxy(redis.port)
    dying = Nodes(stores, tmp_path / "dying", count=1, index=f"redis://127.0.0.1:{proxy.port}")
    others = Nodes(stores, tmp_path / "others", count=1 if whose == "survivor" else 0)
    with dying as first, others as rest:
        with Load(first + rest, sends_again=False) as load:
            proxy.mode = "deaf"  # it commits, and its offers to the boards are lost
            time.sleep(0.5)
            load.may_end(first[0])
            first[0].kill()
        assert len(ledger_of(postgres)) > len(load.answered)
        if whose == "newcomer":
            others.add()
        load.servers = rest
        load.check_end(postgres)
    proxy.close()


@pytest.mark.parametrize("away", ["ledger", "index"])
def test_a_node_that_cannot_reach_its_stores_says_which_and_ends(stores, tmp_path, away):
    urls = {"ledger": stores[0].url, "index": stores[1].url}
    port = free_port()
    urls[away] = urls[away].replace(str(stores[0 if away == "ledger" else 1].port), str(port))
    begin = time.monotonic()
    error = run_json("serve", "--ledger", urls["ledger"], "--index", urls["index"], cwd=tmp_path, expect=74)
    assert f"127.0.0.1:{port}" in error["detail"] and error["code"] == "storage_failed", error
    assert time.monotonic() - begin < 15


def test_what_one_node_kept_and_another_answers_is_on_the_board(stores, tmp_path):
    _, redis = stores
    proxy = TcpProxy(redis.port)
    with Nodes(stores, tmp_path / "one", count=1, index=f"redis://127.0.0.1:{proxy.port}") as (one,), \
            Nodes(stores, tmp_path / "two", count=1) as (two,):
        path = "/v1/leaderboards/main/results"
        result = {"matchId": str(uuid.uuid4()), "playerId": "alice", "seasonId": 12, "points": 10}
        assert one.request("POST", path, result | {"matchId": str(uuid.uuid4()), "playerId": "bob"})[0] == 200
        proxy.mode = "deaf"
        assert one.request("POST", path, result)[0] == 503
        status, _, body = two.request("POST", path, result)
        assert status == 503 or body["rank"] == 2, body
        proxy.mode = "pass"
    proxy.close()
