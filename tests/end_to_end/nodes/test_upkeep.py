"""Boards are compared with the ledger and made again, over HTTP and by command, while results keep coming."""

import threading
import uuid

from nodes import Nodes
from scoreline import Server, run, run_json, wait_until

SEASON = "/v1/leaderboards/cup/seasons/1"
KEY = "lb:{cup:s1}"


def open_cup(server):
    """A packed board: a plain sorted set, so that a stranger can change it behind our back."""
    assert server.request("PUT", "/v1/leaderboards/cup", {"rule": "best", "key": "packed"})[0] == 201
    season = {"id": 1, "start": "2026-01-01T00:00:00Z"}
    assert server.request("POST", "/v1/leaderboards/cup/seasons", season)[0] == 201


def result(player, points):
    return {"matchId": str(uuid.uuid4()), "playerId": player, "seasonId": 1, "points": points,
            "achievedAt": "2026-10-12T17:00:00Z"}


def ended(server, task):
    def look():
        answer = server.get(f"{SEASON}:{task}")
        return answer if answer["state"] != "running" else None
    return wait_until(look, 30, f"the end of {task}")


def test_drift_is_told_and_repaired(stores, tmp_path):
    postgres, redis = stores
    with Nodes(stores, tmp_path) as (one, two):
        open_cup(one)
        one.submit([result("alice", 10), result("bob", 20), result("carol", 30)], "cup")
        assert one.request("GET", f"{SEASON}:reconcile")[0] == 404
        status, _, answer = one.request("POST", f"{SEASON}:reconcile")
        assert status == 202 and answer["season"] == 1 and answer["repair"] is False
        right = ended(one, "reconcile")
        assert right["state"] == "done" and right["driftPlayers"] == 0 and right["differing"] == []
        assert right["ledger"] == right["index"] and right["ledger"]["players"] == 3

        assert redis.command("ZADD", KEY, "XX", "CH", str(99 << 32), "alice") == "1"
        stores_named = ("--ledger", postgres.url, "--index", redis.url)
        found = run_json("reconcile", "-l", "cup", "-s", "1", *stores_named, cwd=tmp_path, expect=4)
        assert found["driftPlayers"] == 1 and found["repaired"] is False
        assert found["differing"][0]["playerId"] == "alice"
        assert found["differing"][0]["ledger"] == "10 at 2026-10-12T17:00:00Z"
        assert found["differing"][0]["index"].startswith("99 at ")
        assert found["ledger"]["players"] == found["index"]["players"] == 3
        assert found["ledger"]["checksum"] != found["index"]["checksum"]

        wait_until(lambda: two.request("GET", f"{SEASON}/top")[0] == 200, 5, "the leaderboard on the other node")
        told = run("reconcile", "-l", "cup", "-s", "1", "--server", two.url, cwd=tmp_path)
        assert told.returncode == 4 and "alice: ledger 10 at" in told.stdout and "1 players differ" in told.stdout
        assert 'scoreline_board_drift_players{leaderboard="cup",season="1"} 1' in two.get("/metrics").decode()
        told = run("reconcile", "--repair", "-l", "cup", "-s", "1", "--server", two.url, cwd=tmp_path)
        assert told.returncode == 0 and "the board was made again" in told.stdout
        assert 'scoreline_board_drift_players{leaderboard="cup",season="1"} 0' in two.get("/metrics").decode()
        for server in (one, two):
            wait_until(lambda server=server: [e["points"] for e in server.top(season=1, leaderboard="cup")["entries"]]
                       == [30, 20, 10], 5, "the repaired board")


def test_rebuilds_under_load_lose_nothing_and_show_no_part_of_the_board(stores, tmp_path):
    postgres, redis = stores
    with Nodes(stores, tmp_path) as (one, two):
        open_cup(one)
        one.submit([result(f"old{i}", i) for i in range(2000)], "cup")
        wait_until(lambda: two.request("GET", f"{SEASON}/top")[0] == 200, 5, "the leaderboard on the other node")
        sent = []
        stop = threading.Event()
        seen = []

        def play():
            while not stop.is_set():
                batch = [result(f"new{len(sent) + i}", 5000 + len(sent) + i) for i in range(20)]
                two.submit(batch, "cup")
                sent.extend(batch)

        def watch():
            while not stop.is_set():
                seen.append(two.get(f"{SEASON}/players/old0")["players"])

        threads = [threading.Thread(target=play), threading.Thread(target=watch)]
        for thread in threads:
            thread.start()
        wait_until(lambda: len(sent) >= 100, 20, "results")
        for server in (one, two, one):
            assert server.request("POST", f"{SEASON}:rebuild")[0] == 202
            assert ended(server, "rebuild")["state"] == "done"
        done = run_json("rebuild", "-l", "cup", "-s", "1", "--ledger", postgres.url, "--index", redis.url, cwd=tmp_path)
        assert done == {"leaderboard": "cup", "season": 1, "rebuilt": True}
        before = len(sent)
        wait_until(lambda: len(sent) > before + 40, 20, "results after the rebuilds")
        stop.set()
        for thread in threads:
            thread.join()
        assert min(seen) >= 2000 and seen == sorted(seen)
        found = run_json("reconcile", "-l", "cup", "-s", "1", "--server", one.url, cwd=tmp_path)
        assert found["driftPlayers"] == 0 and found["ledger"]["players"] == 2000 + len(sent)


def test_of_two_nodes_asked_at_once_the_board_is_right_in_the_end(stores, tmp_path):
    with Nodes(stores, tmp_path) as (one, two):
        open_cup(one)
        one.submit([result(f"p{i}", i) for i in range(5000)], "cup")
        wait_until(lambda: two.request("GET", f"{SEASON}/top")[0] == 200, 5, "the leaderboard on the other node")
        for _ in range(3):
            for server in (one, two):
                assert server.request("POST", f"{SEASON}:rebuild")[0] == 202
            ends = [ended(server, "rebuild") for server in (one, two)]
            for end in ends:
                assert end["state"] == "done" or end["failure"]["code"] == "conflict", end
            assert "done" in [end["state"] for end in ends]
        assert one.request("POST", f"{SEASON}:reconcile")[0] == 202
        assert ended(one, "reconcile")["driftPlayers"] == 0


def test_the_embedded_server_makes_its_boards_again_too(tmp_path):
    with Server(tmp_path / "data") as server:
        server.submit([{"playerId": f"p{i}", "points": i} for i in range(1000)])
        before = server.top(1000)["entries"]
        done = run("rebuild", "--server", server.url, cwd=tmp_path)
        assert done.returncode == 0 and done.stdout == "season 1 of main is made again from the ledger\n"
        assert server.top(1000)["entries"] == before
        assert run_json("reconcile", "--server", server.url, cwd=tmp_path)["driftPlayers"] == 0


def test_wrong_calls_say_what_is_wrong(tmp_path):
    with Server(tmp_path / "data") as server:
        for task in ("rebuild", "reconcile"):
            status, _, problem = server.request("POST", f"/v1/leaderboards/main/seasons/7:{task}")
            assert status == 404 and problem["field"] == "season"
            assert server.request("POST", f"/v1/leaderboards/nope/seasons/1:{task}")[0] == 404
            assert server.request("POST", f"/v1/leaderboards/main/seasons/x:{task}")[0] == 422
        status, _, problem = server.request("POST", "/v1/leaderboards/main/seasons/1:reconcile?repair=yes")
        assert status == 422 and problem["field"] == "repair"
        assert server.request("DELETE", "/v1/leaderboards/main/seasons/1:rebuild")[0] == 405
        assert server.request("POST", "/v1/leaderboards/main/seasons/:rebuild")[0] == 404
    for command in ("rebuild", "reconcile"):
        error = run_json(command, cwd=tmp_path, expect=64)
        assert error["field"] == "server" and "--server URL" in error["detail"]
