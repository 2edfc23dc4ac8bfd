"""An embedded server to measure: started on a data folder of its own, asked over one connection a thread."""

import http.client
import json
import re
import signal
import subprocess
import sys


class EmbeddedServer:
    """`with EmbeddedServer(binary, data, ["--config", file]) as server`: ready inside, stopped behind."""

    def __init__(self, binary, data, options=()):
        self.command = [binary, "serve", "--data", data, "--listen", "127.0.0.1:0", *options]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = None
        for line in self.process.stdout:
            if match := re.search(r"listening on http://127\.0\.0\.1:(\d+)", line):
                self.port = int(match[1])
            if line.startswith("ready"):
                return self
        sys.exit("the server did not start")

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=60)

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)

    def cpu_seconds(self):
        """What the process has spent so far, in user and kernel."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / 100


def ask(connection, method, path, body=None):
    """One request as JSON over a connection that is kept; ends the program when it is not answered 200 or 202."""
    text = json.dumps(body) if body is not None else None
    connection.request(method, path, text, {"Content-Type": "application/json"} if text else {})
    answer = connection.getresponse()
    read = answer.read()
    if answer.status not in (200, 202):
        sys.exit(f"{method} {path}: {answer.status} {read[:300]}")
    return json.loads(read)
