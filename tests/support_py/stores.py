"""Real backing stores for tests of several nodes: PostgreSQL and Redis on free ports, in scratch folders."""

import contextlib
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time


REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
LONG = os.environ.get("SCORELINE_LONG") == "1"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(ready, what, timeout=60):
    end = time.monotonic() + timeout
    while not ready():
        assert time.monotonic() < end, f"{what} did not come"
        time.sleep(0.02)


def redis_programs():
    """Redis; and Valkey where SCORELINE_VALKEY_SERVER names its program, on long runs the one of `./dev setup`, too."""
    valkey = os.environ.get("SCORELINE_VALKEY_SERVER")
    installed = REPOSITORY / "build" / "tools" / "valkey" / "valkey-server"
    if not valkey and LONG and installed.exists():
        valkey = str(installed)
    return ["redis-server", *filter(None, [valkey])]


class Redis:
    """`kill` loses everything: nothing is written to disk."""

    def __init__(self, *arguments, program="redis-server", settings="", cluster=False):
        """`settings` stand in a file that the server may write: sentinels do."""
        self.folder = tempfile.mkdtemp(prefix="scoreline-redis-")
        self.port = free_port()
        self.bus_port = free_port()  # by itself a cluster would take port + 10000
        self.arguments = [*arguments, *(("--cluster-port", self.bus_port) if cluster else ())]
        self.settings = pathlib.Path(self.folder) / "settings.conf"
        self.settings.write_text(settings)
        self.program = program
        self.process = None
        self.start()

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}"

    def start(self):
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [self.program, self.settings, "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.folder,
             "--save", "", "--appendonly", "no", *map(str, self.arguments)], stdout=subprocess.DEVNULL)
        wait_until(lambda: self.command("PING") == "PONG", "Redis")

    def command(self, *words):
        done = subprocess.run(["redis-cli", "-p", str(self.port), *map(str, words)], capture_output=True, text=True,
                              check=False)
        return done.stdout.strip()

    def info(self, section, name):
        """One line of INFO; empty when there is none."""
        lines = [line for line in self.command("INFO", section).splitlines() if line.startswith(name + ":")]
        return lines[0].partition(":")[2] if lines else ""

    def kill(self):
        self.process.kill()
        self.process.wait()

    def hang(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def close(self):
        self.kill()
        shutil.rmtree(self.folder)


class Postgres:
    """A cluster of its own, run by an unprivileged user when we are root."""

    def __init__(self, *settings):
        self.settings = [word for setting in settings for word in ("-c", setting)]
        programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"))
        assert programs, "PostgreSQL is not installed"
        self.programs = programs[-1].parent
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="scoreline-postgres-"))
        self.user = {}
        if os.getuid() == 0:
            account = pwd.getpwnam("postgres")
            os.chown(self.folder, account.pw_uid, account.pw_gid)
            self.user = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        self.port = free_port()
        self.process = None
        subprocess.run([self.programs / "initdb", "-D", self.folder / "data", "-A", "trust", "-U", "postgres",
                        "--no-locale", "-E", "UTF8", "--no-sync"], stdout=subprocess.DEVNULL, check=True,
                       cwd=self.folder, **self.user)
        self.start()

    @property
    def url(self):
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def start(self):
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [self.programs / "postgres", "-D", self.folder / "data", "-p", str(self.port), "-c",
             "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={self.folder}", *self.settings],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder, **self.user)
        wait_until(lambda: self.query("select 1") == "1", "PostgreSQL")

    def query(self, text, check=False):
        """What psql prints; nothing, unless `check`, when it fails."""
        done = subprocess.run([self.programs / "psql", "-XAtqc", text, self.url], capture_output=True, text=True,
                              check=False)
        assert not check or done.returncode == 0, done.stderr
        return done.stdout.strip()

    @contextlib.contextmanager
    def locked(self, table):
        """Nobody else writes to `table` meanwhile; who tries waits."""
        with subprocess.Popen([self.programs / "psql", "-XAtq", self.url], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as session:
            session.stdin.write(f"begin;\nlock table {table} in exclusive mode;\n\\echo locked\n")
            session.stdin.flush()
            assert session.stdout.readline() == "locked\n"
            try:
                yield
            finally:
                session.stdin.close()  # ends the session, and with it the transaction

    def set(self, name, value):
        """A setting of the whole server; None: as it was."""
        self.query(f"alter system set {name} = {value}" if value else f"alter system reset {name}", check=True)
        self.query("select pg_reload_conf()", check=True)

    def kill(self):
        """As a crash: what was committed is there after the next start."""
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait()

    def kill_all(self):
        """SIGKILL to every process of the server."""
        processes = [self.process.pid, *self.children()]
        for process in processes:
            self.signal(process, signal.SIGKILL)
        self.process.wait()
        wait_until(lambda: not any(pathlib.Path(f"/proc/{process}").exists() for process in processes), "their end")

    @contextlib.contextmanager
    def hung(self):
        """SIGSTOP to every process; the parent first, so that it starts no others meanwhile."""
        for process in (self.process.pid, *self.children()):
            self.signal(process, signal.SIGSTOP)
        try:
            yield
        finally:
            for process in (self.process.pid, *self.children()):
                self.signal(process, signal.SIGCONT)

    def children(self):
        text = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return [int(pid) for pid in text.split()]

    @staticmethod
    def signal(process, number):
        with contextlib.suppress(ProcessLookupError):  # it has ended by itself
            os.kill(process, number)

    def close(self):
        self.kill()
        shutil.rmtree(self.folder)
