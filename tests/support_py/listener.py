"""A listener to server-sent events, over a plain socket."""

import json
import socket
import time


class Listener:
    """As a context it hangs up at the end."""

    def __init__(self, server, path, last_id=None):
        host, port = server.url.removeprefix("http://").split(":")
        self.socket = socket.create_connection((host, int(port)), timeout=10)
        again = f"Last-Event-ID: {last_id}\r\n" if last_id else ""
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{again}\r\n".encode())
        self.read = b""
        self.ended = False
        self.last_id = last_id
        while b"\r\n\r\n" not in self.read:
            self.receive(10)
        head, _, self.read = self.read.partition(b"\r\n\r\n")
        self.head = head.decode()

    def receive(self, seconds):
        self.socket.settimeout(max(seconds, 0.001))
        try:
            part = self.socket.recv(65536)
        except TimeoutError:
            return
        self.ended = self.ended or not part
        self.read += part

    def event(self, seconds=5):
        """The next event: its name and data; None when none comes in time, or the stream has ended."""
        end = time.monotonic() + seconds
        while True:
            block, found, rest = self.read.partition(b"\n\n")
            if found:
                self.read = rest
                fields = dict(line.split(": ", 1) for line in block.decode().split("\n") if ": " in line)
                if "event" not in fields:
                    continue
                self.last_id = fields["id"]
                return fields["event"], json.loads(fields["data"])
            if self.ended or time.monotonic() >= end:
                return None
            self.receive(end - time.monotonic())

    def until(self, wanted, seconds=10):
        """The first event that `wanted(name, data)`; everything before it is passed over."""
        end = time.monotonic() + seconds
        while event := self.event(end - time.monotonic()):
            if wanted(*event):
                return event
        raise AssertionError("the event did not come")

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
