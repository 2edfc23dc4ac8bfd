"""`scoreline queue work`: a program for each job, whoever dies, hangs or is told to stop."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import time

import pytest

from scoreline import BINARY, Server, clean_environment, run, run_json


def eventually(condition, within=15):
    until = time.monotonic() + within
    while time.monotonic() < until:
        if found := condition():
            return found
        time.sleep(0.02)
    raise AssertionError(f"not within {within} s")


@pytest.fixture(name="server")
def fixture_server(tmp_path):
    with Server(tmp_path / "data") as server:
        yield server


@pytest.fixture(name="work")
def fixture_work(server, tmp_path):
    """Starts a worker whose program is a line of shell; ended when the test is."""
    with contextlib.ExitStack() as stack:
        def start(script, *options, where=("--server", server.url)):
            words = [BINARY, "--json", *where, "queue", "work", "w", *options, "--", "sh", "-c", script]
            process = subprocess.Popen(  # pylint: disable=consider-using-with
                [*map(str, words)], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                env=clean_environment())
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process
        yield start


def push(server, payload=1, queue="w", **more):
    status, _, body = server.request("POST", f"/v1/queues/{queue}/jobs", {"payload": payload} | more)
    assert status == 200, body
    return body["id"]


def stats(server):
    status, _, body = server.request("GET", "/v1/queues/w")
    return body["stats"] if status == 200 else {}


def job(server, name):
    return server.request("GET", f"/v1/queues/w/jobs/{name}")[2]


def lines(path):
    return path.read_text().splitlines() if path.exists() else []


def stop(process):
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=15)
    assert process.returncode == 0, err
    return out.splitlines()[-1]


def test_the_program_gets_the_job(server, work, tmp_path):
    push(server, {"to": "ann"}, id="a", priority=3)
    worker = work('cat > got; echo " $SCORELINE_QUEUE $SCORELINE_JOB_ID" >> got; '
                  'echo "$SCORELINE_JOB_ATTEMPT $SCORELINE_JOB_PRIORITY" >> got; mv got all')
    eventually((tmp_path / "all").exists)
    assert (tmp_path / "all").read_text() == '{"to":"ann"} w a\n1 3\n'
    assert eventually(lambda: stats(server)["acked"] == 1)
    assert stop(worker) == '{"done":1,"failed":0,"givenBack":0,"lost":0}'


def test_a_failure_is_tried_again_and_keeps_its_reason(server, work, tmp_path):
    server.request("PUT", "/v1/queues/w", {"backoff": "10ms", "maxAttempts": 3})
    push(server, id="a")
    worker = work("echo $SCORELINE_JOB_ATTEMPT >> tries; echo first >&2; echo no such host >&2; exit 3")
    eventually(lambda: stats(server)["dead"] == 1)
    assert lines(tmp_path / "tries") == ["1", "2", "3"]
    assert job(server, "a")["reason"] == "no such host"
    assert stop(worker) == '{"done":0,"failed":3,"givenBack":0,"lost":0}'


def test_work_longer_than_the_lease_is_done_once(server, work, tmp_path):
    push(server, id="a")
    workers = [work("echo ran >> ran; sleep 4", "--lease", "1s") for _ in range(2)]
    eventually(lambda: stats(server)["acked"] == 1)
    assert lines(tmp_path / "ran") == ["ran"]
    assert stats(server)["crashed"] == 0
    for worker in workers:
        stop(worker)


def test_the_job_of_a_killed_worker_goes_to_another(server, work, tmp_path):
    push(server, id="a")
    killed = work("echo $SCORELINE_JOB_ATTEMPT >> ran; exec sleep 60", "--lease", "1s")
    eventually(lambda: lines(tmp_path / "ran") == ["1"])
    killed.kill()
    at = time.monotonic()
    work("echo $SCORELINE_JOB_ATTEMPT >> ran")
    eventually(lambda: lines(tmp_path / "ran") == ["1", "2"])
    assert time.monotonic() - at < 2
    eventually(lambda: stats(server)["acked"] == 1)


def test_a_lost_lease_ends_the_program_and_what_it_started(server, work, tmp_path):
    push(server, id="a")
    worker = work("sleep 60 & echo $! > child; echo $$ > shell; wait", "--lease", "1s")
    child = int(eventually(lambda: lines(tmp_path / "child") and lines(tmp_path / "shell") and
                           lines(tmp_path / "child")[0]))
    assert server.request("DELETE", "/v1/queues/w/jobs/a")[0] == 200

    def gone():
        stat = pathlib.Path(f"/proc/{child}/stat")
        return not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] == "Z"
    eventually(gone, within=3)
    assert stop(worker) == '{"done":0,"failed":0,"givenBack":0,"lost":1}'


def test_a_worker_that_hears_nothing_ends_the_program_before_the_lease_does(server, work, tmp_path):
    push(server, id="a")
    began = time.monotonic()
    worker = work("trap 'exit 1' TERM; echo $$ > shell; while true; do sleep 0.05; date +%s.%N > alive; done",
                  "--lease", "2s")
    eventually(lambda: lines(tmp_path / "shell"))
    os.kill(server.pid, signal.SIGSTOP)
    try:
        taken = time.monotonic()
        shell = int(lines(tmp_path / "shell")[0])
        eventually(lambda: not pathlib.Path(f"/proc/{shell}").exists(), within=6)
        assert time.monotonic() - taken < 2.7
        assert time.monotonic() - began > 1
    finally:
        os.kill(server.pid, signal.SIGCONT)
    assert worker.poll() is None


def test_told_to_stop_it_finishes_what_it_has(server, work, tmp_path):
    for name in ("a", "b"):
        push(server, id=name)
    worker = work("echo $SCORELINE_JOB_ID >> began; sleep 1; echo $SCORELINE_JOB_ID >> ended")
    eventually(lambda: lines(tmp_path / "began"))
    assert stop(worker) == '{"done":1,"failed":0,"givenBack":0,"lost":0}'
    assert lines(tmp_path / "ended") == ["a"]
    assert (job(server, "b")["state"], job(server, "b")["attempt"]) == ("ready", 1)


def test_told_twice_it_gives_back_what_it_has(server, work, tmp_path):
    push(server, id="a")
    worker = work("echo $$ > shell; exec sleep 60")
    eventually(lambda: lines(tmp_path / "shell"))
    worker.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert worker.poll() is None
    assert stop(worker) == '{"done":0,"failed":0,"givenBack":1,"lost":0}'
    assert (job(server, "a")["state"], job(server, "a")["attempt"]) == ("ready", 1)
    assert not pathlib.Path(f"/proc/{lines(tmp_path / 'shell')[0]}").exists()


def test_it_goes_on_when_the_server_is_back(server, work, tmp_path):
    worker = work("echo $SCORELINE_JOB_ID >> ran")
    push(server, id="a")
    eventually(lambda: lines(tmp_path / "ran") == ["a"])
    eventually(lambda: stats(server)["acked"] == 1)
    assert server.stop() == 0
    time.sleep(1)
    assert worker.poll() is None
    with Server(tmp_path / "data", port=server.port) as again:
        push(again, id="b")
        eventually(lambda: lines(tmp_path / "ran") == ["a", "b"])
        eventually(lambda: stats(again)["acked"] == 1)
        assert stop(worker) == '{"done":2,"failed":0,"givenBack":0,"lost":0}'


def test_as_many_at_once_as_it_is_told(server, work, tmp_path):
    for _ in range(8):
        push(server)
    work("touch here.$$; sleep 0.5; ls here.* | wc -l >> counts; rm here.$$", "--concurrency", 4)
    eventually(lambda: stats(server)["acked"] == 8)
    counts = [int(line) for line in lines(tmp_path / "counts")]
    assert 2 <= max(counts) <= 4


def test_a_program_that_is_not_there_costs_no_attempt(server, tmp_path):
    push(server, id="a")
    told = run("--json", "--server", server.url, "queue", "work", "w", "--", "./no-such-program", cwd=tmp_path)
    assert (told.returncode, json.loads(told.stderr)["field"]) == (64, "COMMAND")
    assert (job(server, "a")["state"], job(server, "a")["attempt"]) == ("ready", 1)


def test_on_a_data_folder_without_a_server(work, tmp_path):
    folder = tmp_path / "own"
    for name in ("a", "b"):
        run_json("--data", folder, "queue", "push", "w", "1", "--id", name, cwd=tmp_path)
    worker = work("echo $SCORELINE_JOB_ID >> ran", where=("--data", folder))
    eventually(lambda: lines(tmp_path / "ran") == ["a", "b"])
    assert stop(worker) == '{"done":2,"failed":0,"givenBack":0,"lost":0}'
    assert run_json("--data", folder, "queue", "stats", "w", cwd=tmp_path)["stats"]["ready"] == 0
