"""A backup from before somebody was erased brings the player back; the list of erasures takes the player off again."""

import json
import shutil

import pytest
from scoreline import Server, run, run_json

ROWS = ("player_id,points,season_id\n" + "alice,30,1\nbob,20,1\ncarol,10,1\n" + "alice,30,2\nbob,20,2\ncarol,10,2\n")


@pytest.fixture
def restored(tmp_path):
    """A folder with a backup from before `alice` was erased put in its place; `erasures.jsonl` was written before."""
    (tmp_path / "rows.csv").write_text(ROWS)
    run_json("import", "rows.csv", cwd=tmp_path)
    run_json("season", "close", "1", cwd=tmp_path)
    data = tmp_path / "scoreline-data"
    shutil.copytree(data, tmp_path / "backup")
    run_json("player", "erase", "alice", "--reason", "asked for it", cwd=tmp_path)
    listed = run("erasures", "list", cwd=tmp_path)
    assert listed.returncode == 0, listed.stderr
    (tmp_path / "erasures.jsonl").write_text(listed.stdout)
    shutil.rmtree(data)
    (tmp_path / "backup").rename(data)
    return tmp_path


def players(page):
    return [(entry["rank"], entry["playerId"]) for entry in page["entries"]]


def test_the_list_tells_who_when_and_where(restored):
    line, = (restored / "erasures.jsonl").read_text().splitlines()
    assert json.loads(line).keys() == {"at", "leaderboard", "playerId"}
    assert (json.loads(line)["leaderboard"], json.loads(line)["playerId"]) == ("main", "alice")


@pytest.mark.parametrize("where", ["folder", "server"])
@pytest.mark.parametrize("more", [(), ("--ledger-too",)])
def test_the_erased_stay_erased(restored, where, more):
    assert (1, "alice") in players(run_json("top", "-s", "2", cwd=restored))  # that is the trouble
    apply = ("erasures", "apply", "erasures.jsonl", *more)
    if where == "folder":
        told = [run_json(*apply, cwd=restored) for _ in range(2)]
    else:
        with Server(restored / "scoreline-data") as server:
            told = [run_json(*apply, "--server", server.url, cwd=restored) for _ in range(2)]
    assert told == [{"erasedAgain": 1, "absent": 0, "stood": 0}, {"erasedAgain": 0, "absent": 0, "stood": 1}]
    assert players(run_json("top", "-s", "2", cwd=restored)) == [(1, "bob"), (2, "carol")]
    assert players(run_json("season", "archive", "1", "--format", "json", cwd=restored)) == \
        [(1, None), (2, "bob"), (3, "carol")]
    again = run("erasures", "list", cwd=restored).stdout.splitlines()
    assert [json.loads(line)["playerId"] for line in again] == ["alice"]


def test_who_is_not_in_the_backup_is_told(restored):
    (restored / "erasures.jsonl").write_text(
        '{"at":"2026-10-12T18:00:00Z","leaderboard":"main","playerId":"zoe"}\n')
    assert run_json("erasures", "apply", "erasures.jsonl", cwd=restored) == \
        {"erasedAgain": 0, "absent": 1, "stood": 0}


@pytest.mark.parametrize("line,field", [
    ("", None), ("{", None), ('{"leaderboard":"main","playerId":"bob"}', "at"),
    ('{"at":"2026-10-12T18:00:00Z","playerId":"bob"}', "leaderboard"),
    ('{"at":"2026-10-12T18:00:00Z","leaderboard":"main"}', "playerId")])
def test_nothing_is_done_of_a_file_with_a_bad_line(restored, line, field):
    with open(restored / "erasures.jsonl", "a", encoding="utf-8") as file:
        file.write(line + "\n")
    told = run_json("erasures", "apply", "erasures.jsonl", cwd=restored, expect=65)
    assert told.get("field") == field and "line 2" in told["detail"]
    assert (1, "alice") in players(run_json("top", "-s", "2", cwd=restored))
    assert run_json("erasures", "apply", "missing.jsonl", cwd=restored, expect=3)["field"] == "FILE"
