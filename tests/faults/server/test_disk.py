"""Disks that are full, files at their limit, and an fsync that fails, under the real server."""

import itertools
import os
import pathlib
import shutil
import subprocess
import time

import pytest
from scoreline import Server, clean_environment, run, run_json, wait_until

POST = "/v1/leaderboards/main/results"
NAMES = itertools.count()


def some_results(count=500):
    """Names that are new each time, so that the ledger grows."""
    return {"results": [{"playerId": f"{next(NAMES):0100}", "points": 1, "seasonId": 1} for _ in range(count)]}


def fill(server, most=400):
    """Submits until it is refused; how many results were answered, and the refusal."""
    answered = 0
    for _ in range(most):
        status, headers, body = server.request("POST", POST, some_results())
        if status != 200:
            return answered, (status, headers, body)
        answered += body["improved"]
    raise AssertionError("the disk never got full")


def check_refusal(refusal):
    status, headers, body = refusal
    assert (status, body["code"]) == (507, "storage_full"), body
    assert int(headers["Retry-After"]) >= 1


def players(server):
    return server.top(1, 1)["players"]


def test_a_file_size_limit_is_a_full_disk_and_not_a_death(tmp_path):
    with Server(tmp_path / "data", before=("prlimit", "--fsize=4000000:unlimited")) as server:
        answered, refusal = fill(server)
        check_refusal(refusal)
        assert server.process.poll() is None
        assert players(server) == answered
        # More room comes: it goes on without a restart.
        subprocess.run(["prlimit", f"--pid={server.pid}", "--fsize=unlimited:unlimited"], check=True)
        wait_until(lambda: server.request("POST", POST, some_results())[0] == 200, 20, "writes are taken again")
        assert players(server) == answered + 500
        assert server.stop() == 0
    assert run_json("verify", "--data", "data", cwd=tmp_path)["results"] == answered + 500


@pytest.fixture
def small_disk(tmp_path):
    """A file system with little room of its own."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "small", str(folder)], check=False,
                             capture_output=True, text=True)
    if mounted.returncode != 0:
        pytest.skip(f"a small file system cannot be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_refuses_writes_serves_reads_and_recovers(small_disk, tmp_path):
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(3_000_000))
    with Server(small_disk / "data") as server:
        answered, refusal = fill(server)
        check_refusal(refusal)
        for _ in range(5):
            assert players(server) == answered
            check_refusal(server.request("POST", POST, some_results()))
        ballast.unlink()
        wait_until(lambda: server.request("POST", POST, some_results())[0] == 200, 20, "writes are taken again")
        assert players(server) == answered + 500
        server.kill()
    with Server(small_disk / "data") as server:
        assert players(server) == answered + 500
        assert server.stop() == 0
    assert run_json("verify", "--data", small_disk / "data", cwd=tmp_path)["results"] == answered + 500


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize("call, number", [  # the numbers count within each thread, and lie beyond what a start needs
    ("fdatasync,fsync", 4), ("fdatasync,fsync", 30), ("pwrite64", 40), ("pwrite64", 95)])
def test_after_an_io_error_nothing_more_is_answered_as_stored(tmp_path, call, number):
    strace = ("strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e",
              f"inject={call}:error=EIO:when={number}+")
    if not can_trace(tmp_path):
        pytest.skip("processes cannot be traced here")
    answered = 0
    with Server(tmp_path / "data") as server:  # makes the ledger without a fault
        assert server.stop() == 0
    with Server(tmp_path / "data", before=strace) as server:
        failed = False
        for _ in range(60):
            status, _, body = server.request("POST", POST, some_results(20))
            if status == 200:
                assert not failed, "a result was answered after the disk had failed"
                answered += body["improved"]
            else:
                failed = True
                assert status == 503 and body["code"] in ("storage_failed", "unknown_outcome"), body
        assert failed, "the fault never came"
        check_told_that_writing_has_stopped(server)
        assert players(server) == answered
        server.kill()
    exported = run("export", "--data", "data", cwd=tmp_path).stdout.splitlines()[1:]
    # A batch whose fsync failed was not answered; whether it is there is open, as its answer said.
    assert len(exported) in (answered, answered + 20)
    assert run_json("verify", "--data", "data", cwd=tmp_path)["results"] == len(exported)
    with Server(tmp_path / "data") as server:
        assert players(server) == len(exported)
        assert server.submit(some_results(1)["results"])["improved"] == 1
        assert server.stop() == 0


def check_told_that_writing_has_stopped(server):
    status, headers, body = server.request("GET", "/readyz")
    assert (status, body["code"]) == (503, "storage_failed"), body
    assert "no more writes until a restart" in body["detail"] and "failed: disk I/O error" in body["detail"], body
    assert "Retry-After" not in headers, "waiting does not help"
    # The log says the same, once. It is looked at each second.
    wait_until(lambda: body["detail"] in server.log_text(), 20, "the log tells it")
    time.sleep(1.5)
    assert server.log_text().count(body["detail"]) == 1


def can_trace(folder):
    done = subprocess.run(["strace", "-o", os.devnull, "true"], cwd=folder, capture_output=True, check=False,
                          env=clean_environment())
    return done.returncode == 0


def test_the_log_of_writes_does_not_grow_without_end(tmp_path):
    with Server(tmp_path / "data") as server:
        for _ in range(40):
            assert server.request("POST", POST, some_results(2_000))[0] == 200
        size = pathlib.Path(tmp_path / "data" / "ledger.sqlite-wal").stat().st_size
        assert size < 128 * 1024 * 1024
        assert server.stop() == 0
