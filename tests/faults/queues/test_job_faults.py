"""Jobs under a process that is killed and a disk that fails: whatever was answered is so afterwards, and nothing else.

The driver (job_driver.cpp, its path in SCORELINE_JOB_DRIVER) says what it tries and what it is answered.
"""

import os
import random
import resource
import shutil
import signal
import subprocess
import time

import pytest

DRIVER = os.environ["SCORELINE_JOB_DRIVER"]
LONG = bool(os.environ.get("SCORELINE_LONG"))


def can_trace():
    if shutil.which("strace") is None:
        return False
    return subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True).returncode == 0


needs_strace = pytest.mark.skipif(not can_trace(), reason="strace is missing or may not trace")


def work(folder, first, seconds, *more, prefix=(), **options):
    command = [*prefix, DRIVER, "work", folder, first, seconds, *more]
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=300, **options)


def stored(folder):
    """The state of each job that a new process finds, each once; then the leased ones are acked."""
    checked = subprocess.run([DRIVER, "check", str(folder)], capture_output=True, text=True, timeout=300)
    assert checked.returncode == 0, checked.stderr
    states = {}
    for line in checked.stdout.splitlines():
        word, job, *state = line.split()
        assert word == "has", f"the receipt of {job} must be good still"
        assert job not in states, f"{job} is there twice"
        states[job] = state[0]
    return states


class Told:
    """What the driver said, over all its runs."""

    def __init__(self):
        self.tried, self.did, self.failed, self.got = {}, {}, {}, set()

    def read(self, output):
        for line in output.splitlines():
            word, *rest = line.split()
            if word == "got":
                assert rest[0] not in self.got, f"{rest[0]} was handed to two workers"
                self.got.add(rest[0])
            elif word in ("try", "did", "fail"):
                where = {"try": self.tried, "did": self.did, "fail": self.failed}[word]
                where.setdefault(rest[0], {})[rest[1]] = rest[2] if len(rest) > 2 else ""

    def hold_against(self, states):
        put, acked = self.did.get("put", {}), self.did.get("ack", {})
        for job in put:
            if job in acked:
                assert job not in states, f"{job} was acked and is there again"
            elif job not in self.tried.get("ack", {}):
                assert job in states, f"{job} was put in, and is lost"
                assert states[job] == ("leased" if job in self.got else states[job])
        for job in states:
            assert job in self.tried["put"], f"nobody put {job} in"
        for job, code in self.failed.get("put", {}).items():
            if code != "unknown_outcome":
                assert job not in states, f"{job} was refused ({code}) and is there"
        for job, code in self.failed.get("ack", {}).items():
            assert job in states or code == "unknown_outcome", f"the ack of {job} was refused, and it is gone"


def test_killed_at_any_moment_nothing_is_lost_and_nothing_comes_twice(tmp_path):
    chance = random.Random(7)
    told, first = Told(), 1
    for _ in range(200 if LONG else 25):
        driver = subprocess.Popen([DRIVER, "work", str(tmp_path), str(first), "30"], stdout=subprocess.PIPE, text=True)
        time.sleep(0.02 + chance.random() * 0.25)
        driver.send_signal(signal.SIGKILL)
        output, _ = driver.communicate()
        # The last line may be half of one.
        told.read(output[: output.rfind("\n") + 1])
        states = stored(tmp_path)
        told.hold_against(states)
        for job, state in states.items():
            if state == "leased":  # the check has acked it
                told.did.setdefault("ack", {})[job] = ""
        first += 1_000_000
    assert len(told.did["put"]) > 100 and len(told.did["ack"]) > 20


@needs_strace
@pytest.mark.parametrize("call", ["fdatasync", "pwrite64"])
def test_killed_inside_each_write(tmp_path, call):
    told, first = Told(), 1
    for nth in range(1, 200 if LONG else 40, 1 if LONG else 3):
        prefix = ["strace", "-f", "-o", "/dev/null", "-P", tmp_path / "jobs.sqlite-wal", "-e", f"trace={call}",
                  "-e", f"inject={call}:signal=KILL:when={nth}"]
        killed = work(tmp_path, first, 20, prefix=prefix)
        assert "over" not in killed.stdout, "it must have been killed"
        told.read(killed.stdout[: killed.stdout.rfind("\n") + 1])
        states = stored(tmp_path)
        told.hold_against(states)
        for job, state in states.items():
            if state == "leased":
                told.did.setdefault("ack", {})[job] = ""
        first += 1_000_000


def test_jobs_over_a_full_disk_are_refused_until_there_is_room(tmp_path):
    limit = 400_000
    told = Told()
    full = work(tmp_path, 1, 2, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert full.returncode == 0, full.stderr
    assert "storage_full" in full.stdout and "trouble" not in full.stdout
    told.read(full.stdout)
    told.hold_against(stored(tmp_path))


def test_it_heals_by_itself_when_there_is_room_again(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none", str(disk)], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("may not mount a small file system")
    try:
        ballast = disk / "ballast"
        ballast.write_bytes(b"b" * 1_200_000)
        healed = work(disk / "data", 1, 3, ballast)
        told = Told()
        told.read(healed.stdout)
        lines = healed.stdout.splitlines()
        refused = [n for n, line in enumerate(lines) if line.startswith("fail put") and "storage_full" in line]
        assert refused, "the disk must have been full"
        assert any(line.startswith("did put") for line in lines[refused[0]:]), "and there must be room again"
        # By now it may be full again, and whoever looks needs room.
        shutil.copytree(disk / "data", tmp_path / "data")
        told.hold_against(stored(tmp_path / "data"))
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@needs_strace
@pytest.mark.parametrize("call", ["fdatasync", "pwrite64"])
def test_after_an_error_of_the_disk_nothing_is_taken_in_and_nothing_was_a_lie(tmp_path, call):
    prefix = ["strace", "-f", "-o", "/dev/null", "-P", str(tmp_path / "jobs.sqlite-wal"), "-e", f"trace={call}",
              "-e", f"inject={call}:error=EIO:when=30"]
    broken = work(tmp_path, 1, 2, prefix=prefix)
    assert "trouble storage_failed" in broken.stdout
    lines = broken.stdout.splitlines()
    error = next(n for n, line in enumerate(lines) if line.startswith("fail"))
    # Those that were under way with it may be told after it; nobody who tries later is.
    tried_later = {line.split()[2] for line in lines[error + 20:] if line.startswith("try put")}
    assert tried_later, "it must go on and refuse"
    assert not tried_later & {line.split()[2] for line in lines if line.startswith("did put")}
    told = Told()
    told.read(broken.stdout)
    told.hold_against(stored(tmp_path))
