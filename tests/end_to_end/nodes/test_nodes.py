"""Several servers over one PostgreSQL and one Redis give one truth, and bring lost boards back by themselves."""

import threading
import time
import uuid

import pytest
from nodes import Nodes
from scoreline import run_json
from stores import wait_until


def result(player, points, at="2026-10-12T17:00:00Z", season=12, match=None):
    return {"matchId": match or str(uuid.uuid4()), "playerId": player, "seasonId": season, "points": points,
            "achievedAt": at}


def names(page):
    return [entry["playerId"] for entry in page["entries"]]


def submit_until_taken(server, results, leaderboard="main"):
    """As a client does: what was answered with 503 is sent again, with the same match ids."""
    def taken():
        status, headers, body = server.request("POST", f"/v1/leaderboards/{leaderboard}/results",
                                               {"results": results})
        assert status == 200 or (status == 503 and headers["Retry-After"]), f"{status}: {body}"
        return status == 200
    wait_until(taken, "an answer")


def ready_top(server, season=12, leaderboard="main"):
    """The top, once reads are answered; until then they are 503, never a wrong board."""
    answers = []

    def answered():
        status, headers, body = server.request("GET", f"/v1/leaderboards/{leaderboard}/seasons/{season}/top?limit=1000")
        assert status == 200 or (status == 503 and headers["Retry-After"]), f"{status}: {body}"
        answers.append(body)
        return status == 200
    wait_until(answered, "the top")
    return answers[-1]


def test_what_one_node_takes_the_other_shows(stores, tmp_path):
    with Nodes(stores, tmp_path) as (one, two):
        one.submit([result("alice", 10), result("bob", 20)])
        wait_until(lambda: names(ready_top(two)) == ["bob", "alice"], "the first node's results")
        again = result("carol", 30)
        assert two.submit([again])["improved"] == 1
        assert one.submit([again])["duplicate"] == 1
        assert one.get("/v1/leaderboards/main/seasons/12/players/carol")["rank"] == 1
        wait_until(lambda: names(ready_top(one)) == ["carol", "bob", "alice"], "the second node's result")


def test_a_definition_reaches_all_nodes_within_a_second(stores, tmp_path):
    with Nodes(stores, tmp_path) as (one, two):
        assert one.request("PUT", "/v1/leaderboards/laps", {"rule": "least"})[0] == 201
        begin = time.monotonic()
        wait_until(lambda: two.request("GET", "/v1/leaderboards/laps")[0] == 200, "the definition", timeout=5)
        assert time.monotonic() - begin < 3
        submit_until_taken(two, [result("alice", 70), result("bob", 60)], "laps")
        wait_until(lambda: names(ready_top(one, leaderboard="laps")) == ["bob", "alice"], "the board")


def test_sums_add_up_whichever_node_takes_them(stores, tmp_path):
    with Nodes(stores, tmp_path) as servers:
        assert servers[0].request("PUT", "/v1/leaderboards/totals", {"rule": "sum"})[0] == 201
        wait_until(lambda: servers[1].request("GET", "/v1/leaderboards/totals")[0] == 200, "the definition")
        submit_until_taken(servers[0], [result(f"p{i}", 1) for i in range(5)], "totals")

        def play(server):
            for _ in range(40):
                submit_until_taken(server, [result(f"p{i}", i + 1) for i in range(5)], "totals")

        threads = [threading.Thread(target=play, args=(server,)) for server in servers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for server in servers:
            for i in range(5):
                entry = server.get(f"/v1/leaderboards/totals/seasons/12/players/p{i}")
                assert entry["points"] == 1 + 80 * (i + 1), entry


@pytest.mark.parametrize("loss", ["flushed", "killed"])
def test_a_lost_index_comes_back_by_itself_while_results_keep_coming(stores, tmp_path, loss):
    _, redis = stores
    with Nodes(stores, tmp_path) as (one, two):
        one.submit([result(f"old{i}", i) for i in range(500)])
        sent = []
        stop = threading.Event()

        def play():
            while not stop.is_set():
                row = result(f"new{len(sent)}", 1000 + len(sent))
                submit_until_taken(two, [row])
                sent.append(row)

        player = threading.Thread(target=play)
        player.start()
        wait_until(lambda: len(sent) > 20, "results")
        if loss == "flushed":
            redis.command("FLUSHALL")
        else:
            redis.kill()
            time.sleep(0.5)
            redis.start()
        before = len(sent)
        wait_until(lambda: len(sent) > before + 20, "results after the loss")
        stop.set()
        player.join()
        expected = [row["playerId"] for row in reversed(sent)] + [f"old{i}" for i in reversed(range(500))]
        for server in (one, two):
            wait_until(lambda server=server: ready_top(server)["players"] == len(expected), "all players")
            wait_until(lambda server=server: names(ready_top(server)) == expected[:1000], "the right board")


def test_a_node_that_starts_finds_the_boards_of_the_others(stores, tmp_path):
    nodes = Nodes(stores, tmp_path, count=1)
    with nodes as servers:
        servers[0].submit([result("alice", 10)])
        assert names(ready_top(nodes.add())) == ["alice"]


def test_postgresql_restarts_under_load_and_nothing_is_lost_or_counted_twice(stores, tmp_path):
    postgres, _ = stores
    with Nodes(stores, tmp_path) as (one, two):
        assert one.request("PUT", "/v1/leaderboards/totals", {"rule": "sum"})[0] == 201
        wait_until(lambda: two.request("GET", "/v1/leaderboards/totals")[0] == 200, "the definition")
        rows = [result("alice", 1) for _ in range(60)]
        for number, row in enumerate(rows):
            if number == 20:
                postgres.kill()
                threading.Timer(1, postgres.start).start()
            submit_until_taken((one, two)[number % 2], [row], "totals")
        for server in (one, two):
            assert server.get("/v1/leaderboards/totals/seasons/12/players/alice")["points"] == 60


def test_stores_that_do_not_fit_are_refused(stores, tmp_path):
    postgres, redis = stores
    error = run_json("serve", "--ledger", postgres.url, cwd=tmp_path, expect=64)
    assert error["field"] == "index" and "redis://" in error["detail"]
    error = run_json("serve", "--index", redis.url, cwd=tmp_path, expect=64)
    assert error["field"] == "ledger" and "postgresql://" in error["detail"]
    error = run_json("serve", "--ledger", "mysql://x", "--index", redis.url, cwd=tmp_path, expect=64)
    assert error["field"] == "ledger"
    error = run_json("serve", "--ledger", postgres.url, "--index", "http://x", cwd=tmp_path, expect=64)
    assert error["field"] == "index"
    redis.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    error = run_json("serve", "--ledger", postgres.url, "--index", redis.url, cwd=tmp_path, expect=64)
    assert "allkeys-lru" in error["detail"] and "noeviction" in error["detail"]
