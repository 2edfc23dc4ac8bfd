"""The program under test, as Python sees it: run a command, start a server, talk to it over HTTP."""

import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import threading
import time
import urllib.parse

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("SCORELINE_BINARY", str(REPOSITORY / "build" / "dev" / "scoreline"))


def real_results():
    """The folder of real match results, or None where it is not there."""
    base = os.environ.get("SCORELINE_TEST_DATA", str(REPOSITORY.parent / "shared" / "data"))
    folder = pathlib.Path(base) / "international-football"
    return folder if folder.is_dir() else None


def clean_environment(**more):
    """The environment without any SCORELINE_*: a test sets what it means."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SCORELINE_")}
    return kept | more


def run(*arguments, cwd, stdin=None, environment=None, timeout=120):
    """Runs one command to its end; stdout and stderr as text."""
    return subprocess.run([BINARY, *map(str, arguments)], cwd=cwd, input=stdin, capture_output=True, text=True,
                          env=environment or clean_environment(), timeout=timeout, check=False)


def run_json(*arguments, cwd, expect=0, **more):
    """The same with --json; checks the exit code and parses what was printed."""
    done = run("--json", *arguments, cwd=cwd, **more)
    assert done.returncode == expect, f"exit {done.returncode}: {done.stdout}{done.stderr}"
    return json.loads(done.stdout if done.stdout else done.stderr)


class Server:
    """`scoreline serve`, by itself on a free port. `before` stands in front of the command (prlimit, strace …)."""

    def __init__(self, data, *arguments, before=(), command="serve", environment=None, wait_ready=True, port=0):
        self.data = data
        self.log_path = pathlib.Path(f"{data}.log")
        self.log = open(self.log_path, "ab")  # pylint: disable=consider-using-with
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [*before, BINARY, "--data", str(data), command, "--listen", f"127.0.0.1:{port}", *map(str, arguments)],
            stdout=subprocess.PIPE, stderr=self.log, text=True, env=environment or clean_environment())
        self.lines = []
        self.port = None
        try:
            self._read_until("ready" if wait_ready else "listening")
        except AssertionError:
            self.kill()
            raise
        # The pipe is read on: a server must not stand still because nobody reads what it says.
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def _read_until(self, wanted):
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
            if found := re.match(r"listening on http://127\.0\.0\.1:(\d+)$", self.lines[-1]):
                self.port = int(found.group(1))
            if line.startswith(wanted):
                return
        raise AssertionError(f"exit {self.process.wait()} before '{wanted}': {self.log_text()}")

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self):
        """Of the server itself, also behind a program that stands in front of it."""
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        own = os.readlink(f"/proc/{self.process.pid}/exe")
        return self.process.pid if pathlib.Path(own).name == "scoreline" else int(children[0])

    def log_text(self):
        return self.log_path.read_text(errors="replace")

    def request(self, method, path, body=None, timeout=30, headers=None, connection=None):
        """(status, headers, parsed body) of one request."""
        own = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            data = json.dumps(body).encode() if body is not None and not isinstance(body, bytes) else body
            sent = {"Content-Type": "application/json"} if data is not None else {}
            own.request(method, path, data, sent | (headers or {}))
            answer = own.getresponse()
            text = answer.read()
            is_json = "json" in (answer.headers.get("Content-Type") or "")
            return answer.status, answer.headers, json.loads(text) if is_json and text else text
        finally:
            if connection is None:
                own.close()

    def get(self, path):
        status, _, body = self.request("GET", path)
        assert status == 200, f"{status}: {body}"
        return body

    def submit(self, results, leaderboard="main"):
        status, _, body = self.request("POST", f"/v1/leaderboards/{leaderboard}/results", {"results": results})
        assert status == 200, f"{status}: {body}"
        return body

    def top(self, limit=10, season="current", leaderboard="main"):
        return self.get(f"/v1/leaderboards/{leaderboard}/seasons/{season}/top?limit={limit}")

    def stop(self, timeout=30):
        """SIGTERM; the exit code."""
        if self.process.poll() is None:
            os.kill(self.pid, signal.SIGTERM)
        code = self.process.wait(timeout)
        self.log.close()
        return code

    def kill(self):
        """SIGKILL: no time for a last word."""
        if self.process.poll() is None:
            os.kill(self.pid, signal.SIGKILL)
        self.process.wait(30)
        self.log.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.kill()


def quote(text):
    """One path segment."""
    return urllib.parse.quote(text, safe="")


def wait_until(condition, seconds, what):
    """Looks again and again until `condition` holds; its value."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.02)
    raise AssertionError(f"not within {seconds} s: {what}")
