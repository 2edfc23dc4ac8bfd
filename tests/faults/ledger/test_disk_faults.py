"""The disk fails under a real process: every acknowledged batch is there afterwards, no part of a batch, nothing lies.

The driver (ledger_driver.cpp, its path in SCORELINE_LEDGER_DRIVER) prints what it acknowledged; strace makes the nth
system call fail or kills the process inside it.
"""

import os
import resource
import shutil
import subprocess
import time
from pathlib import Path

import pytest

DRIVER = os.environ["SCORELINE_LEDGER_DRIVER"]
LONG = bool(os.environ.get("SCORELINE_LONG"))
ROWS = 20
OUTCOME_UNKNOWN = "unknown_outcome"


def can_trace():
    if shutil.which("strace") is None:
        return False
    return subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True).returncode == 0


needs_strace = pytest.mark.skipif(not can_trace(), reason="strace is missing or may not trace")


def run(*command, **options):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=300, **options)


def append(folder, batches, *more, prefix=(), **options):
    return run(*prefix, DRIVER, "append", folder, batches, ROWS, *more, **options)


def numbers(output, word):
    return [int(line.split()[1]) for line in output.splitlines() if line.startswith(word + " ")]


def failures(output):
    return [(int(line.split()[1]), line.split()[2]) for line in output.splitlines() if line.startswith("fail ")]


def stored(folder):
    """The batches that are there whole; fails when anything else is there."""
    checked = run(DRIVER, "check", folder, ROWS)
    assert checked.returncode == 0, checked.stderr
    return numbers(checked.stdout, "has")


def inject(call, what, files=()):
    paths = [part for file in files for part in ("-P", file)]
    return ["strace", "-f", "-o", "/dev/null", *paths, "-e", f"trace={call}", "-e", f"inject={call}:{what}"]


def assert_honest(folder, output):
    """What was answered agrees with what a new process finds."""
    acked, failed, found = set(numbers(output, "ack")), failures(output), set(stored(folder))
    assert acked <= found, f"acknowledged and lost: {sorted(acked - found)}"
    unknown = {number for number, code in failed if code == OUTCOME_UNKNOWN}
    assert found <= acked | unknown, f"refused, yet there: {sorted(found - acked - unknown)}"


@needs_strace
@pytest.mark.parametrize("persistent", [False, True], ids=["once", "from_then_on"])
def test_failed_sync_is_never_acknowledged_nor_retried(tmp_path, persistent):
    seen = set()
    for nth in range(1, 60 if LONG else 28):
        folder = tmp_path / str(nth)
        when = f"{nth}+" if persistent else nth
        faulty = append(folder, 12, prefix=inject("fsync,fdatasync", f"error=EIO:when={when}"))
        lines = faulty.stdout.splitlines()
        failed = failures(faulty.stdout)
        seen.update(code for _, code in failed)
        if failed:
            after = lines[lines.index(f"fail {failed[0][0]} {failed[0][1]}"):]
            assert not [line for line in after if line.startswith("ack")], f"EIO at {nth}, then acknowledged: {lines}"
            assert {code for _, code in failed[1:]} <= {"storage_failed"}
            assert lines[-1].startswith("reads "), "reading must go on"
        else:
            assert faulty.returncode != 0 or len(numbers(faulty.stdout, "ack")) == 12
        assert_honest(folder, faulty.stdout)
    assert seen == {OUTCOME_UNKNOWN, "storage_failed"}


@needs_strace
@pytest.mark.parametrize("file", ["ledger.sqlite-wal", "ledger.sqlite", "ledger.head"])
def test_no_room_at_the_nth_write_refuses_one_batch_and_goes_on(tmp_path, file):
    refused = 0
    for nth in range(1, 400 if LONG else 80, 3):
        folder = tmp_path / str(nth)
        folder.mkdir()
        append(folder, 0)  # makes the ledger, so that only appends meet the fault
        traced = inject("pwrite64", f"error=ENOSPC:when={nth}", [folder / file])
        faulty = append(folder, 12, prefix=traced)
        assert faulty.returncode == 0, faulty.stderr
        failed = failures(faulty.stdout)
        assert {code for _, code in failed} <= {"storage_full"}
        assert numbers(faulty.stdout, "ack") == list(range(1, 13)), "the second try finds room"
        refused += len(failed)
        assert_honest(folder, faulty.stdout)
    assert refused > 0 if file == "ledger.sqlite-wal" else refused == 0, "only the log is written before the answer"


@needs_strace
def test_killed_inside_the_nth_sync(tmp_path):
    killed = 0
    for nth in range(1, 200 if LONG else 40, 1 if LONG else 2):
        folder = tmp_path / str(nth)
        faulty = append(folder, 20, prefix=inject("fsync,fdatasync", f"signal=SIGKILL:when={nth}"))
        acked, found = numbers(faulty.stdout, "ack"), stored(folder)
        assert set(acked) <= set(found)
        assert len(found) <= len(acked) + 1, "at most the batch on its way"
        killed += faulty.returncode != 0
    assert killed > 10


@needs_strace
@pytest.mark.parametrize("call", ["pwrite64", "ftruncate"])
def test_killed_inside_the_nth_write(tmp_path, call):
    for nth in range(1, 900 if LONG else 120, 9):
        folder = tmp_path / str(nth)
        faulty = append(folder, 20, prefix=inject(call, f"signal=SIGKILL:when={nth}"))
        acked, found = numbers(faulty.stdout, "ack"), stored(folder)
        assert set(acked) <= set(found)
        assert len(found) <= len(acked) + 1


def small_disk(size):
    """A prefix that runs a shell with a small tmpfs mounted at ./disk, or None."""
    prefix = ["unshare", "-rUm", "bash", "-c", f'mount -t tmpfs -o size={size} disk "$0" && exec "$@"']
    probe = Path("probe-disk")
    probe.mkdir(exist_ok=True)
    works = shutil.which("unshare") and run(*prefix, probe, "true").returncode == 0
    probe.rmdir()
    return prefix if works else None


def test_full_disk_refuses_reads_on_and_recovers_when_there_is_room(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    prefix = small_disk("3m")
    if prefix is None:
        pytest.skip("cannot mount a small disk here (unshare)")
    ballast = disk / "ballast"
    # All in one mount namespace: it ends with the shell.
    script = f"""
        head -c 1500000 /dev/zero > {ballast}
        {DRIVER} append {disk}/data 4000 {ROWS} {ballast} > {tmp_path}/out || exit 1
        {DRIVER} check {disk}/data {ROWS} > {tmp_path}/check || {{ rm -f {disk}/filler; exit 2; }}
    """
    done = run(*prefix, disk, "bash", "-c", script)
    output = (tmp_path / "out").read_text()
    lines = output.splitlines()
    assert done.returncode == 0, f"{done.stderr} {lines[-3:]}"
    failed = failures(output)
    assert failed and {code for _, code in failed} == {"storage_full"}
    gone = lines.index("ballast gone")
    assert [line for line in lines[:gone] if line.startswith("ack")], "before it was full"
    assert lines[gone + 1] == f"ack {failed[0][0]}", "the same batch, as soon as there was room"
    acked = numbers(output, "ack")
    assert len(acked) < 4000, "and full again in the end"
    assert lines[-1] == f"reads {len(acked) * ROWS}"
    assert numbers((tmp_path / "check").read_text(), "has") == acked, "opened and verified on the full disk too"


def test_file_size_limit_is_no_room(tmp_path):
    limit = 1_500_000
    limited = append(tmp_path / "data", 1500,
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert limited.returncode == 0, limited.stderr
    failed, acked = failures(limited.stdout), numbers(limited.stdout, "ack")
    assert acked and failed and {code for _, code in failed} == {"storage_full"}
    assert limited.stdout.splitlines()[-1] == f"reads {len(acked) * ROWS}"
    assert stored(tmp_path / "data") == acked
    more = append(tmp_path / "data", 1500)
    assert numbers(more.stdout, "ack") == list(range(1, 1501)), "without the limit all go in"


def test_second_process_is_refused_and_told_by_whom(tmp_path):
    folder = tmp_path / "data"
    with subprocess.Popen([DRIVER, "hold", folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout.readline() == "held\n"
        second = append(folder, 1)
        assert second.returncode == 6
        assert second.stderr.startswith("locked") and f"process {first.pid}" in second.stderr
        first.kill()
    deadline = time.monotonic() + 10
    while append(folder, 1).returncode == 6:
        assert time.monotonic() < deadline, "the lock outlived its process"
    assert stored(folder) == [1]


def test_folder_is_for_its_owner_only(tmp_path):
    append(tmp_path / "deep" / "data", 1)
    assert (tmp_path / "deep" / "data").stat().st_mode & 0o777 == 0o700


def test_out_of_memory_leaves_the_ledger_whole(tmp_path):
    refused = 0
    for megabytes in range(6, 40, 4):
        folder = tmp_path / str(megabytes)
        size = megabytes << 20
        starved = append(folder, 30, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)))
        refused += starved.returncode != 0
        if (folder / "ledger.sqlite").exists():
            assert set(numbers(starved.stdout, "ack")) <= set(stored(folder))
    assert refused > 0, "no limit was low enough"
