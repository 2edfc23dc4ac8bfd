"""Takes that wait: woken in the order of coming, free of cost, and of no harm when their clients are gone."""

import resource
import socket
import struct
import time

import pytest
from job_queue import JobQueue, WaitingTake, cpu_seconds, waiting_takes
from scoreline import wait_until


def taken(takes):
    return [job["id"] for take in takes for job in take.jobs()]


def vanish(take, how):
    """What becomes of clients: they end, they crash, they are cut off with their request still going."""
    if how == "closed":
        take.close()
    elif how == "reset":
        take.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        take.close()
    else:
        take.socket.shutdown(socket.SHUT_WR)


def test_a_take_waits_for_a_job_and_not_longer(queue):
    with waiting_takes(queue.server, 1) as [take]:
        time.sleep(0.2)
        begin = time.monotonic()
        queue.push("a")
        assert taken([take]) == ["a"] and time.monotonic() - begin < 0.1
    begin = time.monotonic()
    assert queue.take(wait="300ms") == [] and 0.3 <= time.monotonic() - begin < 0.5


def test_who_came_first_is_served_first(queue):
    with waiting_takes(queue.server, 0) as takes:
        for _ in range(20):
            takes.append(WaitingTake(queue.server))
            time.sleep(0.01)
        queue.push_all([{"id": f"{i:02}"} for i in range(20)])
        assert taken(takes) == [f"{i:02}" for i in range(20)]


def test_whatever_makes_a_job_ready_wakes_who_waits(queue):
    queue.push("a")
    job = queue.take_one()
    for wake in (lambda: queue.done("release", job), lambda: queue.done("nack", job, delay="0"),
                 lambda: queue.done("nack", job, delay="50ms")):
        with waiting_takes(queue.server, 1) as [take]:
            time.sleep(0.05)
            wake()
            [job] = take.jobs()
    assert job["attempt"] == 3


@pytest.mark.parametrize("how", ["closed", "reset"])
def test_a_client_that_vanishes_while_it_waits_takes_no_job_with_it(queue, how):
    with waiting_takes(queue.server, 6) as takes:
        time.sleep(0.1)
        for take in takes[:5]:
            vanish(take, how)
        time.sleep(0.1)
        queue.push("a")
        [job] = takes[5].jobs()
    assert (job["id"], job["attempt"]) == ("a", 1)
    assert queue.done("ack", job) == "done" and queue.stats()["taken"] == 1


@pytest.mark.parametrize("how", ["closed", "reset"])
def test_a_job_that_is_handed_to_a_vanishing_client_comes_back(queue, how):
    """The job comes in the very moment in which the client goes."""
    for i in range(100):
        with waiting_takes(queue.server, 2) as takes:
            if i % 2:
                vanish(takes[0], how)
                queue.push(f"{i}")
            else:
                queue.push(f"{i}")
                vanish(takes[0], how)
            # Whoever got it first: an answer that nobody reads any more may have reached the kernel.
    held = queue.jobs("leased")
    free = [job["id"] for job in queue.take(1000)]
    assert sorted(map(int, held + free)) == list(range(100)), "no job is lost"
    assert queue.stats()["ready"] == 0


def test_a_job_in_an_answer_that_cannot_be_sent_is_returned_at_once(queue):
    """The answers are larger than what fits between server and client, and the client reads nothing and goes."""
    queue.ok("PUT", body={"maxPayload": 4 << 20})
    queue.push_all([{"id": "a", "payload": "x" * (3 << 20)}, {"id": "b", "payload": "x" * (3 << 20)}])
    take = WaitingTake(queue.server, most=2)
    wait_until(lambda: queue.jobs("leased") == ["a", "b"], 5, "the lease")
    vanish(take, "reset")
    wait_until(lambda: queue.jobs("ready") == ["a", "b"], 2, "their return, long before the lease of 60 s ends")
    assert [job["attempt"] for job in queue.take(2)] == [1, 1]


def test_waiting_in_one_queue_blocks_no_other(server):
    with waiting_takes(server, 200, queue="slow"):
        fast = JobQueue(server, "fast")
        begin = time.monotonic()
        for i in range(50):
            fast.push(str(i))
            assert fast.done("ack", fast.take_one()) == "done"
        assert time.monotonic() - begin < 5


def test_thousands_wait_at_no_cost_and_all_get_their_job(server):
    """As many as the limit of open files lets this process and the server have, up to 10,000."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = hard if hard != resource.RLIM_INFINITY else 20_000
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    count = min(10_000, soft - 500, most - 500)
    try:
        queue = JobQueue(server)
        with waiting_takes(server, count, wait="10m") as takes:
            queue.call("GET")  # behind all of them
            time.sleep(1)
            before = cpu_seconds(server.pid)
            time.sleep(3)
            assert cpu_seconds(server.pid) - before < 0.15, "waiting must cost nothing"
            for first in range(0, count, 1000):
                queue.push_all([{"id": str(i)} for i in range(first, min(count, first + 1000))])
            assert sorted(map(int, taken(takes))) == list(range(count))
            assert queue.stats()["taken"] == count and queue.take() == []
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
