"""Messages that could not be taken, by the command line: over a folder, and over the server that runs in it."""

import json
import sqlite3

import pytest
from scoreline import Server, run, run_json

HOSTILE = b"\xff\x00\x1b[2Jgone\x1b]0;title\x07"


def put_aside(folder, *values):
    """As a consumer would have written them."""
    with sqlite3.connect(folder / "scoreline-data" / "ledger.sqlite") as ledger:
        for offset, value in enumerate(values):
            ledger.execute(
                "INSERT INTO dead_letters"
                '(topic, partition, "offset", sent_at, added_at, value, size, code, detail, field)'
                " VALUES ('match-results', 0, ?, 1760292000000, 1760292001000, ?, ?,"
                " 'not_found', 'no such leaderboard', 'leaderboard')", (offset, value, len(value or b"")))
    ledger.close()


def result(player, points):
    return json.dumps({"playerId": player, "points": points, "seasonId": 1}).encode()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "one.csv").write_text("player_id,points\nalice,30\n")
    run_json("import", "one.csv", "--season", "1", cwd=tmp_path)
    put_aside(tmp_path, result("bob", 40), result("carol", -1), HOSTILE, None)
    return tmp_path


@pytest.fixture(params=["folder", "server"])
def letters(request, folder):
    """Runs `dead-letters` over the folder, or over its server."""
    if request.param == "folder":
        yield lambda *arguments, **more: run_json("dead-letters", *arguments, cwd=folder, **more)
        return
    with Server(folder / "scoreline-data") as server:
        there = ("--server", server.url)
        yield lambda *arguments, **more: run_json("dead-letters", *arguments, *there, cwd=folder, **more)


def test_are_listed_shown_taken_in_and_discarded(letters):
    assert [each["id"] for each in letters("list")["deadLetters"]] == [1, 2, 3, 4]
    page = letters("list", "--after", "1", "--limit", "2")
    assert [each["id"] for each in page["deadLetters"]] == [2, 3] and page["next"] == 3
    assert letters("show", "1") == {
        "id": 1, "topic": "match-results", "partition": 0, "offset": 0, "sentAt": "2025-10-12T18:00:00Z",
        "addedAt": "2025-10-12T18:00:01Z", "code": "not_found", "field": "leaderboard",
        "detail": "no such leaderboard", "size": len(result("bob", 40)), "value": result("bob", 40).decode()}
    assert "valueBase64" in letters("show", "3") and letters("show", "4")["value"] is None
    assert letters("show", "9", expect=3)["field"] == "id"
    assert letters("replay", "1")["replayed"] == 1
    again = letters("replay", "--all", expect=65)
    assert again["replayed"] == 0
    assert {each["id"]: each["code"] for each in again["refused"]} == {2: "invalid", 3: "unreadable", 4: "unreadable"}
    assert letters("show", "2")["field"] == "points"
    assert letters("discard", "2", "3") == {"discarded": 2, "refused": []}
    assert letters("discard", "--all") == {"discarded": 1, "refused": []}
    assert letters("list") == {"deadLetters": []}


def test_what_was_taken_in_is_on_the_board_and_the_ledger_verifies(folder):
    run_json("dead-letters", "replay", "1", cwd=folder)
    assert [each["playerId"] for each in run_json("top", cwd=folder)["entries"]] == ["bob", "alice"]
    assert run_json("verify", cwd=folder)["ok"]


def test_a_terminal_is_never_told_what_to_do(folder):
    for arguments in (("list",), ("show", "3")):
        shown = run("dead-letters", *arguments, cwd=folder).stdout
        assert not [c for c in shown if ord(c) < 32 and c != "\n"], arguments
    assert "\ufffd\ufffd\ufffd[2Jgone" in shown


def test_which_ones_must_be_said(folder):
    for arguments in (("replay",), ("discard",), ("discard", "1", "--all"), ("show",), ("replay", "x"), ()):
        assert run("dead-letters", *arguments, cwd=folder).returncode == 64, arguments
    assert len(run_json("dead-letters", "list", cwd=folder)["deadLetters"]) == 4
