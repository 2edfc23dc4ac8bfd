"""`scoreline queue …`: each command on a data folder and on a server, and what is wrong with its input."""

import base64
import json
import threading

import pytest

from scoreline import Server, run, run_json


@pytest.fixture(name="queue", params=["folder", "server"])
def fixture_queue(request, tmp_path):
    """Runs `scoreline queue …` and parses its answer."""
    data = tmp_path / "data"
    if request.param == "folder":
        yield lambda *words, **more: run_json("--data", data, "queue", *words, cwd=tmp_path, **more)
        return
    with Server(data) as server:
        yield lambda *words, **more: run_json("--server", server.url, "queue", *words, cwd=tmp_path, **more)


def test_a_job_from_its_push_to_its_end(queue):
    assert queue("push", "mail", '{"to":"ann"}', "--id", "late") == \
        {"id": "late", "outcome": "enqueued", "state": "ready"}
    queue("push", "mail", "reset", "--id", "first", "--priority", "0")
    assert queue("push", "mail", "again", "--id", "first")["outcome"] == "duplicate"
    assert queue("list") == {"queues": ["mail"]}
    assert queue("peek", "mail")["job"]["id"] == "first"
    assert queue("show", "mail", "late")["ahead"] == 1

    first, late = queue("take", "mail", "--max", "5", "--lease", "1m")["jobs"]
    assert (first["id"], late["id"], late["payload"]) == ("first", "late", {"to": "ann"})
    assert base64.b64decode(first["payloadBase64"]) == b"reset"
    assert queue("extend", "mail", "first", first["receipt"], "--lease", "5m")["state"] == "leased"
    assert queue("ack", "mail", "first", first["receipt"])["state"] == "done"
    failed = queue("nack", "mail", "late", late["receipt"], "--reason", "no such host", "--delay", "0s")
    assert failed["state"] == "ready"
    assert queue("show", "mail", "late")["reason"] == "no such host"
    again = queue("take", "mail")["jobs"][0]
    assert again["attempt"] == 2
    assert queue("release", "mail", "late", again["receipt"], "--delay", "1h")["state"] == "delayed"
    assert [job["id"] for job in queue("jobs", "mail", "--state", "delayed")["jobs"]] == ["late"]
    assert queue("remove", "mail", "late") == {"removed": True}
    assert queue("stats", "mail")["stats"]["ready"] == 0


def test_polling_forgets_the_job(queue):
    queue("push", "mail", "1", "--id", "a")
    queue("push", "mail", "2", "--id", "b", "--run-at", "2020-01-01T00:00:00Z")
    assert queue("poll", "mail")["job"]["id"] in ("a", "b")
    assert queue("poll", "mail")["job"]["id"] in ("a", "b")
    assert queue("poll", "mail") == {"job": None}
    assert queue("poll-due", "mail") == {"job": None}


def test_operating_a_queue(queue):
    queue("set", "mail", "maxAttempts=1", "lease=2m", "durability=os")
    options = queue("set", "mail", "backoff=5s")["options"]
    named = [options[name] for name in ("maxAttempts", "lease", "durability", "backoff")]
    assert named == [1, "2m", "os", "5s"]
    queue("push", "mail", "1", "--id", "a")
    assert queue("pause", "mail")["paused"] is True
    assert queue("take", "mail") == {"jobs": []}
    assert queue("resume", "mail")["paused"] is False
    receipt = queue("take", "mail")["jobs"][0]["receipt"]
    assert queue("nack", "mail", "a", receipt)["state"] == "dead"
    assert queue("retry-dead", "mail") == {"retried": 1}
    receipt = queue("take", "mail")["jobs"][0]["receipt"]
    queue("nack", "mail", "a", receipt)
    assert queue("retry-dead", "mail", "a") == {"retried": 1}
    assert queue("purge", "mail", "--state", "ready") == {"purged": 1}


def test_what_a_payload_may_be(queue):
    def payload_of(*words, **more):
        queue("push", "mail", *words, **more)
        job = queue("poll", "mail")["job"]
        return job["payload"] if "payload" in job else base64.b64decode(job["payloadBase64"])

    assert payload_of('[1, 2.50, "x"]') == [1, 2.5, "x"]
    assert payload_of() is None
    assert payload_of("plain words\n") == b"plain words\n"
    assert payload_of("-", stdin='{"from":"stdin"}\n') == {"from": "stdin"}
    assert payload_of("-", stdin="") == b""


def test_lines_of_standard_input_are_jobs(queue):
    assert queue("push", "mail", "--lines", "--priority", "2", stdin="".join(f"{n}\n" for n in range(2_500))) == \
        {"pushed": 2_500}
    assert queue("stats", "mail")["stats"]["ready"] == 2_500
    assert [queue("poll", "mail")["job"]["payload"] for _ in range(3)] == [0, 1, 2]


def test_schedules(queue):
    assert queue("schedule", "mail", "digest", "0 7 * * *", '{"kind":"digest"}', "--time-zone", "Europe/Berlin",
                 "--priority", "3") == {"name": "digest"}
    made, = queue("schedules", "mail")["schedules"]
    assert (made["name"], made["cron"], made["timeZone"]) == ("digest", "0 7 * * *", "Europe/Berlin")
    assert (made["payload"], made["priority"]) == ({"kind": "digest"}, 3)
    assert made["next"].endswith(("T05:00:00Z", "T06:00:00Z"))
    assert queue("unschedule", "mail", "digest") == {"dropped": True}
    assert queue("schedules", "mail") == {"schedules": []}
    assert queue("unschedule", "mail", "digest", expect=3)["code"] == "not_found"
    assert queue("schedule", "mail", "digest", "soon", expect=65)["field"] == "cron"


@pytest.mark.parametrize("words, exit_code, field", [
    (["push", "mail", "--priority", "10"], 65, "priority"),
    (["push", "mail", "--id", "x" * 129], 65, "id"),
    (["push", "MAIL"], 65, "queue"),
    (["push", "mail", "--max-attempts", "0"], 65, "maxAttempts"),
    (["take", "mail", "--max", "1001"], 65, "max"),
    (["take", "mail", "--lease", "25h"], 65, "lease"),
    (["ack", "mail", "a", "1234"], 65, "receipt"),
    (["set", "mail", "leese=2m"], 65, "leese"),
    (["set", "mail", "lease=fast"], 65, "lease"),
    (["stats", "nosuch"], 3, "queue"),
    (["push", "mail", "--delay", "soon"], 64, ""),
    (["set", "mail", "lease"], 64, ""),
    (["jobs", "mail", "--state", "lost"], 64, ""),
    (["work", "mail"], 64, ""),
    (["work", "mail", "--lease", "10ms", "--", "true"], 64, ""),
    (["work", "mail", "--concurrency", "0", "--", "true"], 64, ""),
])
def test_what_is_wrong_is_named(tmp_path, words, exit_code, field):
    data = tmp_path / "data"
    run_json("--data", data, "queue", "push", "mail", "1", "--id", "a", cwd=tmp_path)
    told = run_json("--data", data, "queue", *words, cwd=tmp_path, expect=exit_code)
    assert told.get("field", "") == field, told


def test_an_old_receipt_is_refused(queue):
    queue("push", "mail", "1", "--id", "a")
    receipt = queue("take", "mail")["jobs"][0]["receipt"]
    queue("release", "mail", "a", receipt)
    refused = queue("ack", "mail", "a", receipt, expect=4)
    assert (refused["code"], refused["field"]) == ("conflict", "receipt")


def test_looking_makes_no_folder(tmp_path):
    told = run("--data", tmp_path / "none", "queue", "stats", "mail", cwd=tmp_path)
    assert told.returncode == 3
    assert not (tmp_path / "none").exists()


def test_a_waiting_take_gets_what_another_pushes(tmp_path):
    with Server(tmp_path / "data") as server:
        taken = []
        taker = threading.Thread(target=lambda: taken.append(
            run("--server", server.url, "queue", "take", "mail", "--wait", "20s", cwd=tmp_path)))
        taker.start()
        while not server.request("GET", "/v1/queues")[2]["queues"]:
            pass
        run_json("--server", server.url, "queue", "push", "mail", "7", cwd=tmp_path)
        taker.join(15)
        assert json.loads(taken[0].stdout)["jobs"][0]["payload"] == 7
