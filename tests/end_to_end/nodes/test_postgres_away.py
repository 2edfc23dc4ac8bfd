"""PostgreSQL fails under load: killed, restarted, hung, read-only, full, out of connections, its answers lost."""

import contextlib
import os
import pathlib
import socket
import struct
import subprocess
import tempfile
import time

import pytest
from load import Load
from nodes import Nodes
from scoreline import run_json
from stores import LONG, Postgres
from tcp_proxy import TcpProxy

MOST_CONNECTIONS = 20


@pytest.fixture(scope="module")
def postgres():
    server = Postgres(f"max_connections={MOST_CONNECTIONS}")
    yield server
    server.close()


@pytest.fixture
def proxy(stores):
    between = TcpProxy(stores[0].port)
    yield between
    between.close()


def killed(postgres, load, _):
    postgres.kill_all()
    load.refuses()
    load.reads_go_on()
    postgres.start()


def restarted_at_once(postgres, load, _):
    for _ in range(3 if LONG else 1):
        postgres.kill()
        postgres.start()
        load.goes_on()


def rid_of_backends(postgres, load, _):
    for _ in range(100 if LONG else 20):
        postgres.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'scoreline'")
        time.sleep(0.05)
    load.reads_go_on()


def hung(postgres, load, _):
    with postgres.hung():
        load.refuses()
        load.reads_go_on()
        time.sleep(10 if LONG else 0)


def unheard(_, load, proxy):
    """Commits are done, and nobody hears of it."""
    proxy.mode = "mute"
    load.refuses()
    load.reads_go_on()
    assert proxy.lost > 0
    proxy.mode = "pass"
    proxy.reset()


def cut_off(_, load, proxy):
    for _ in range(20):
        proxy.mode = "mute"
        time.sleep(0.02)
        proxy.reset()
        proxy.mode = "pass"
        time.sleep(0.1)
    assert proxy.lost > 0
    load.reads_go_on()


def read_only(postgres, load, _):
    postgres.set("default_transaction_read_only", "on")
    load.refuses()
    load.reads_go_on()
    postgres.set("default_transaction_read_only", None)


def out_of_connections(postgres, load, _):
    """Guests take every connection, and keep it, when those of the nodes end."""
    ending = """do $$ begin for i in 1..1000 loop
        perform pg_terminate_backend(pid) from pg_stat_activity where application_name = 'scoreline';
        perform pg_stat_clear_snapshot();
        perform pg_sleep(0.1);
        end loop; end $$"""
    with contextlib.ExitStack() as guests:
        ends_others = guests.enter_context(subprocess.Popen([postgres.programs / "psql", "-Xqc", ending, postgres.url]))
        guests.callback(ends_others.kill)
        before = load.refused["results"]
        while load.refused["results"] < before + 5:
            with contextlib.suppress(OSError):
                guests.enter_context(guest_of(postgres))
            load.check()
        load.reads_go_on()


def test_a_node_that_gets_no_connection_says_so_and_ends(stores, tmp_path):
    postgres, redis = stores
    with contextlib.ExitStack() as guests:
        with contextlib.suppress(OSError):
            while True:
                guests.enter_context(guest_of(postgres))
        error = run_json("serve", "--ledger", postgres.url, "--index", redis.url, cwd=tmp_path, expect=74)
    assert error["code"] == "storage_failed" and "too many clients" in error["detail"], error


def guest_of(postgres):
    """One more connection to the server, that is, one less for others. OSError when there is none left."""
    connection = socket.create_connection(("127.0.0.1", postgres.port), timeout=5)
    words = struct.pack(">I", 3 << 16) + b"user\0postgres\0database\0postgres\0\0"
    connection.sendall(struct.pack(">I", len(words) + 4) + words)
    if connection.recv(1) != b"R":  # an error instead of a welcome
        connection.close()
        time.sleep(0.05)
        raise OSError("refused")
    return connection


@contextlib.contextmanager
def small_disk(postgres, folder):
    """A file system of 16 MB, where PostgreSQL puts new tables."""
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "small", str(folder)], check=False,
                             capture_output=True, text=True)
    if mounted.returncode != 0:
        pytest.skip(f"a small file system cannot be mounted here: {mounted.stderr.strip()}")
    try:
        folder.chmod(0o700)
        if postgres.user:
            os.chown(folder, postgres.user["user"], postgres.user["group"])
        postgres.query(f"create tablespace small location '{folder}'", check=True)
        postgres.set("default_tablespace", "small")
        yield
    finally:
        postgres.set("default_tablespace", None)
        postgres.query("drop schema public cascade; create schema public", check=True)
        postgres.query("drop tablespace small", check=True)
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk_refuses_results_and_recovers(stores):
    postgres, _ = stores
    # Not in pytest's folders: the server's user may have no way there.
    with tempfile.TemporaryDirectory(prefix="scoreline-disk-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        with small_disk(postgres, folder / "disk"), Nodes(stores, folder) as servers:
            with Load(servers, refusals=(503, 507)) as load:
                ballast = folder / "disk" / "ballast"
                with ballast.open("wb") as file, contextlib.suppress(OSError):
                    while True:
                        file.write(bytes(8192))
                        file.flush()
                load.refuses()
                load.reads_go_on()
                ballast.unlink()
                load.goes_on()
            assert load.codes["storage_full"] > 0
            load.check_end(postgres)
            for server in servers:
                assert server.stop() == 0


FAULTS = [killed, restarted_at_once, rid_of_backends, hung, unheard, cut_off, read_only, out_of_connections]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_nothing_is_lost_or_counted_twice_when_postgresql_is(stores, proxy, tmp_path, fault):
    postgres, _ = stores
    through_proxy = f"postgresql://postgres@127.0.0.1:{proxy.port}/postgres"
    with Nodes(stores, tmp_path, ledger=through_proxy) as servers:
        with Load(servers) as load:
            fault(postgres, load, proxy)
            load.goes_on()
        load.check_end(postgres)
