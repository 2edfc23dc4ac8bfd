"""The life of a server: start, refusals, stop."""

import http.client
import os
import signal
import socket
import subprocess
import time

from scoreline import BINARY, Server, run, run_json, wait_until


def test_it_says_where_it_listens_and_when_it_is_ready(tmp_path):
    with Server(tmp_path / "data") as server:
        assert server.lines == [f"listening on {server.url}", "ready"]
        assert server.get("/readyz")["ready"] is True
        assert server.submit([{"playerId": "alice", "points": 5}])["improved"] == 1
        assert server.stop() == 0
    assert "info" in server.log_text()
    with Server(tmp_path / "data") as server:
        assert [entry["playerId"] for entry in server.top()["entries"]] == ["alice"]
        os.kill(server.pid, signal.SIGINT)
        assert server.process.wait(10) == 0


def test_a_second_server_on_the_same_folder_is_refused(tmp_path):
    with Server(tmp_path / "data") as server:
        second = run("serve", "--data", "data", "--listen", "127.0.0.1:0", cwd=tmp_path)
        assert second.returncode == 6 and second.stdout == ""
        assert f"process {server.pid}" in second.stderr
        for command in (("top",), ("verify",), ("export",)):
            error = run_json(*command, "--data", "data", cwd=tmp_path, expect=6)
            assert error["code"] == "locked"
            assert f"process {server.pid}" in error["detail"] and "--server" in error["detail"]
        server.submit([{"playerId": "alice", "points": 5}])


def test_a_port_in_use_is_refused(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        done = run("serve", "--listen", address, cwd=tmp_path)
        assert done.returncode == 4 and "listen" in done.stderr and done.stdout == ""


def test_an_address_that_others_reach_needs_to_be_asked_for(tmp_path):
    for address in ("0.0.0.0:0", "[::]:0"):
        done = run("serve", "--listen", address, cwd=tmp_path)
        assert done.returncode == 64 and "--insecure-listen" in done.stderr
    assert not (tmp_path / "scoreline-data").exists()


def test_an_idle_client_does_not_hold_up_the_stop(tmp_path):
    with Server(tmp_path / "data") as server:
        idle = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        idle.request("GET", "/healthz")
        assert idle.getresponse().read()
        begin = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - begin < 8
        idle.close()


def test_a_client_that_hangs_up_does_not_end_the_server(tmp_path):
    with Server(tmp_path / "data") as server:
        for _ in range(50):
            with socket.create_connection(("127.0.0.1", server.port)) as client:
                client.sendall(b"GET /v1/leaderboards/main/seasons/current/top HTTP/1.1\r\nHost: x\r\n\r\n" * 20)
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        assert server.get("/healthz")["status"] == "ok"
        assert server.stop() == 0


def test_the_demo_plays_a_season_that_moves(tmp_path):
    (tmp_path / "tmp").mkdir()
    environment = {"PATH": os.environ["PATH"], "TMPDIR": str(tmp_path / "tmp")}
    with Server(tmp_path / "unused", command="demo", environment=environment) as server:
        assert b"Scoreline" in server.request("GET", "/")[2]
        first = server.top(50)
        assert first["players"] > 100
        points = [entry["points"] for entry in first["entries"]]
        assert points == sorted(points, reverse=True)
        wait_until(lambda: server.top(50)["entries"] != first["entries"], 10, "the top changes")
        assert server.stop() == 0


def test_the_demo_takes_nothing_from_kafka(tmp_path):
    environment = {"PATH": os.environ["PATH"], "SCORELINE_KAFKA": "127.0.0.1:1"}  # nobody is there: it would be told
    with Server(tmp_path / "data", command="demo", environment=environment) as server:
        assert b"scoreline_kafka" not in server.request("GET", "/metrics")[2]
        assert server.stop() == 0
        assert "kafka" not in server.log_text()


def test_the_demo_leaves_no_folder_behind(tmp_path):
    (tmp_path / "tmp").mkdir()
    environment = {"PATH": os.environ["PATH"], "TMPDIR": str(tmp_path / "tmp"), "SCORELINE_LISTEN": "127.0.0.1:0"}
    with subprocess.Popen([BINARY, "demo"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          env=environment, cwd=tmp_path) as demo:
        assert demo.stdout.readline().startswith("listening on ")
        assert len(list((tmp_path / "tmp").iterdir())) == 1
        demo.send_signal(signal.SIGTERM)
        assert demo.wait(20) == 0
    assert not list((tmp_path / "tmp").iterdir())
