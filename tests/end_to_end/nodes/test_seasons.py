"""Seasons end in an archive: over one server's folder and over two servers that share stores, however they die."""

import csv
import io
import random
import threading
import time
import uuid

import pytest
from nodes import Nodes
from scoreline import run, wait_until

SEASONS = "/v1/leaderboards/main/seasons"


@pytest.fixture(params=["folder", "shared"])
def nodes(request, tmp_path):
    stores = request.getfixturevalue("stores") if request.param == "shared" else None
    return Nodes(stores, tmp_path / "nodes", count=2 if stores else 1), stores


def result(player, points, season=1, at="2026-10-12T17:00:00Z"):
    return {"matchId": str(uuid.uuid4()), "playerId": player, "seasonId": season, "points": points, "achievedAt": at}


def state(server, season=1):
    return next((s["state"] for s in server.get(SEASONS)["seasons"] if s["id"] == season), None)


def close(server, season=1):
    status, _, body = server.request("POST", f"{SEASONS}/{season}:close")
    assert status in (200, 202), body
    assert body["end"] is not None


def everywhere_closed(servers, season=1):
    for server in servers:
        wait_until(lambda s=server: state(s, season) == "closed", 60, "the end of closing")


def lines(server, season=1):
    return server.get(f"{SEASONS}/{season}/archive")["entries"]


def recount(results):
    """Best points, then the smaller time, then the bytes of the id backwards: all times here are equal."""
    best = {}
    for each in results:
        best[each["playerId"]] = max(best.get(each["playerId"], -1), each["points"])
    order = sorted(((points, player) for player, points in best.items()), reverse=True)
    return [(rank, player, points) for rank, (points, player) in enumerate(order, 1)]


def shown(entries):
    return [(e["rank"], e["playerId"], e["points"]) for e in entries]


def test_closed_season_answers_as_before_and_takes_nothing_more(nodes):
    made, stores = nodes
    rng = random.Random(1)
    with made as servers:
        results = [result(f"p{rng.randrange(300)}", rng.randrange(1_000)) for _ in range(900)]
        servers[0].submit(results)
        reads = [f"{SEASONS}/1/top?limit=50", f"{SEASONS}/1/ranks?from=200&limit=30", f"{SEASONS}/1/players/p7",
                 f"{SEASONS}/1/players/p7/around?radius=4"]
        before = [servers[0].get(path) for path in reads]
        close(servers[-1])
        everywhere_closed(servers)
        for server in servers:
            assert [server.get(path) for path in reads] == before
            assert shown(lines(server)) == recount(results)
            status, _, body = server.request("POST", "/v1/leaderboards/main/results", result("late", 5))
            assert status == 409 and body["field"] == "seasonId"
            assert server.request("GET", f"{SEASONS}/1/players/late")[0] == 404
            _, _, friends = server.request("POST", f"{SEASONS}/1/players:rank", {"playerIds": ["p7", "p8", "late"]})
            assert [e["rankAmong"] for e in friends["entries"]] == [1, 2] and friends["absent"] == ["late"]
            assert server.request("POST", f"{SEASONS}/1:rebuild")[0] == 409
        if stores:
            redis = stores[1]
            wait_until(lambda: "lb:{s1}" not in redis.command("KEYS", "*"), 10, "the index to forget the board")
            assert stores[0].query("select count(*) from match_results where player_id = 'late'").strip() == "0"
        made.servers[0].stop()
        made.restart(0)
        assert [servers[0].get(path) for path in reads] == before
        if stores:
            time.sleep(1.5)
            assert "lb:{s1}" not in redis.command("KEYS", "*")  # nor does a start bring it back


def test_rewards_have_ties_at_the_edge_and_no_formulas(nodes, tmp_path):
    made, _ = nodes
    with made as servers:
        server = servers[0]
        ids = ["=1+1", "@cmd", "+49", "-5", 'say "hi", you', "plain"]
        server.submit([result(player, 10 - i) for i, player in enumerate(ids)])
        done = run("season", "close", "1", "--server", server.url, cwd=tmp_path)
        assert done.returncode == 0 and '"state":"closed"' in done.stdout, done.stderr
        done = run("season", "archive", "1", "--top-percent", "50", "--server", server.url, cwd=tmp_path)
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        assert [row["player_id"] for row in rows] == ["'=1+1", "'@cmd", "'+49"]
        assert [row["points"] for row in rows] == ["10", "9", "8"]
        whole = list(csv.DictReader(io.StringIO(server.get(f"{SEASONS}/1/archive?format=csv").decode())))
        assert [row["player_id"] for row in whole][3:] == ["'-5", 'say "hi", you', "plain"]
        for query in ("format=xml", "top=0", "topPercent=101", "top=1&topPercent=1", "limit=1"):
            assert server.request("GET", f"{SEASONS}/1/archive?{query}")[0] == 422, query
        assert server.request("GET", f"{SEASONS}/2/archive")[0] == 404


def test_erased_player_leaves_an_anonymous_line(nodes):
    made, _ = nodes
    with made as servers:
        servers[0].submit([result("alice", 3), result("bob", 2), result("carol", 1)])
        close(servers[0])
        everywhere_closed(servers)
        assert servers[0].request("DELETE", "/v1/leaderboards/main/players/bob?ledger=true")[0] == 200
        for server in servers:
            wait_until(lambda s=server: shown(lines(s)) == [(1, "alice", 3), (2, None, 2), (3, "carol", 1)], 5, "it")
            wait_until(lambda s=server: s.top(season=1)["entries"][1]["playerId"] is None, 5, "the top to change")
            assert server.request("GET", f"{SEASONS}/1/players/bob")[0] == 404


def test_killed_while_closing_there_is_one_whole_archive(nodes):
    """Some die before the mark, some while the archive is written, some after; none leaves half of one."""
    made, _ = nodes
    rng = random.Random(2)
    states = set()
    with made as servers:
        for season in range(1, 7):
            results = [result(f"p{n}", rng.randrange(1_000_000), season) for n in range(20_000)]
            for first in range(0, len(results), 10_000):
                servers[0].submit(results[first:first + 10_000])
            close(servers[0], season)
            time.sleep(0.15 * (season - 1))
            states.add(state(servers[0], season))
            made.servers[0].kill()
            if len(servers) == 1:
                made.restart(0)
                everywhere_closed(servers, season)
            else:
                everywhere_closed(servers[1:], season)  # the other one takes over
                made.restart(0)
            assert shown(lines(servers[-1], season)) == recount(results)
    assert "closing" in states, "nobody was killed on the way"


def test_results_across_the_boundary_are_all_in_the_right_season(nodes):
    """Two seasons meet while results pour in; every answered one is in the archive of its own season."""
    made, _ = nodes
    with made as servers:
        servers[0].request("PUT", "/v1/leaderboards/cup", {"rule": "best", "grace": "2s"})
        boundary = time.time() + 4
        text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(boundary)) + "Z"
        boundary = int(boundary)
        for season in ({"id": 1, "start": "2026-01-01T00:00:00Z", "end": text}, {"id": 2, "start": text}):
            status, _, body = servers[0].request("POST", "/v1/leaderboards/cup/seasons", season)
            assert status == 201, body
        for server in servers:
            wait_until(lambda s=server: s.request("GET", "/v1/leaderboards/cup")[0] == 200, 5, "the definition")
        taken, refused, failures = [], [], []

        def send(thread):
            rng = random.Random(thread)
            server = servers[thread % len(servers)]
            number = 0
            while time.time() < boundary + 5:
                batch = []
                for _ in range(500):
                    number += 1
                    at = time.time() - rng.random() * 1.5  # late ones too
                    ms = int(at * 1000)
                    season = 1 if ms < boundary * 1000 else 2
                    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(ms // 1000)) + f".{ms % 1000:03d}Z"
                    batch.append(result(f"t{thread}n{number}", number, season, stamp))
                try:
                    body = server.submit(batch, "cup")
                except Exception as error:  # pylint: disable=broad-except
                    failures.append(error)
                    return
                rejected = {each["index"] for each in body["rejected"]}
                refused.extend(batch[i] for i in rejected)
                taken.extend(each for i, each in enumerate(batch) if i not in rejected)

        began = time.time()
        threads = [threading.Thread(target=send, args=(n,)) for n in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures, failures
        print(f"{len(taken)} results taken in {time.time() - began:.1f} s, {len(refused)} refused")
        assert servers[0].request("POST", "/v1/leaderboards/cup/seasons/2:close")[0] in (200, 202)
        base = "/v1/leaderboards/cup/seasons"
        for server in servers:
            wait_until(lambda s=server: all(x["state"] == "closed" for x in s.get(base)["seasons"]), 60, "both closed")
        for season in (1, 2):
            archived = {e["playerId"] for e in servers[-1].get(f"{base}/{season}/archive")["entries"]}
            expected = {each["playerId"] for each in taken if each["seasonId"] == season}
            assert archived == expected and expected
        assert all(each["seasonId"] == 1 for each in refused)  # later than the grace
