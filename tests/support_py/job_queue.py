"""One queue of a server, as its callers and workers see it over HTTP."""

import contextlib
import json
import pathlib
import os
import socket

from scoreline import quote


class JobQueue:
    """Calls that must succeed answer with their body; `call` and `refused` are for all others."""

    def __init__(self, server, name="q"):
        self.server = server
        self.path = f"/v1/queues/{name}"

    def call(self, method, tail="", body=None, headers=None, timeout=30):
        """(status, body)."""
        status, _, answer = self.server.request(method, self.path + tail, body, headers=headers, timeout=timeout)
        return status, answer

    def ok(self, method, tail="", body=None, timeout=30):
        status, answer = self.call(method, tail, body, timeout=timeout)
        assert status == 200, f"{status}: {answer}"
        return answer

    def refused(self, method, tail, body, headers=None):
        """(status, code, field) of a call that must fail."""
        status, answer = self.call(method, tail, body, headers)
        assert status >= 400, answer
        assert answer["status"] == status and answer["detail"], answer
        return status, answer["code"], answer.get("field")

    def push(self, job=None, **more):
        """One job; its answer."""
        return self.ok("POST", "/jobs", ({"id": job} if job else {}) | more)

    def push_all(self, jobs):
        return self.ok("POST", "/jobs", {"jobs": jobs})["jobs"]

    def take(self, most=1, timeout=30, **more):
        return self.ok("POST", ":take", {"max": most} | more, timeout)["jobs"]

    def take_one(self, **more):
        [job] = self.take(**more)
        return job

    def deed(self, verb, job, **more):
        """(status, body) of `ack`, `nack`, `extend` or `release` of a taken job."""
        return self.call("POST", f"/jobs/{quote(job['id'])}:{verb}", {"receipt": job["receipt"]} | more)

    def done(self, verb, job, **more):
        """The state that it is in after it."""
        status, answer = self.deed(verb, job, **more)
        assert status == 200, f"{status}: {answer}"
        return answer["state"]

    def job(self, name):
        """None when it is not there."""
        status, answer = self.call("GET", f"/jobs/{quote(name)}")
        assert status in (200, 404), answer
        return answer if status == 200 else None

    def jobs(self, state):
        return [job["id"] for job in self.ok("GET", f"/jobs?state={state}&limit=1000")["jobs"]]

    def stats(self):
        return self.ok("GET")["stats"]


class WaitingTake:
    """A take on a socket of its own, for a client that waits, reads late, or goes away."""

    def __init__(self, server, queue="q", wait="60s", lease="60s", most=1):
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=60)
        body = json.dumps({"max": most, "wait": wait, "lease": lease}).encode()
        self.socket.sendall(f"POST /v1/queues/{queue}:take HTTP/1.1\r\nHost: localhost\r\n"
                            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)

    def jobs(self):
        """Waits for the answer."""
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += self._read()
        head, _, body = answer.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 "), answer
        fields = dict(line.lower().split(": ", 1) for line in head.decode().split("\r\n")[1:])
        while len(body) < int(fields["content-length"]):
            body += self._read()
        return json.loads(body)["jobs"]

    def _read(self):
        part = self.socket.recv(65536)
        assert part, "the server closed"
        return part

    def close(self):
        self.socket.close()


@contextlib.contextmanager
def waiting_takes(server, count, **how):
    """So many at once, in the order of their coming."""
    takes = []
    try:
        takes.extend(WaitingTake(server, **how) for _ in range(count))
        yield takes
    finally:
        for take in takes:
            take.close()


def cpu_seconds(process):
    """What a process has used so far."""
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
