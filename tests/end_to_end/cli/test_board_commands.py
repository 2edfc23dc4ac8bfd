"""Pages, points, previews, matches, days and seasons from the command line: the same of a folder and of a server."""

import json

import pytest
from scoreline import Server, run, run_json

MATCH = "82e3f5e1-d407-5f8e-b53b-485d4eb9e0c6"
CONFIG = '[leaderboards.main]\nties = "dense"\nperiods = ["day"]\nkeepDays = 100\n'
ROWS = [("alice", 30, "2026-01-01T00:00:00Z", MATCH), ("bob", 20, "2026-01-02T00:00:00Z", MATCH),
        ("carol", 20, "2026-01-03T00:00:00Z", ""), ("dave", 10, "2026-01-04T00:00:00Z", ""),
        ("bob", 5, "2026-01-05T00:00:00Z", "")]


@pytest.fixture(params=["folder", "server"])
def ask(request, tmp_path):
    """Runs a command on a board with ties `dense`: alice 30, bob and carol 20, dave 10."""
    (tmp_path / "scoreline.toml").write_text(CONFIG)
    rows = "".join(f"{player},{points},{at},{match}\n" for player, points, at, match in ROWS)
    (tmp_path / "rows.csv").write_text("player_id,points,achieved_at,match_id\n" + rows)
    common = ("--config", "scoreline.toml")
    run_json(*common, "import", "rows.csv", "--season", "2", cwd=tmp_path)
    if request.param == "folder":
        yield lambda *words, **more: run_json(*common, *words, cwd=tmp_path, **more)
        return
    data = tmp_path / "scoreline-data"
    with Server(data, environment=None, before=()) as server:
        yield lambda *words, **more: run_json(*words, "--server", server.url, cwd=tmp_path, **more)


def players(page):
    return [entry["playerId"] for entry in page["entries"]]


def test_pages_go_forward_and_back(ask):
    first = ask("ranks", "--limit", "2", "-s", "2")
    assert players(first) == ["alice", "bob"] and first["previous"] is None
    second = ask("ranks", "--limit", "2", "-s", "2", "--cursor", first["next"])
    assert players(second) == ["carol", "dave"] and second["next"] is None
    assert players(ask("ranks", "--limit", "2", "-s", "2", "--cursor", second["previous"])) == ["alice", "bob"]
    assert players(ask("ranks", "--from", "4", "-s", "2")) == ["dave"]
    assert ask("ranks", "--cursor", "x", "-s", "2", expect=65)["field"] == "cursor"


def test_points_above_and_within(ask):
    assert ask("points", "--above", "10", "-s", "2")["above"] == 3
    within = ask("points", "--from", "10", "--to", "20", "-s", "2")
    assert within["count"] == 3 and players(within) == ["bob", "carol", "dave"]
    assert ask("points", "--from", "9", "--to", "1", "-s", "2", expect=65)["field"] == "to"


def test_the_distribution_counts_everybody(ask):
    told = ask("distribution", "--buckets", "2", "-s", "2")
    assert sum(bucket["count"] for bucket in told["buckets"]) == told["players"] == 4


def test_the_percentile_counts_players_and_not_dense_ranks(ask):
    place = ask("rank", "dave", "-s", "2")
    assert (place["rank"], place["percentile"]) == (3, 25)
    assert ask("audit", "rank", "dave", "-s", "2")["shown"]["percentile"] == 25


def test_a_preview_changes_nothing_and_comes_true(ask):
    before = ask("ranks", "-s", "2")
    log = ask("player", "hide", "alice", "--preview")
    season = next(board for board in log["boards"] if board["period"] == "season")
    assert (season["players"], season["playersAfter"], season["movingUp"]) == (4, 3, 3)
    told = ask("match", "void", MATCH, "--preview")
    assert told["results"] == 2
    season = next(board for board in told["boards"] if board["period"] == "season")
    assert {each["playerId"]: each["after"] and each["after"]["points"] for each in season["changes"]} == \
        {"alice": None, "bob": 5}
    assert ask("player", "erase", "alice", "--preview")["results"] == 1
    assert ask("ranks", "-s", "2") == before
    assert ask("match", "void", MATCH, "--reason", "fixed")["voidedResults"] == 2
    assert players(ask("ranks", "-s", "2")) == ["carol", "dave", "bob"]
    assert ask("match", "void", "018f2f6e-7b1c-7c3a-9f00-000000000001", expect=3)["field"] == "matchId"
    assert ask("match", "void", "7", expect=65)["field"] == "matchId"


def test_a_season_is_opened_closed_and_archived(ask):
    assert ask("season", "open", "3", "--start", "2026-02-01T00:00:00Z")["id"] == 3
    assert {season["id"] for season in ask("season", "list")["seasons"]} == {2, 3}
    assert ask("season", "close", "2")["state"] == "closed"
    archive = ask("season", "archive", "2", "--format", "json")
    assert players(archive) == ["alice", "bob", "carol", "dave"]
    assert players(ask("top", "2", "-s", "2")) == ["alice", "bob"]
    assert ask("season", "close", "9", expect=3)["field"] == "season"


def test_what_people_read(ask, tmp_path):
    assert "season" in json.dumps(ask("season", "list"))
    common = ("--config", "scoreline.toml", "--data", "people")
    run("--config", "scoreline.toml", "--data", "people", "import", "rows.csv", "--season", "2", cwd=tmp_path)

    def text(*words):
        done = run(*common, *words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert text("points", "--above", "10", "-s", "2") == "3 of 4 players have better points than 10\n"
    assert "next: " in text("ranks", "--limit", "2", "-s", "2")
    assert "percentile 50: " in text("distribution", "-s", "2")
    preview = text("player", "hide", "alice", "--preview")
    assert "alice: rank 1, 30 points, then nowhere" in preview and preview.endswith("nothing was changed\n")
    assert text("match", "void", MATCH).endswith(": void; results that stopped counting: 2\n")


def test_the_board_of_a_day(tmp_path):
    (tmp_path / "scoreline.toml").write_text('[leaderboards.main]\nperiods = ["day"]\n')
    (tmp_path / "rows.csv").write_text("player_id,points\nalice,30\n")
    common = ("--config", "scoreline.toml")
    run_json(*common, "import", "rows.csv", "--season", "2", cwd=tmp_path)
    for command in (("top",), ("ranks",), ("around", "alice")):
        assert players(run_json(*common, *command, "-s", "2", "--period", "day", cwd=tmp_path)) == ["alice"]
    assert run_json(*common, "rank", "alice", "-s", "2", "--period", "day", cwd=tmp_path)["rank"] == 1
    assert run_json(*common, "top", "--period", "day:2026-02-30", cwd=tmp_path, expect=65)["field"] == "period"
    assert run_json(*common, "top", "--period", "week", cwd=tmp_path, expect=3)["field"] == "period"
