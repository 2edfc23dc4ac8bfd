"""Players with the same points, compared by win rate, then by fewer matches: files, commands, a server, an archive."""

import json

import pytest
from scoreline import Server, run, run_json

CONFIG = """
[leaderboards.main]
maxPoints = 1000000
criteria = [
  {name = "points"},
  {name = "winRate", order = "desc", scale = 1, min = 0, max = 100},
  {name = "matches", order = "asc", min = 1, max = 1000},
]
"""
HEAD = "player_id,points,achieved_at,criteria.winRate,criteria.matches\n"
# Of alice the first counts: the second has more matches won, and fewer points.
ROWS = [("alice", 30, 50, 10), ("alice", 29, 99.9, 1), ("bob", 30, 61.5, 400), ("carol", 30, 61.5, 12),
        ("dave", 30, 61.4, 1), ("erin", 31, 0, 1000)]
ORDER = ["erin", "carol", "bob", "dave", "alice"]


def players(page):
    return [entry["playerId"] for entry in page["entries"]]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "scoreline.toml").write_text(CONFIG)
    rows = "".join(f"{player},{points},2026-01-01T00:00:0{n}Z,{rate},{matches}\n"
                   for n, (player, points, rate, matches) in enumerate(ROWS))
    (tmp_path / "rows.csv").write_text(HEAD + rows)
    told = run_json("--config", "scoreline.toml", "import", "rows.csv", "--season", "2", cwd=tmp_path)
    assert told["rejected"] == 0
    return tmp_path


def ask(folder, *words, **more):
    return run_json("--config", "scoreline.toml", *words, cwd=folder, **more)


def test_a_folder_sorts_and_shows_them(folder):
    top = ask(folder, "top", "-s", "2")
    assert players(top) == ORDER
    assert top["entries"][1]["criteria"] == {"winRate": 61.5, "matches": 12}
    assert ask(folder, "rank", "alice", "-s", "2")["criteria"] == {"winRate": 50, "matches": 10}
    assert ask(folder, "audit", "rank", "alice", "-s", "2")["agrees"] is True


def test_an_export_comes_back_as_it_was(folder):
    written = run("export", cwd=folder).stdout
    assert written.splitlines()[0].endswith("criteria.winRate,criteria.matches") and len(written.splitlines()) == 7
    (folder / "results.csv").write_text(written)
    ask(folder, "--data", "again", "import", "results.csv")
    assert run("--data", "again", "export", cwd=folder).stdout == written
    assert players(ask(folder, "--data", "again", "top", "-s", "2")) == ORDER


@pytest.mark.parametrize("row,field", [
    ("x,1,,,3", "criteria.winRate"), ("x,1,,100.1,3", "criteria.winRate"), ("x,1,,50.55,3", "criteria.winRate"),
    ("x,1,,50,0", "criteria.matches"), ("x,1,,50,1001", "criteria.matches"), ("x,1,,50,many", "criteria.matches")])
def test_a_row_that_cannot_count_is_rejected_by_name(folder, row, field):
    (folder / "bad.csv").write_text(HEAD + row + "\n")
    told = ask(folder, "import", "bad.csv", "--season", "2", expect=65)
    assert told["rejected"] == 1
    assert f",{field}," in (folder / "rejected.csv").read_text()
    assert players(ask(folder, "top", "-s", "2")) == ORDER


def test_a_server_takes_and_archives_them(folder):
    with Server(folder / "scoreline-data", "--config", folder / "scoreline.toml") as server:
        base = "/v1/leaderboards/main"
        results = [{"playerId": "frank", "seasonId": 2, "points": 31, "criteria": {"winRate": 0.1, "matches": 999}},
                   {"playerId": "bad", "seasonId": 2, "points": 31, "criteria": {"winRate": 0.1}},
                   {"playerId": "bad", "seasonId": 2, "points": 31, "criteria": {"winrate": 1, "matches": 9}}]
        status, _, told = server.request("POST", f"{base}/results", {"results": results})
        assert status == 200 and told["improved"] == 1
        assert [each["field"] for each in told["rejected"]] == ["criteria.matches", "criteria.winrate"]
        order = ["frank", *ORDER]
        assert players(server.get(f"{base}/seasons/2/top")) == order
        assert players(server.get(f"{base}/seasons/2/top?asOf=2026-01-01T00:00:06Z")) == ORDER
        status, _, _ = server.request("POST", f"{base}/seasons/2:rebuild")
        assert status == 202
        run_json("season", "close", "2", "--server", server.url, cwd=folder)
        page = run_json("season", "archive", "2", "--format", "json", "--server", server.url, cwd=folder)
        assert players(page) == order
        assert page["entries"][0]["criteria"] == {"winRate": 0.1, "matches": 999}


@pytest.mark.parametrize("change,field", [
    ({"criteria": [{"name": "points"}, {"name": "a", "min": 0, "max": 2**40}, {"name": "b", "min": 0, "max": 2**30}]},
     "criteria"),
    ({"rule": "sum", "criteria": [{"name": "points"}, {"name": "a", "min": 0, "max": 1}]}, "criteria"),
    ({"criteria": [{"name": "a", "min": 0, "max": 1}]}, "criteria[0].name"),
    ({"criteria": [{"name": "points"}, {"name": "a", "min": 1, "max": 0}]}, "criteria[1].max")])
def test_what_does_not_fit_is_refused_with_the_reason(tmp_path, change, field):
    with Server(tmp_path / "data") as server:
        status, _, told = server.request("PUT", "/v1/leaderboards/other", {"rule": "best", "maxPoints": 1000, **change})
        assert status == 422 and told["field"] == field, json.dumps(told)
