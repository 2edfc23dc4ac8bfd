"""Job queues over HTTP: what goes in, in what order it comes out, and what becomes of it."""

import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone

from job_queue import JobQueue
from scoreline import wait_until


def ids(jobs):
    return [job["id"] for job in jobs]


def taken_all(queue):
    return ids(queue.take(1000))


def test_a_job_goes_in_comes_out_and_is_done(queue):
    assert queue.push("a", payload={"to": "ann"}) == {"id": "a", "outcome": "enqueued", "state": "ready"}
    job = queue.take_one(lease="60s")
    assert (job["id"], job["payload"], job["priority"], job["attempt"]) == ("a", {"to": "ann"}, 5, 1)
    ends = datetime.fromisoformat(job["leaseUntil"].replace("Z", "+00:00")) - datetime.now(timezone.utc)
    assert timedelta(seconds=55) < ends <= timedelta(seconds=60)
    assert queue.take() == []
    assert queue.done("ack", job) == "done"
    assert queue.job("a") is None


def test_priority_first_then_the_order_of_enqueueing(queue):
    pushed = [(f"{priority}-{i}", priority) for i in range(20) for priority in (9, 0, 5)]
    for name, priority in pushed[:30]:
        queue.push(name, priority=priority)
    queue.push_all([{"id": name, "priority": priority} for name, priority in pushed[30:]])
    assert taken_all(queue) == [f"{priority}-{i}" for priority in (0, 5, 9) for i in range(20)]


def test_a_thousand_in_one_call_all_or_none(queue):
    names = [f"job-{i}" for i in range(1000)]
    answers = queue.push_all([{"id": name} for name in names])
    assert ids(answers) == names and {answer["outcome"] for answer in answers} == {"enqueued"}
    assert queue.refused("POST", "/jobs", {"jobs": [{"id": "x"}] * 1001}) == (422, "too_many", "jobs")
    wrong = {"jobs": [{"id": "good"}, {"id": "bad", "priority": 10}]}
    assert queue.refused("POST", "/jobs", wrong) == (422, "invalid", "jobs[1].priority")
    assert queue.job("good") is None
    assert taken_all(queue) == names


def test_payloads_come_back_as_the_same_values_digit_for_digit(queue):
    raw = b'{"id":"a","payload":{"b" : 1.50,  "a":[true,null,"\\u00e4"], "big":123456789012345678901234567890}}'
    assert queue.call("POST", "/jobs", raw)[0] == 200
    with urllib.request.urlopen(queue.server.url + queue.path + ":peek", timeout=10) as answer:
        shown = answer.read().decode()
    assert shown.endswith('"payload":{"b":1.50,"a":[true,null,"ä"],"big":123456789012345678901234567890}}}')
    queue.take_one()
    queue.push("bytes", payloadBase64="AP/+")
    assert queue.take_one()["payloadBase64"] == "AP/+"
    queue.push("none")
    assert queue.take_one()["payload"] is None


def test_a_job_without_an_id_gets_one(queue):
    first, second = queue.push()["id"], queue.push()["id"]
    assert first != second and len(first) == 36 and first[14] == "7"


def test_any_id_goes_through_a_path(queue):
    names = ["a/b", "50%", "ä ö?#&", "..", "x:ack", "a:b:c", "+"]
    queue.push_all([{"id": name} for name in names])
    assert [queue.job(name)["id"] for name in names] == names
    assert [queue.done("ack", job) for job in queue.take(100)] == ["done"] * len(names)


def test_poll_hands_over_and_forgets(queue):
    queue.push("low", priority=9)
    queue.push("high", priority=1)
    assert queue.ok("POST", ":poll")["job"] == {"id": "high", "payload": None, "priority": 1, "attempt": 1}
    assert queue.job("high") is None
    assert queue.ok("POST", ":poll")["job"]["id"] == "low"
    assert queue.ok("POST", ":poll") == {"job": None}


def test_a_delayed_job_comes_when_it_is_due(queue):
    begin = time.monotonic()
    assert queue.push("later", delay="400ms", priority=0)["state"] == "delayed"
    queue.push("now", priority=9)
    assert taken_all(queue) == ["now"]
    assert ids(queue.take(wait="10s")) == ["later"]
    assert 0.4 <= time.monotonic() - begin < 0.6
    past = (datetime.now(timezone.utc) - timedelta(hours=1)).isoformat()
    assert queue.push("past", runAt=past)["state"] == "ready"


def test_poll_due_hands_over_what_fell_due_first(queue):
    queue.push("ready")
    queue.push("second", delay="60ms", priority=0)
    queue.push("first", delay="20ms", priority=9)
    assert queue.ok("POST", ":poll-due") == {"job": None}
    time.sleep(0.08)
    assert [queue.ok("POST", ":poll-due")["job"]["id"] for _ in range(2)] == ["first", "second"]
    assert queue.ok("POST", ":poll-due") == {"job": None} and taken_all(queue) == ["ready"]


def test_a_nacked_job_comes_again_and_in_the_end_is_dead(queue):
    queue.ok("PUT", body={"maxAttempts": 3, "backoff": "100ms"})
    queue.push("a", payload=1)
    begin = time.monotonic()
    assert queue.done("nack", queue.take_one(), reason="first") == "delayed"
    job = queue.take_one(wait="5s")
    assert job["attempt"] == 2 and 0.05 <= time.monotonic() - begin < 0.4
    assert queue.done("nack", job, delay="0") == "ready"
    assert queue.done("nack", queue.take_one(), reason="last") == "dead"
    dead = queue.job("a")
    assert (dead["state"], dead["cause"], dead["reason"], dead["failures"], dead["payload"]) == \
        ("dead", "failed", "last", 3, 1)
    assert queue.jobs("dead") == ["a"] and queue.take() == []


def test_dead_jobs_are_made_ready_one_or_all(queue):
    queue.push_all([{"id": name, "maxAttempts": 1} for name in "abc"])
    for job in queue.take(3):
        assert queue.done("nack", job) == "dead"
    assert queue.ok("POST", "/jobs/b:retry") == {"retried": 1}
    assert queue.refused("POST", "/jobs/b:retry", None) == (409, "conflict", "id")
    assert queue.refused("POST", "/jobs/z:retry", None) == (404, "not_found", "id")
    assert queue.take_one()["attempt"] == 1
    assert queue.ok("POST", ":retry-dead") == {"retried": 2}
    assert taken_all(queue) == ["a", "c"]
    assert queue.ok("POST", ":retry-dead") == {"retried": 0}


def test_a_lease_runs_out_on_time_and_the_old_receipt_is_refused(queue):
    queue.push("a")
    lost = queue.take_one(lease="300ms")
    begin = time.monotonic()
    again = queue.take_one(wait="5s", lease="60s")
    assert 0.2 < time.monotonic() - begin < 0.4
    assert again["attempt"] == 2 and again["receipt"] != lost["receipt"]
    for verb in ("ack", "nack", "extend", "release"):
        status, answer = queue.deed(verb, lost)
        assert (status, answer["code"], answer["field"]) == (409, "conflict", "receipt")
    assert queue.job("a")["state"] == "leased"
    assert queue.done("ack", again) == "done"
    assert queue.deed("ack", again)[0] == 409


def test_a_job_that_loses_its_workers_is_dead_in_the_end(queue):
    queue.ok("PUT", body={"crashLimit": 1, "lease": "50ms"})
    queue.push("a")
    queue.take_one()
    queue.take_one(wait="5s")
    wait_until(lambda: queue.job("a")["state"] == "dead", 5, "the end of the second lease")
    assert (queue.job("a")["cause"], queue.job("a")["crashes"]) == ("crash_loop", 2)


def test_an_extended_lease_holds(queue):
    queue.push("a")
    job = queue.take_one(lease="200ms")
    status, answer = queue.deed("extend", job, lease="60s")
    assert status == 200 and answer["state"] == "leased" and answer["leaseUntil"] > job["leaseUntil"]
    assert queue.take(wait="400ms") == []
    assert queue.done("ack", job) == "done"


def test_a_released_job_has_its_place_again(queue):
    queue.push_all([{"id": name} for name in "abc"])
    job = queue.take_one()
    assert queue.done("release", job) == "ready"
    again = queue.take(3)
    assert ids(again) == ["a", "b", "c"] and again[0]["attempt"] == 1
    assert queue.done("release", again[0], delay="30m") == "delayed"


def test_many_are_acked_at_once_and_one_that_is_wrong_holds_up_none(queue):
    queue.push_all([{"id": name} for name in "abc"])
    held = [{"id": job["id"], "receipt": job["receipt"]} for job in queue.take(3)]
    held[1] = held[1] | {"receipt": "0" * 15 + "1"}
    first, second, third = queue.ok("POST", ":ack", {"jobs": held})["jobs"]
    assert first == {"id": "a", "state": "done"} and third == {"id": "c", "state": "done"}
    assert (second["id"], second["code"], second["field"]) == ("b", "conflict", "receipt")
    assert queue.jobs("leased") == ["b"]


def test_a_live_id_is_a_duplicate_and_changes_nothing(queue):
    queue.push("a", payload=1, priority=3)
    assert queue.push("a", payload=2, priority=0) == {"id": "a", "outcome": "duplicate", "state": "ready"}
    job = queue.take_one()
    assert (job["payload"], job["priority"]) == (1, 3)
    assert queue.push("a")["state"] == "leased"
    queue.done("ack", job)
    assert queue.push("a")["outcome"] == "enqueued"


def test_an_id_stays_taken_for_the_dedup_window(queue):
    queue.ok("PUT", body={"dedupFor": "300ms"})
    queue.push("a")
    queue.done("ack", queue.take_one())
    assert queue.push("a") == {"id": "a", "outcome": "duplicate", "state": "done"}
    assert queue.job("a")["state"] == "done"
    wait_until(lambda: queue.push("a")["outcome"] == "enqueued", 2, "the end of the window")


def test_a_paused_queue_hands_out_nothing(queue):
    queue.push("a")
    held = queue.take_one()
    queue.push("b")
    assert queue.ok("POST", ":pause")["paused"]
    assert queue.take() == [] and queue.ok("POST", ":poll") == {"job": None}
    assert queue.push("c")["outcome"] == "enqueued" and queue.done("ack", held) == "done"
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(queue.take, 5, wait="20s")
        time.sleep(0.2)
        assert not waiting.done()
        assert not queue.ok("POST", ":resume")["paused"]
        assert ids(waiting.result(2)) == ["b", "c"]


def test_peek_and_position_and_lists_change_nothing(queue):
    queue.push_all([{"id": "b"}, {"id": "c"}, {"id": "a", "priority": 0}, {"id": "d", "delay": "1h"}])
    assert queue.ok("GET", ":peek")["job"]["id"] == "a"
    assert [queue.job(name).get("ahead") for name in "abcd"] == [0, 1, 2, None]
    assert queue.jobs("ready") == ["a", "b", "c"] and queue.jobs("delayed") == ["d"]
    assert [job["id"] for job in queue.ok("GET", "/jobs?first=1&limit=1")["jobs"]] == ["b"]
    assert taken_all(queue) == ["a", "b", "c"]
    assert queue.ok("GET", ":peek") == {"job": None}


def test_purge_and_remove_drop_jobs(queue):
    queue.push_all([{"id": "a"}, {"id": "b"}, {"id": "c"}, {"id": "d", "delay": "1h"}])
    held = queue.take_one()
    assert queue.ok("DELETE", "/jobs/b") == {"removed": True}
    assert queue.refused("DELETE", "/jobs/b", None) == (404, "not_found", "id")
    assert queue.ok("POST", ":purge", {"state": "ready"}) == {"purged": 1}
    assert queue.ok("POST", ":purge", {"state": "leased"}) == {"purged": 1}
    assert queue.deed("ack", held)[0] == 409
    assert queue.jobs("delayed") == ["d"]


def test_counts_are_those_of_what_was_done(queue):
    queue.push_all([{"id": name} for name in "abcde"] + [{"id": "later", "delay": "1h"}])
    queue.push("a")
    first, second, _ = queue.take(3)
    queue.done("ack", first)
    queue.done("nack", second, delay="1h")
    stats = queue.stats()
    assert {name: stats[name] for name in ("ready", "leased", "delayed", "dead")} == \
        {"ready": 2, "leased": 1, "delayed": 2, "dead": 0}
    assert {name: stats[name] for name in ("enqueued", "duplicates", "taken", "acked", "nacked")} == \
        {"enqueued": 6, "duplicates": 1, "taken": 3, "acked": 1, "nacked": 1}


def test_a_schedule_puts_in_a_job_at_each_tick(queue):
    cron = {"cron": "* * * * *", "payload": {"kind": "digest"}, "priority": 2}
    assert queue.ok("PUT", "/schedules/digest", cron) == {"name": "digest"}
    [schedule] = queue.ok("GET", "/schedules")["schedules"]
    assert schedule["next"] > datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M") and "last" not in schedule
    job = queue.take_one(wait="70s", timeout=80)
    assert job["id"] == f"digest@{schedule['next']}"
    assert (job["payload"], job["priority"]) == ({"kind": "digest"}, 2)
    assert queue.ok("GET", "/schedules")["schedules"][0]["last"] == schedule["next"]
    assert queue.ok("DELETE", "/schedules/digest") == {"dropped": True}
    assert queue.refused("DELETE", "/schedules/digest", None) == (404, "not_found", "name")


def test_at_most_so_many_are_held_and_some_places_are_for_the_urgent(queue):
    queue.ok("PUT", body={"maxLeased": 2, "reserved": 1, "reservedFor": 1})
    queue.push_all([{"id": "slow1"}, {"id": "slow2"}])
    held = queue.take(10)
    assert ids(held) == ["slow1"]
    queue.push("urgent", priority=1)
    assert taken_all(queue) == ["urgent"]
    assert queue.done("ack", held[0]) == "done" and taken_all(queue) == ["slow2"]


def test_queues_are_apart(server):
    one, two = JobQueue(server, "one"), JobQueue(server, "two")
    one.push("a", payload=1)
    two.push("a", payload=2)
    assert server.get("/v1/queues") == {"queues": ["one", "two"]}
    assert (one.take_one()["payload"], two.take_one()["payload"]) == (1, 2)
