"""`./dev run --full`: what it starts works together, and is gone afterwards."""

import http.client
import json
import re
import signal
import subprocess
import sys

import pytest
from kafka import what_is_missing
from scoreline import REPOSITORY, wait_until
from stores import free_port


def players(port):
    """How many the board of the node has; 0: none, or no node."""
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        connection.request("GET", "/v1/leaderboards/main/seasons/current/top?limit=1")
        answer = connection.getresponse()
        return json.loads(answer.read())["players"] if answer.status == 200 else 0
    except OSError:
        return 0


@pytest.mark.skipif(what_is_missing() is not None, reason=str(what_is_missing()))
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_results_arrive_at_both_nodes_and_nothing_is_left_behind(tmp_path, ending):
    ports = [free_port(), free_port()]
    with subprocess.Popen([sys.executable, REPOSITORY / "tools" / "run_full.py", "--ports", *map(str, ports)],
                          stdout=subprocess.PIPE, stderr=(tmp_path / "errors").open("wb"), text=True,
                          cwd=tmp_path) as full:
        try:
            said = ""
            while "Ctrl-C" not in said:
                line = full.stdout.readline()
                assert line, (tmp_path / "errors").read_text()
                said += line
            wait_until(lambda: all(players(port) > 100 for port in ports), 30, "results at both nodes")
        finally:
            full.send_signal(ending)
        assert full.wait(30) == 0, (tmp_path / "errors").read_text()
    for name in ("PostgreSQL", "Redis", "Kafka", "node 1", "node 2"):
        port = int(re.search(rf"^{name} .*?127\.0\.0\.1:(\d+)", said, re.M).group(1))
        with pytest.raises(OSError):
            http.client.HTTPConnection("127.0.0.1", port, timeout=5).connect()
