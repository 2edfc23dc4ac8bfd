"""What was answered survives kill -9 and a new start: jobs and their order, delays, attempts, leases, options."""

import contextlib
import itertools
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException

import pytest
from job_queue import JobQueue
from scoreline import Server, wait_until


class Restarted:
    """A server over one folder that is killed and started again; `queue` is that of the one that runs."""

    def __init__(self, folder):
        self.folder = folder
        self.server = None
        self.queue = None
        self.start()

    def start(self):
        self.server = Server(self.folder)
        self.queue = JobQueue(self.server)

    def kill(self):
        self.server.kill()
        self.start()

    def stop(self):
        assert self.server.stop() == 0
        self.start()


@pytest.fixture(name="life")
def fixture_life(tmp_path):
    life = Restarted(tmp_path / "data")
    yield life
    life.server.kill()


@pytest.mark.parametrize("end", ["kill", "stop"])
def test_the_order_goes_on(life, end):
    jobs = [{"id": f"{priority}-{i:02}", "priority": priority, "payload": i} for i in range(50) for priority in (7, 1)]
    for job in jobs[:20]:
        life.queue.push(job["id"], priority=job["priority"], payload=job["payload"])
    life.queue.push_all(jobs[20:])
    first = life.queue.take(5)
    assert [life.queue.done("ack", job) for job in first] == ["done"] * 5
    getattr(life, end)()
    life.queue.push("1-50", priority=1)
    left = [(job["id"], job["payload"]) for job in life.queue.take(1000)]
    assert left == [(f"1-{i:02}", i) for i in range(5, 50)] + [("1-50", None)] + [(f"7-{i:02}", i) for i in range(50)]


def test_a_lease_goes_on_and_its_receipt_still_counts(life):
    life.queue.push_all([{"id": "kept"}, {"id": "lost"}])
    kept, lost = life.queue.take_one(lease="60s"), life.queue.take_one(lease="4s")
    begin = time.monotonic()
    life.kill()
    assert life.queue.take() == [], "nobody else gets them before their leases end"
    assert life.queue.jobs("leased") == ["lost", "kept"]
    assert life.queue.done("ack", kept) == "done"
    again = life.queue.take_one(wait="20s")
    assert again["id"] == "lost" and again["attempt"] == 2
    assert 3.5 < time.monotonic() - begin < 4.6, "neither early nor late"
    assert life.queue.deed("ack", lost)[0] == 409 and life.queue.done("ack", again) == "done"


def test_a_lease_that_ran_out_while_nobody_ran_is_over(life):
    life.queue.push("a")
    old = life.queue.take_one(lease="100ms")
    life.server.kill()
    time.sleep(0.2)
    life.start()
    assert life.queue.take_one()["attempt"] == 2
    assert life.queue.deed("ack", old)[0] == 409


def test_delays_attempts_and_the_dead_are_kept(life):
    queue = life.queue
    queue.push("later", delay="3s")
    queue.push_all([{"id": "tried"}, {"id": "dead", "maxAttempts": 1, "payload": "last words"}])
    begin = time.monotonic()
    tried, dead = queue.take(2)
    assert queue.done("nack", tried, delay="1h", reason="first") == "delayed"
    assert queue.done("nack", dead, reason="no") == "dead"
    before = [queue.job(name) for name in ("later", "tried", "dead")]
    life.kill()
    assert [life.queue.job(name) for name in ("later", "tried", "dead")] == before
    assert life.queue.take_one(wait="20s")["id"] == "later" and 2.5 < time.monotonic() - begin < 4
    assert life.queue.ok("POST", ":retry-dead") == {"retried": 1}
    assert life.queue.take_one()["payload"] == "last words"


def test_options_pause_schedules_and_the_dedup_window_are_kept(life):
    life.queue.ok("PUT", body={"dedupFor": "1h", "maxAttempts": 7, "lease": "90s"})
    life.queue.ok("PUT", "/schedules/yearly", {"cron": "0 0 1 1 *", "payload": [1]})
    life.queue.push("once")
    life.queue.done("ack", life.queue.take_one())
    life.queue.ok("POST", ":pause")
    options, schedules = life.queue.ok("GET")["options"], life.queue.ok("GET", "/schedules")
    life.kill()
    assert life.queue.ok("GET")["options"] == options and life.queue.ok("GET")["paused"]
    assert life.queue.ok("GET", "/schedules") == schedules
    assert life.queue.push("once") == {"id": "once", "outcome": "duplicate", "state": "done"}


def test_an_enqueue_that_was_answered_is_there_after_kill_and_none_is_there_twice(life):
    """Eight clients enqueue, take and ack until the server is killed, three times."""
    answered, finishing, acked = set(), set(), set()

    def client(name):
        with contextlib.suppress(OSError, HTTPException):  # killed: what was not answered may be there or not
            for i in itertools.count():
                life.queue.push(f"{name}-{i}")
                answered.add(f"{name}-{i}")
                if i % 3 == 0:
                    job = life.queue.take_one()
                    finishing.add(job["id"])
                    life.queue.done("ack", job)
                    acked.add(job["id"])

    for life_number in range(3):
        with ThreadPoolExecutor(8) as pool:
            clients = [pool.submit(client, f"{life_number}-{n}") for n in range(8)]
            time.sleep(0.5)
            life.server.kill()
            for ended in clients:
                ended.result()
        life.start()
    there = life.queue.jobs("leased")
    while jobs := life.queue.take(1000):
        there += [job["id"] for job in jobs]
    assert len(answered) > 100 and len(there) == len(set(there)), "no job is there twice"
    assert sorted(answered - finishing - set(there)) == [], "none that was answered is lost"
    assert len(finishing - acked) <= 3 * 8, "an ack of each client whose answer was cut off"
    assert sorted(acked & set(there)) == [], "none that is done comes again"


def test_memory_is_for_the_process_alone(life):
    life.queue.ok("PUT", body={"durability": "memory"})
    life.queue.push("a")
    life.kill()
    assert life.queue.ok("GET")["options"]["durability"] == "memory"
    assert life.queue.take() == []
    wait_until(lambda: life.queue.push("a")["outcome"] == "enqueued", 1, "a free id")
