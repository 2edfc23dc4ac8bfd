"""The servers of a bench, each on a free port and gone with the stack that holds it."""

import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for_port(port):
    for _ in range(500):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.02)
    sys.exit(f"nothing listens on port {port}")


@contextmanager
def running(*command):
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)


def listening(stack, port, *command):
    stack.enter_context(running(*command))
    wait_for_port(port)
    return port


def redis_at(stack, folder, *settings):
    port = free_port()
    return listening(stack, port, "redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir",
                     folder, *settings)


def beanstalkd_at(stack, *settings):
    port = free_port()
    return listening(stack, port, "beanstalkd", "-l", "127.0.0.1", "-p", str(port), *settings)


def scoreline_at(stack, binary, folder):
    """Its port and its process id."""
    process = stack.enter_context(running(binary, "serve", "--data", folder, "--listen", "127.0.0.1:0"))
    for line in process.stdout:
        if match := re.search(r"listening on http://127\.0\.0\.1:(\d+)", line):
            return int(match[1]), process.pid
    sys.exit("the server did not start")
