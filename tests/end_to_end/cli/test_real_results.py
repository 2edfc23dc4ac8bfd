"""Forty thousand real results, through every way in, against boards that were computed independently."""

import json

import pytest
from scoreline import Server, quote, real_results, run, run_json

DATA = real_results()
pytestmark = pytest.mark.skipif(DATA is None, reason="the real results are not there (SCORELINE_TEST_DATA)")

CONFIG = '[leaderboards.goals]\nrule = "sum"\n'
ROWS = 39_980
BOARDS = {"best": "main", "sum": "goals"}


@pytest.fixture(scope="module")
def expected():
    return json.loads((DATA / "expected.json").read_text())


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "scoreline.toml").write_text(CONFIG)
    return tmp_path


def import_all(folder, *more):
    """Into both leaderboards, every row as season 1; the summaries."""
    summaries = []
    for leaderboard in BOARDS.values():
        summaries.append(run_json("--config", "scoreline.toml", "import", DATA / "match-results.csv", "-l", leaderboard,
                                  "--season", "1", *more, cwd=folder))
    return summaries


def check_folder(folder, expected):
    for rule, leaderboard in BOARDS.items():
        board = run_json("top", "20", "-l", leaderboard, "-s", "1", cwd=folder)
        assert board["players"] == expected["players"]
        assert board["entries"] == expected[rule]["top"]
        for player, entries in expected[rule]["around"].items():
            around = run_json("around", player, "-l", leaderboard, "-s", "1", cwd=folder)
            assert around["entries"] == entries
            place = run_json("rank", player, "-l", leaderboard, "-s", "1", cwd=folder)
            assert {key: place[key] for key in entries[5]} == entries[5]


def check_server(server, expected):
    for rule, leaderboard in BOARDS.items():
        board = server.top(20, 1, leaderboard)
        assert board["players"] == expected["players"]
        assert board["entries"] == expected[rule]["top"]
        for player, entries in expected[rule]["around"].items():
            around = server.get(f"/v1/leaderboards/{leaderboard}/seasons/1/players/{quote(player)}/around?radius=5")
            assert around["entries"] == entries


def test_imported_twice_into_a_folder_gives_the_expected_boards_both_times(folder, expected):
    for summary in import_all(folder):
        assert summary["duplicate"] == summary["rejected"] == 0
        assert summary["improved"] + summary["unchanged"] == ROWS
    check_folder(folder, expected)
    assert import_all(folder) == [{"improved": 0, "unchanged": 0, "duplicate": ROWS, "rejected": 0}] * 2
    check_folder(folder, expected)
    assert run_json("verify", cwd=folder)["results"] == 2 * ROWS


def test_boards_are_the_same_after_kill_9_and_restart(folder, expected):
    data = folder / "scoreline-data"
    with Server(data, "--config", folder / "scoreline.toml") as server:
        import_all(folder, "--server", server.url)
        check_server(server, expected)
        server.kill()
    with Server(data) as server:
        check_server(server, expected)
        again = import_all(folder, "--server", server.url)
        assert [summary["duplicate"] for summary in again] == [ROWS, ROWS]
        check_server(server, expected)
        assert server.stop() == 0
    check_folder(folder, expected)


def test_seasons_of_their_own_give_the_boards_of_2022(folder, expected):
    for rule, leaderboard in BOARDS.items():
        summary = run_json("--config", "scoreline.toml", "import", DATA / "match-results.csv", "-l", leaderboard,
                           cwd=folder)
        assert summary["rejected"] == 0
        board = run_json("top", "20", "-l", leaderboard, "-s", "2022", cwd=folder)
        assert board["players"] == expected["season2022"]["players"]
        assert board["entries"] == expected["season2022"][rule]


def test_standard_input_in_small_batches_is_the_same(folder, expected):
    text = (DATA / "match-results.csv").read_text()
    done = run("--json", "import", "-", "--format", "csv", "--season", "1", "--batch", "777", cwd=folder, stdin=text)
    assert done.returncode == 0, done.stderr
    assert run_json("top", "20", cwd=folder)["entries"] == expected["best"]["top"]


def test_exported_results_come_back_byte_for_byte(folder):
    run_json("import", DATA / "match-results.csv", cwd=folder)
    for ending in ("csv", "jsonl"):
        exported = folder / f"out.{ending}"
        assert run("export", "-o", exported, "--format", ending, cwd=folder).returncode == 0
        assert run_json("import", exported, "--data", f"again-{ending}", cwd=folder)["rejected"] == 0
        again = folder / f"again.{ending}"
        assert run("export", "-o", again, "--format", ending, "--data", f"again-{ending}", cwd=folder).returncode == 0
        assert again.read_bytes() == exported.read_bytes()
    lines = (folder / "out.csv").read_text().splitlines()
    assert sorted(lines) == sorted((DATA / "match-results.csv").read_text().splitlines())
