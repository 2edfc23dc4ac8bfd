"""What the commands print and with which code they end."""

import json

import pytest
from scoreline import Server, quote, run, run_json

# Ids that are fine and must come back as they are, and what stands for each kind of trouble on the way.
HOSTILE = [
    "<img src=x onerror=alert(1)>", "a/b", "../../etc/passwd", "a b", "%2e%2e", "a?b=c#d",
    "'); DROP TABLE match_results;--", '"quoted", with comma', "\\back\\slash", "=1+1", "🏆", "漢字", "e\u0301", "é",
    "\u202emirror", "--json", "-5", "{}", "m" * 128,
]
REFUSED = ["", "a\nb", "a\r\nX: y", "tab\t", "\x7f", "\x85", "m" * 129]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a small board: alice 30, bob 20, carol 10 in season 2."""
    made = tmp_path_factory.mktemp("commands")
    (made / "small.csv").write_text(
        "player_id,points,achieved_at\nalice,30,2026-01-01T00:00:00Z\nbob,20,2026-01-02T00:00:00Z\n"
        "carol,10,2026-01-03T00:00:00.5Z\n")
    run_json("import", "small.csv", "--season", "2", cwd=made)
    return made


def test_top_rank_and_around_print_aligned_tables(folder):
    top = run("top", "2", cwd=folder)
    assert top.stdout == ("  rank  player  points  achieved at\n"
                          "     1  alice       30  2026-01-01T00:00:00Z\n"
                          "     2  bob         20  2026-01-02T00:00:00Z\n"
                          "season 2, 3 players\n")
    around = run("around", "carol", "--radius", "1", cwd=folder).stdout.splitlines()
    assert [line[0] for line in around[1:3]] == [" ", ">"]
    rank = run("rank", "bob", cwd=folder).stdout
    assert "     2  bob         20" in rank and rank.endswith("level with or ahead of 66.67 % of them\n")


def test_json_has_the_shape_of_the_http_answers(folder):
    assert run_json("top", "1", cwd=folder) == {
        "season": 2, "players": 3,
        "entries": [{"rank": 1, "playerId": "alice", "points": 30, "achievedAt": "2026-01-01T00:00:00Z"}]}
    assert run_json("rank", "carol", cwd=folder) == {
        "season": 2, "players": 3, "percentile": 33.33, "rank": 3, "playerId": "carol", "points": 10,
        "achievedAt": "2026-01-03T00:00:00.500Z"}
    assert [e["rank"] for e in run_json("around", "bob", "--radius", "0", cwd=folder)["entries"]] == [2]
    assert run_json("around", "nobody", cwd=folder)["entries"] == []
    assert run_json("top", "-s", "77", cwd=folder) == {"season": 77, "players": 0, "entries": []}
    assert run_json("version", cwd=folder)["name"] == "scoreline"
    assert run_json("verify", cwd=folder) == {
        "ok": True, "batches": run_json("verify", cwd=folder)["batches"], "results": 3, "erasedResults": 0,
        "leaderboards": 1, "seasons": 1, "damage": [], "notes": []}


@pytest.mark.parametrize("command", [("verify",), ("top",), ("rank", "alice"), ("around", "alice"), ("export",)])
def test_a_folder_without_a_ledger_is_not_taken_for_an_empty_one(tmp_path, command):
    (tmp_path / "photos").mkdir()
    error = run_json(*command, "--data", "photos", cwd=tmp_path, expect=3)
    assert error["code"] == "not_found" and error["field"] == "data"
    assert not list((tmp_path / "photos").iterdir())


def test_verify_tells_that_the_witness_was_missing(tmp_path):
    (tmp_path / "row.csv").write_text("player_id,points\nalice,1\n")
    run_json("import", "row.csv", cwd=tmp_path)
    (tmp_path / "scoreline-data" / "ledger.head").unlink()
    assert "note: ledger.head was missing" in run("verify", cwd=tmp_path).stdout
    (tmp_path / "scoreline-data" / "ledger.head").unlink()
    assert "ledger.head was missing" in run_json("verify", cwd=tmp_path)["notes"][0]
    assert run_json("verify", cwd=tmp_path)["notes"] == []


def test_a_server_and_its_folder_show_the_same(folder):
    commands = (("top",), ("top", "2", "-s", "2"), ("rank", "bob"), ("around", "alice", "-r", "1"), ("top", "-s", "9"))
    own = [run(*command, cwd=folder).stdout for command in commands]
    own_json = [run_json(*command, cwd=folder) for command in commands]
    with Server(folder / "scoreline-data") as server:
        assert [run(*command, "--server", server.url, cwd=folder).stdout for command in commands] == own
        assert [run_json(*command, "--server", server.url, cwd=folder) for command in commands] == own_json
        assert run_json("rank", "", "--server", server.url, cwd=folder, expect=65)["field"] == "playerId"
        assert server.stop() == 0


@pytest.mark.parametrize("arguments, code, name", [
    (("rank", "nobody"), 3, "not_found"),
    (("around", "nobody", "-l", "nowhere"), 3, "not_found"),
    (("top", "-l", "nowhere"), 3, "not_found"),
    (("export", "-l", "nowhere"), 3, "not_found"),
    (("import", "nowhere.csv"), 3, "not_found"),
    (("top", "--data", "nowhere"), 3, "not_found"),
    (("verify", "--data", "nowhere"), 3, "not_found"),
    (("rank", ""), 65, "invalid"),
    ((), 64, "usage"),
    (("nonsense",), 64, "usage"),
    (("top", "0"), 64, "usage"),
    (("top", "1001"), 64, "usage"),
    (("top", "x"), 64, "usage"),
    (("top", "-s", "2147483648"), 64, "usage"),
    (("around", "a", "--radius", "101"), 64, "usage"),
    (("import", "small.txt"), 64, "usage"),
    (("import", "small.csv", "--rejected", "small.csv"), 64, "usage"),
    (("verify", "--server", "http://127.0.0.1:9"), 64, "usage"),
    (("serve", "--server", "http://127.0.0.1:9"), 64, "usage"),
    (("top", "--server", "ftp://somewhere"), 64, "usage"),
    (("top", "--server", "http://127.0.0.1:9"), 75, "not_ready"),
    (("top", "--config", "nowhere.toml"), 3, "not_found"),
    (("export", "-o", "no/such/folder.csv"), 74, "storage_failed"),
    (("export", "-o", "/dev/full"), 74, "storage_full"),
])
def test_each_kind_of_error_has_its_code_and_one_line(folder, arguments, code, name):
    done = run(*arguments, cwd=folder)
    assert done.returncode == code, done.stderr
    assert done.stderr.startswith("scoreline: ") and done.stderr.count("\n") == 1 and done.stdout == ""
    error = run_json(*arguments, cwd=folder, expect=code)
    assert error["code"] == name and error["detail"]


def test_every_command_has_help_with_examples(folder):
    for command in ("serve", "import", "export", "top", "rank", "around", "verify", "demo", "version"):
        done = run(command, "--help", cwd=folder)
        assert done.returncode == 0 and "Examples:" in done.stdout and done.stderr == ""
    assert "Exit codes" in run("--help", cwd=folder).stdout


def test_hostile_ids_come_back_as_they_are(tmp_path):
    lines = [json.dumps({"playerId": player, "points": 1000 - at}) for at, player in enumerate(HOSTILE)]
    (tmp_path / "ids.jsonl").write_text("\n".join(lines))
    run_json("import", "ids.jsonl", cwd=tmp_path)
    assert [entry["playerId"] for entry in run_json("top", "100", cwd=tmp_path)["entries"]] == HOSTILE
    for at, player in enumerate(HOSTILE):
        assert run_json("rank", "--", player, cwd=tmp_path)["rank"] == at + 1
    run("export", "-o", "out.csv", cwd=tmp_path)
    run_json("import", "out.csv", "--data", "again", cwd=tmp_path)
    assert [e["playerId"] for e in run_json("top", "100", "--data", "again", cwd=tmp_path)["entries"]] == HOSTILE
    with Server(tmp_path / "scoreline-data") as server:
        for at, player in enumerate(HOSTILE):
            entry = server.get(f"/v1/leaderboards/main/seasons/current/players/{quote(player)}")
            assert (entry["playerId"], entry["rank"]) == (player, at + 1)
            assert run_json("rank", "--server", server.url, "--", player, cwd=tmp_path)["playerId"] == player


def test_ids_that_could_break_a_line_are_refused_everywhere(tmp_path):
    (tmp_path / "ids.jsonl").write_text("\n".join(json.dumps({"playerId": p, "points": 1}) for p in REFUSED))
    assert run_json("import", "ids.jsonl", cwd=tmp_path, expect=65)["rejected"] == len(REFUSED)
    for player in REFUSED:
        assert run_json("rank", "--", player, cwd=tmp_path, expect=65)["field"] == "playerId"


def test_a_damaged_ledger_is_told_and_not_served(tmp_path):
    (tmp_path / "rows.csv").write_text("player_id,points\n" + "".join(f"player-{i},{i}\n" for i in range(3_000)))
    run_json("import", "rows.csv", cwd=tmp_path)
    file = tmp_path / "scoreline-data" / "ledger.sqlite"
    content = bytearray(file.read_bytes())
    at = content.find(b"player-1234")
    content[at + 8] ^= 1
    file.write_bytes(content)
    assert run_json("verify", cwd=tmp_path, expect=5)["damage"]
    done = run("verify", cwd=tmp_path)
    assert done.returncode == 5 and "damaged: " in done.stdout and done.stderr.count("\n") == 1
    assert run("top", cwd=tmp_path).returncode == 5
    serve = run("serve", "--listen", "127.0.0.1:0", cwd=tmp_path)
    assert serve.returncode == 5 and "ready" not in serve.stdout.splitlines()
