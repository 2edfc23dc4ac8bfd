"""Queues of several nodes: in PostgreSQL one node holds them and another takes over; in Redis all work at once."""

import os
import signal
import threading
import time
from http.client import HTTPException

import pytest
from job_queue import JobQueue, waiting_takes
from nodes import Nodes
from scoreline import wait_until


@pytest.fixture(name="nodes", params=["ledger:", "redis"])
def fixture_nodes(stores, tmp_path, request):
    where = stores[1].url + "/1" if request.param == "redis" else request.param
    nodes = Nodes(stores, tmp_path, more=("--queues", where))
    with nodes:
        yield nodes


def holder(nodes):
    """The queue at a node that has the queues, and that node's number."""
    def found():
        for number, server in enumerate(nodes.servers):
            if server.process.poll() is None and server.request("GET", "/v1/queues")[0] == 200:
                return JobQueue(server), number
        return None
    return wait_until(found, 20, "a node that has the queues")


def test_the_queues_outlive_the_node_that_holds_them(nodes):
    queue, number = holder(nodes)
    queue.ok("PUT", body={"maxAttempts": 4})
    queue.push_all([{"id": name, "payload": name} for name in "abcd"])
    queue.push("later", delay="1h")
    kept, lost = queue.take_one(lease="60s"), queue.take_one(lease="3s")
    begin = time.monotonic()
    nodes.servers[number].kill()
    queue, successor = holder(nodes)
    assert successor != number and time.monotonic() - begin < 5
    assert queue.ok("GET")["options"]["maxAttempts"] == 4
    assert queue.done("ack", kept) == "done", "the receipt still counts"
    assert [job["id"] for job in queue.take(10)] == ["c", "d"], "what is held stays held"
    again = queue.take_one(wait="20s")
    assert again["id"] == "b" and 2.5 < time.monotonic() - begin
    assert queue.deed("ack", lost)[0] == 409 and queue.done("ack", again) == "done"
    assert queue.jobs("delayed") == ["later"]
    nodes.restart(number)
    assert holder(nodes)[0].job("a") is None


def test_a_node_that_does_not_hold_the_queues_says_so(stores, tmp_path):
    with Nodes(stores, tmp_path) as servers:
        answers = [server.request("POST", "/v1/queues/q/jobs", {"id": "a"}) for server in servers]
        assert sorted(status for status, _, _ in answers) == [200, 503]
        [(_, headers, body)] = [answer for answer in answers if answer[0] == 503]
        assert body["code"] == "not_ready" and headers["Retry-After"] and "another" in body["detail"]


def drain(servers, count, killed=None):
    """Workers on all servers take and ack until `count` jobs are done; (ids handed out, ids acked)."""
    handed, acked, ended = [], [], threading.Event()

    def worker(server):
        queue = JobQueue(server)
        while not ended.is_set():
            try:
                status, body = queue.call("POST", ":take", {"max": 7, "wait": "200ms", "lease": "2s"})
                jobs = body["jobs"] if status == 200 else []
                handed.extend(job["id"] for job in jobs)
                acked.extend(job["id"] for job in jobs if queue.deed("ack", job)[0] == 200)
            except (OSError, HTTPException):
                return  # killed
            if status != 200:
                time.sleep(0.05)

    threads = [threading.Thread(target=worker, args=(server,)) for server in servers for _ in range(4)]
    for thread in threads:
        thread.start()
    if killed:
        wait_until(lambda: len(acked) > count // 4, 60, "a quarter of the jobs")
        killed.kill()
    try:
        wait_until(lambda: len(set(acked)) >= count, 60, "all jobs")
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    return handed, acked


def test_two_nodes_hand_out_each_job_once(nodes):
    queue, _ = holder(nodes)
    for first in range(0, 2000, 500):
        queue.push_all([{"id": str(i)} for i in range(first, first + 500)])
    handed, acked = drain(nodes.servers, 2000)
    assert len(handed) == len(set(handed)) == 2000 and sorted(map(int, acked)) == list(range(2000))
    assert queue.stats()["ready"] == 0 and queue.jobs("leased") == []


def test_a_node_that_is_killed_loses_no_job(nodes):
    queue, number = holder(nodes)
    for first in range(0, 2000, 500):
        queue.push_all([{"id": str(i)} for i in range(first, first + 500)])
    _, acked = drain(nodes.servers, 1990, killed=nodes.servers[number])
    queue, _ = holder(nodes)
    time.sleep(2.1)  # the leases of the killed node's workers
    rest = [job["id"] for job in queue.take(1000)]
    assert len(acked) == len(set(acked)) and not set(acked) & set(rest)
    # An ack of each of its four workers whose answer the killed node could not send any more.
    assert len(set(acked) | set(rest)) >= 2000 - 4


def test_a_job_put_in_at_one_node_wakes_who_waits_at_the_other(stores, tmp_path):
    with Nodes(stores, tmp_path, more=("--queues", stores[1].url + "/1")) as (one, two):
        took = 0
        for i in range(8):
            with waiting_takes(two, 1) as [take]:
                time.sleep(0.2)
                begin = time.monotonic()
                JobQueue(one).push(str(i))
                assert [job["id"] for job in take.jobs()] == [str(i)]
                took += time.monotonic() - begin
        assert took < 1, "it is told, not found by looking now and then"


def test_a_client_that_vanishes_at_one_node_leaves_the_job_to_the_other(stores, tmp_path):
    with Nodes(stores, tmp_path, more=("--queues", stores[1].url + "/1")) as (one, two):
        with waiting_takes(one, 5):
            time.sleep(0.3)
        time.sleep(0.3)
        JobQueue(one).push("a")
        job = JobQueue(two).take_one(wait="2s")
        assert job["attempt"] == 1 and JobQueue(one).done("ack", job) == "done"


def test_a_tick_comes_once_however_many_nodes_run(stores, tmp_path):
    with Nodes(stores, tmp_path, count=3, more=("--queues", stores[1].url + "/1")) as servers:
        one, two, late = map(JobQueue, servers)
        one.ok("PUT", "/schedules/s", {"cron": "* * * * *"})
        assert late.ok("GET", "/schedules")["schedules"][0]["name"] == "s"
        os.kill(late.server.pid, signal.SIGSTOP)
        job = two.take_one(wait="70s", timeout=80)
        assert job["id"].startswith("s@") and one.done("ack", job) == "done"
        os.kill(late.server.pid, signal.SIGCONT)
        assert one.take(wait="3s") == [], "the tick is over, though its id is free again"


def test_redis_away_is_told_and_what_was_kept_is_there_again(stores, tmp_path):
    with Nodes(stores, tmp_path, count=1, more=("--queues", stores[1].url + "/1")) as (server,):
        queue = JobQueue(server)
        queue.push("a")
        stores[1].hang()
        status, body = queue.call("POST", "/jobs", {"id": "b"}, timeout=60)
        assert status == 503 and body["code"] in ("storage_failed", "unknown_outcome", "not_ready", "overloaded"), body
        stores[1].resume()
        wait_until(lambda: queue.call("POST", "/jobs", {"id": "b"})[0] == 200, 20, "an answer")
        assert [job["id"] for job in queue.take(10)] == ["a", "b"]
