"""What a hostile or clumsy client may send to a queue: refused with what is wrong by name, and nothing is changed."""

import json

import pytest

JOBS, TAKE, ACK = ("POST", "/jobs"), ("POST", ":take"), ("POST", "/jobs/a:ack")


def nested(depth):
    return b'{"payload":' + b"[" * depth + b"]" * depth + b"}"


@pytest.mark.parametrize("call, body, answer", [
    # Not JSON, or not the JSON that is asked for.
    (JOBS, b"{", (400, "unreadable", None)),
    (JOBS, b"", (400, "unreadable", None)),
    (JOBS, b"[]", (400, "unreadable", None)),
    (JOBS, b'"a"', (400, "unreadable", None)),
    (JOBS, b'{"id":"a"} {"id":"b"}', (400, "unreadable", None)),
    (JOBS, b'{"id":"\xff\xfe"}', (400, "unreadable", None)),
    (JOBS, b'{"payload":NaN}', (400, "unreadable", None)),
    (JOBS, nested(100_000), (400, "unreadable", None)),
    (TAKE, b"null", (400, "unreadable", None)),
    # A key twice: which one is meant?
    (JOBS, b'{"id":"a","id":"b"}', (400, "unreadable", "id")),
    (JOBS, b'{"payload":1,"payload":2}', (400, "unreadable", "payload")),
    (JOBS, b'{"jobs":[{"priority":1,"priority":2}]}', (400, "unreadable", "priority")),
    (TAKE, b'{"max":1,"max":2}', (400, "unreadable", "max")),
    # Fields that are not there.
    (JOBS, {"prio": 1}, (422, "invalid", "prio")),
    (JOBS, {"jobs": [{}], "priority": 1}, (422, "invalid", "priority")),
    (JOBS, {"jobs": [{}, {"colour": 1}]}, (422, "invalid", "jobs[1].colour")),
    (TAKE, {"count": 1}, (422, "invalid", "count")),
    (ACK, {"receipt": "0123456789abcdef", "delay": "1s"}, (422, "invalid", "delay")),
    (("POST", ":retry-dead"), {"id": "a"}, (422, "invalid", "id")),
    (("POST", "/jobs/kept:retry"), {"delay": "1s"}, (422, "invalid", "delay")),
    (("POST", ":poll"), {"max": 2}, (422, "invalid", "max")),
    (("POST", ":poll-due"), {"now": "2126-10-12T18:00:00Z"}, (422, "invalid", "now")),
    (("POST", ":pause"), {"for": "1h"}, (422, "invalid", "for")),
    (("POST", ":resume"), b"now", (400, "unreadable", None)),
    (("POST", "/jobs?wait=1s"), {}, (422, "invalid", "wait")),
    (("GET", "/jobs?limit=10&limit=20"), None, (422, "invalid", "limit")),
    # Values of another kind, or out of range.
    (JOBS, {"priority": -1}, (422, "invalid", "priority")),
    (JOBS, {"priority": 10}, (422, "invalid", "priority")),
    (JOBS, {"priority": 10 ** 30}, (422, "invalid", "priority")),
    (JOBS, {"priority": 2.5}, (422, "invalid", "priority")),
    (JOBS, {"priority": "high"}, (422, "invalid", "priority")),
    (JOBS, {"priority": None}, (422, "invalid", "priority")),
    (JOBS, {"priority": 2 ** 32}, (422, "invalid", "priority")),
    (JOBS, {"id": ""}, (422, "invalid", "id")),
    (JOBS, {"id": "x" * 129}, (422, "invalid", "id")),
    (JOBS, {"id": "a\nb"}, (422, "invalid", "id")),
    (JOBS, {"id": 7}, (422, "invalid", "id")),
    (JOBS, {"delay": "soon"}, (422, "invalid", "delay")),
    (JOBS, {"delay": "-5s"}, (422, "invalid", "delay")),
    (JOBS, {"delay": 5}, (422, "invalid", "delay")),
    (("PUT", ""), {"lease": 30}, (422, "invalid", "lease")),
    (JOBS, {"delay": "3661d"}, (422, "invalid", "delay")),
    (JOBS, {"delay": "99999999999999999999d"}, (422, "invalid", "delay")),
    (JOBS, {"delay": "1s", "runAt": "2126-10-12T18:00:00Z"}, (422, "invalid", "delay")),
    (JOBS, {"runAt": "tomorrow"}, (422, "invalid", "runAt")),
    (JOBS, {"runAt": "1599-12-31T23:59:59Z"}, (422, "invalid", "runAt")),
    (JOBS, {"maxAttempts": 0}, (422, "invalid", "maxAttempts")),
    (JOBS, {"payload": 1, "payloadBase64": "AA=="}, (422, "invalid", "payloadBase64")),
    (JOBS, {"payloadBase64": "?"}, (422, "invalid", "payloadBase64")),
    (JOBS, {"jobs": []}, (422, "invalid", "jobs")),
    (JOBS, {"jobs": {"id": "a"}}, (422, "invalid", "jobs")),
    (JOBS, {"jobs": [1]}, (422, "invalid", "jobs[0]")),
    (JOBS, {"jobs": [{"id": "a"}, {"priority": -1}]}, (422, "invalid", "jobs[1].priority")),
    (TAKE, {"max": 0}, (422, "invalid", "max")),
    (TAKE, {"max": 1001}, (422, "invalid", "max")),
    (TAKE, {"wait": "11m"}, (422, "invalid", "wait")),
    (TAKE, {"wait": True}, (422, "invalid", "wait")),
    (TAKE, {"lease": "0"}, (422, "invalid", "lease")),
    (TAKE, {"lease": "25h"}, (422, "invalid", "lease")),
    (("POST", "/jobs/a:ack"), {}, (422, "invalid", "receipt")),
    (("POST", "/jobs/a:ack"), {"receipt": "1"}, (422, "invalid", "receipt")),
    (("POST", "/jobs/a:ack"), {"receipt": "-123456789abcdef"}, (422, "invalid", "receipt")),
    (("POST", ":ack"), {"jobs": [{"id": "a"}]}, (422, "invalid", "jobs[0].receipt")),
    (("POST", ":purge"), {"state": "all"}, (422, "invalid", "state")),
    (("POST", ":purge"), {}, (422, "invalid", "state")),
    (("GET", "/jobs?state=lost"), None, (422, "invalid", "state")),
    (("GET", "/jobs?limit=0"), None, (422, "invalid", "limit")),
    (("GET", "/jobs?first=-1"), None, (422, "invalid", "first")),
    (("PUT", ""), {"maxAttempts": 0}, (422, "invalid", "maxAttempts")),
    (("PUT", ""), {"lease": "0"}, (422, "invalid", "lease")),
    (("PUT", ""), {"durability": "tape"}, (422, "invalid", "durability")),
    (("PUT", ""), {"reserved": 1}, (422, "invalid", "reserved")),
    (("PUT", ""), {"maxPayload": 4194305}, (422, "invalid", "maxPayload")),
    (("PUT", "/schedules/s"), {"cron": "61 * * * *"}, (422, "invalid", "cron")),
    (("PUT", "/schedules/s"), {"cron": "* * * * *", "timeZone": "Mars/Olympus"}, (422, "invalid", "timeZone")),
    (("PUT", "/schedules/s"), {}, (422, "invalid", "cron")),
    (("PUT", "/schedules/S"), {"cron": "* * * * *"}, (422, "invalid", "name")),
    # Too large.
    (JOBS, {"payload": "x" * 262144}, (413, "too_large", "payload")),
    (JOBS, b'{"payload":"' + b"x" * (8 << 20) + b'"}', (413, "too_large", None)),
    # Not there.
    (("POST", "/jobs/a:retry"), None, (404, "not_found", "id")),
    (("POST", ":frobnicate"), {}, (405, "not_allowed", None)),
    (("DELETE", ""), None, (405, "not_allowed", None)),
], ids=lambda value: str(value)[:40])
def test_what_is_wrong_is_named_and_changes_nothing(queue, call, body, answer):
    queue.push("kept", delay="1h")
    before = json.dumps(queue.ok("GET")["options"])
    assert queue.refused(*call, body) == answer
    assert json.dumps(queue.ok("GET")["options"]) == before
    assert [queue.jobs(state) for state in ("ready", "delayed", "leased", "dead", "done")] == [[], ["kept"], [], [], []]
    assert queue.ok("GET", "/schedules") == {"schedules": []}


@pytest.mark.parametrize("name", ["Q", "-q", "q" * 65, "q%20", "q%2Fr", "q%00"])
def test_a_queue_has_a_plain_name(server, name):
    status, _, answer = server.request("POST", f"/v1/queues/{name}:take", {})
    assert (status, answer["code"], answer["field"]) == (422, "invalid", "queue")
    assert server.get("/v1/queues") == {"queues": []}


def test_looking_makes_no_queue(queue):
    for method, tail, body in (("GET", "", None), ("GET", "/jobs", None), ("GET", ":peek", None),
                               ("GET", "/schedules", None), ("POST", ":retry-dead", None),
                               ("POST", ":purge", {"state": "dead"}), ("DELETE", "/jobs/a", None),
                               ("POST", "/jobs/a:ack", {"receipt": "0123456789abcdef"})):
        assert queue.refused(method, tail, body) == (404, "not_found", "queue"), tail
    assert queue.server.get("/v1/queues") == {"queues": []}


def test_the_largest_of_everything_goes_in(queue):
    queue.ok("PUT", body={"maxPayload": 4 << 20})
    name, payload = "ä" * 64, "x" * ((4 << 20) - 2)
    queue.push(name, payload=payload, delay="0", maxAttempts=1000)
    job = queue.take_one(lease="24h")
    assert (job["id"], job["payload"]) == (name, payload)
    assert queue.done("nack", job, reason="ä" * 600, delay="3660d") == "delayed"
    assert queue.job(name)["reason"] == "ä" * 500


def test_a_full_queue_says_so_and_takes_more_once_there_is_room(queue):
    queue.ok("PUT", body={"maxJobs": 2})
    queue.push_all([{"id": "a"}, {"id": "b"}])
    assert queue.refused("POST", "/jobs", {"id": "c"}) == (503, "overloaded", None)
    assert queue.ok("POST", ":poll")["job"]["id"] == "a"
    assert queue.push("c")["outcome"] == "enqueued"


def test_media_types(queue):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/xml"):
        assert queue.refused("POST", "/jobs", b"{}", {"Content-Type": kind})[:2] == (415, "unsupported")
    assert queue.refused("POST", "/jobs", b"{}", {"Content-Encoding": "gzip"})[:2] == (415, "unsupported")
    assert queue.call("POST", "/jobs", b"{}", {"Content-Type": "application/json; charset=utf-8"})[0] == 200
