"""Files in, files out: what is refused and why, and how an import goes on when the server stumbles."""

import csv
import http.server
import json
import os
import pathlib
import socket
import subprocess
import threading
import time

import pytest
from scoreline import BINARY, Server, clean_environment, run, run_json

GOOD = "82e3f5e1-d407-5f8e-b53b-485d4eb9e0c6"
MIXED = (
    "points,player_id,match_id,achieved_at\r\n"
    f"5,alice,{GOOD},2026-01-01T00:00:00Z\r\n"
    f"6,\"bob, the \"\"second\"\"\",{GOOD},2026-01-01T00:00:00Z\r\n"
    "NaN,carol,,\r\n"
    "7,dave,not-a-uuid,\r\n"
    "\r\n"
    "1e400,erin,,\r\n"
    "-1,frank,,\r\n"
    "9223372036854775808,grace,,\r\n"
    "3,,,\r\n"
    "4,heidi,,yesterday\r\n"
    "1.5,ivan,,\r\n"
    "8,\"two\nlines\",,\r\n"
    "2,judy\r\n"
    "9,\"kim\"x,,\r\n"
    f"3,{'m' * 129},,\r\n"
    "-0,niaj,,2026-01-01T00:00:00Z\r\n"
)
# line, code, column of every row above that cannot be taken
REFUSED = [
    ("4", "invalid", "points"), ("5", "invalid", "match_id"), ("7", "invalid", "points"), ("8", "invalid", "points"),
    ("9", "invalid", "points"), ("10", "invalid", "player_id"), ("11", "invalid", "achieved_at"),
    ("12", "invalid", "points"), ("13", "invalid", "player_id"), ("15", "unreadable", ""), ("16", "unreadable", ""),
    ("17", "invalid", "player_id"),
]


def rejected_rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def check_mixed(folder, summary):
    assert summary == {"improved": 3, "unchanged": 0, "duplicate": 0, "rejected": len(REFUSED)}
    rows = rejected_rows(folder / "rejected.csv")
    told = sorted((int(row["line"]), row["code"], row["field"]) for row in rows)
    assert told == sorted((int(line), code, field) for line, code, field in REFUSED)
    assert all(row["detail"] for row in rows)
    by_line = {row["line"]: row["text"] for row in rows}
    assert by_line["4"] == "NaN,carol,,"
    assert by_line["13"] == '8,"two\nlines",,'
    assert by_line["15"] == "2,judy"


def test_rows_that_cannot_be_taken_go_to_a_file_with_line_and_reason(tmp_path):
    (tmp_path / "mixed.csv").write_bytes(b"\xef\xbb\xbf" + MIXED.encode())
    check_mixed(tmp_path, run_json("import", "mixed.csv", cwd=tmp_path, expect=65))
    players = [entry["playerId"] for entry in run_json("top", cwd=tmp_path)["entries"]]
    assert players == ['bob, the "second"', "alice", "niaj"]


def test_a_server_refuses_the_same_rows_for_the_same_reasons(tmp_path):
    (tmp_path / "mixed.csv").write_text(MIXED, newline="")
    with Server(tmp_path / "data") as server:
        check_mixed(tmp_path, run_json("import", "mixed.csv", "--server", server.url, cwd=tmp_path, expect=65))
        assert server.stop() == 0


def test_the_imported_file_is_never_written_over_by_its_rejected_rows(tmp_path):
    text = "player_id,points\nalice,many\n"
    source = tmp_path / "rows.csv"
    source.write_text(text)
    (tmp_path / "link.csv").symlink_to("rows.csv")
    (tmp_path / "twin.csv").hardlink_to(source)
    for rejected in ("rows.csv", "./rows.csv", source, "link.csv", "twin.csv"):
        for imported in ("rows.csv", "link.csv"):
            error = run_json("import", imported, "--rejected", rejected, cwd=tmp_path, expect=64)
            assert error["field"] == "rejected" and source.read_text() == text
    with open(source, encoding="utf-8") as stdin:
        done = subprocess.run([BINARY, "import", "-", "--format", "csv", "--rejected", "rows.csv"], cwd=tmp_path,
                              stdin=stdin, env=clean_environment(), check=False, capture_output=True)
    assert done.returncode == 64 and source.read_text() == text


def test_a_server_on_an_ipv6_address_is_named_in_brackets(tmp_path):
    hosts = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):  # pylint: disable=invalid-name
            hosts.append(self.headers["Host"])
            self.send_error(404)

        def log_message(self, *_):
            pass

    class Ipv6Server(http.server.HTTPServer):
        address_family = socket.AF_INET6

    try:
        server = Ipv6Server(("::1", 0), Handler)
    except OSError:
        pytest.skip("this machine has no IPv6 loopback")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = server.server_address[1]
    run("top", "--server", f"http://[::1]:{port}", cwd=tmp_path)
    server.shutdown()
    server.server_close()
    assert hosts == [f"[::1]:{port}"]


def test_no_rejected_file_is_made_when_nothing_was_rejected(tmp_path):
    (tmp_path / "good.csv").write_text("player_id,points\nalice,1\n")
    run_json("import", "good.csv", cwd=tmp_path)
    assert not (tmp_path / "rejected.csv").exists()


def test_json_lines_are_read_as_over_http(tmp_path):
    lines = [
        {"matchId": GOOD, "playerId": "alice", "seasonId": 3, "points": 12, "achievedAt": "2026-01-01T00:00:00+01:00"},
        {"playerId": 42, "seasonId": 3, "points": 7},
        {"playerId": "bob", "points": "7"},
        {"playerId": "bob", "points": 7, "is_admin": True},
    ]
    text = "\n".join(map(json.dumps, lines)) + '\n\n{"playerId":\n{"a":1}{"b":2}\n[1]\n"x"\n' + "[" * 70_000
    (tmp_path / "lines.jsonl").write_text(text)
    summary = run_json("import", "lines.jsonl", cwd=tmp_path, expect=65)
    assert summary == {"improved": 2, "unchanged": 0, "duplicate": 0, "rejected": 7}
    assert [row["line"] for row in rejected_rows(tmp_path / "rejected.csv")] == ["3", "4", "6", "7", "8", "9", "10"]
    entries = run_json("top", "-s", "3", cwd=tmp_path)["entries"]
    assert [(entry["playerId"], entry["points"]) for entry in entries] == [("alice", 12), ("42", 7)]
    assert entries[0]["achievedAt"] == "2025-12-31T23:00:00Z"


def test_a_quote_that_never_closes_costs_one_line_only(tmp_path):
    rows = ["player_id,points", "alice,1", '"bob,2'] + [f"p{i},3" for i in range(20_000)]
    (tmp_path / "open.csv").write_text("\n".join(rows) + "\n")
    summary = run_json("import", "open.csv", cwd=tmp_path, expect=65)
    assert (summary["improved"], summary["rejected"]) == (20_001, 1)
    assert rejected_rows(tmp_path / "rejected.csv")[0]["line"] == "3"


def test_a_header_that_does_not_fit_is_refused_before_anything_is_taken(tmp_path):
    for header, word in (("player_id,score", "score"), ("player_id", "points"), ("player_id,points,points", "points"),
                         ("", "empty"), ("player_id;points", "player_id;points")):
        (tmp_path / "bad.csv").write_text(f"{header}\nalice,1\n" if header else "")
        error = run_json("import", "bad.csv", cwd=tmp_path, expect=65)
        assert word in error["detail"]
    assert not (tmp_path / "scoreline-data").exists()


def test_invalid_utf8_never_becomes_another_player(tmp_path):
    (tmp_path / "bytes.csv").write_bytes(b"player_id,points\nali\xffce,1\nb\xc0\xafb,2\ncarol,3\n")
    with Server(tmp_path / "data") as server:
        summary = run_json("import", "bytes.csv", "--server", server.url, cwd=tmp_path, expect=65)
        assert (summary["improved"], summary["rejected"]) == (1, 2)
        assert [entry["playerId"] for entry in server.top()["entries"]] == ["carol"]
    assert b"ali\xffce,1" in (tmp_path / "rejected.csv").read_bytes()


def test_memory_stays_small_however_long_the_input(tmp_path):
    pipe_in, pipe_out = os.pipe()
    with subprocess.Popen([BINARY, "import", "-", "--format", "csv"], stdin=pipe_in, cwd=tmp_path,
                          stdout=subprocess.PIPE, env=clean_environment()) as process:
        os.close(pipe_in)
        with os.fdopen(pipe_out, "w") as out:
            out.write("player_id,points\n")
            # One line of 40 MB, then many that are refused: nothing of this may be kept.
            for _ in range(40):
                out.write("x" * 1_000_000)
            out.write("\n" + "alice,NaN\n" * 300_000)
            out.flush()
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            peak = int(status.split("VmHWM:")[1].split()[0])
        assert process.wait(60) == 65
    assert peak < 60_000, f"{peak} KiB"


class Stumbling(http.server.BaseHTTPRequestHandler):
    """Stands before a server and answers the first calls with trouble; the last of them is passed on and then cut."""

    protocol_version = "HTTP/1.1"
    target = None
    calls = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        type(self).calls.append((time.monotonic(), body))
        number = len(self.calls)
        if number == 1:
            self.answer(503, b'{"code":"overloaded","detail":"later"}', {"Retry-After": "1"})
        elif number == 2:
            self.target.request("POST", self.path, body)
            self.close_connection = True  # the result is stored, the answer is lost
            self.connection.close()
        else:
            status, _, answer = self.target.request("POST", self.path, body)
            self.answer(status, json.dumps(answer).encode(), {})

    def answer(self, status, body, headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def test_an_import_sends_the_same_batch_again_and_counts_it_once(tmp_path):
    (tmp_path / "sum.toml").write_text('[leaderboards.main]\nrule = "sum"\n')
    (tmp_path / "plain.csv").write_text("player_id,points\nalice,5\nalice,6\nbob,7\n")
    with Server(tmp_path / "data", "--config", tmp_path / "sum.toml") as server:
        Stumbling.target, Stumbling.calls = server, []
        proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stumbling)
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        try:
            url = f"http://127.0.0.1:{proxy.server_address[1]}"
            summary = run_json("import", "plain.csv", "--server", url, cwd=tmp_path)
        finally:
            proxy.shutdown()
            proxy.server_close()
        # Rows without a match got one before the first try, so the third try knows them.
        assert summary == {"improved": 0, "unchanged": 0, "duplicate": 3, "rejected": 0}
        assert len({body for _, body in Stumbling.calls}) == 1 and len(Stumbling.calls) == 3
        assert Stumbling.calls[1][0] - Stumbling.calls[0][0] >= 1, "Retry-After was not kept"
        entries = server.top()["entries"]
        assert [(entry["playerId"], entry["points"]) for entry in entries] == [("alice", 11), ("bob", 7)]


def test_an_import_gives_up_when_nobody_answers(tmp_path):
    (tmp_path / "plain.csv").write_text("player_id,points\nalice,5\n")
    error = run_json("import", "plain.csv", "--server", "http://127.0.0.1:9", "--retry", "1", cwd=tmp_path, expect=75)
    assert error["code"] == "not_ready" and "import the same file again" in error["detail"]


def test_a_board_is_exported_from_folder_and_server_alike(tmp_path):
    rows = "".join(f"p{i:04},{i % 97},2026-01-01T00:00:{i % 60:02}Z\n" for i in range(2_500))
    (tmp_path / "many.csv").write_text("player_id,points,achieved_at\n" + rows)
    run_json("import", "many.csv", "--season", "4", cwd=tmp_path)
    folder = run("export", "--board", cwd=tmp_path)
    assert folder.returncode == 0 and len(folder.stdout.splitlines()) == 2_501
    ranks = [int(row["rank"]) for row in csv.DictReader(folder.stdout.splitlines())]
    assert ranks == list(range(1, 2_501))
    with Server(tmp_path / "scoreline-data") as server:
        remote = run("export", "--board", "--server", server.url, cwd=tmp_path)
        assert remote.stdout == folder.stdout
        error = run_json("export", "--server", server.url, cwd=tmp_path, expect=64)
        assert "--board" in error["detail"]
    lines = run("export", "--board", "--format", "jsonl", cwd=tmp_path).stdout.splitlines()
    assert [json.loads(line)["rank"] for line in lines] == ranks


def test_decimal_points_and_64_bits_survive_a_round_trip(tmp_path):
    (tmp_path / "wide.toml").write_text('[leaderboards.lap]\nrule = "least"\nscale = 3\n'
                                        '[leaderboards.big]\nminPoints = "-9223372036854775808"\n')
    (tmp_path / "lap.csv").write_text("player_id,points\nann,12.5\nben,12.499\ncy,1e1\n")
    (tmp_path / "big.csv").write_text("player_id,points\nmax,9223372036854775807\nmin,-9223372036854775808\n"
                                      "odd,9007199254740993\n")
    for name in ("lap", "big"):
        run_json("--config", "wide.toml", "import", f"{name}.csv", "-l", name, cwd=tmp_path)
        exported = run("export", "-l", name, cwd=tmp_path).stdout
        (tmp_path / "out.csv").write_text(exported)
        run_json("--config", "wide.toml", "import", "out.csv", "-l", name, "--data", "again", cwd=tmp_path)
        assert run("export", "-l", name, "--data", "again", cwd=tmp_path).stdout == exported
    laps = run("top", "-l", "lap", cwd=tmp_path).stdout.split("\n")
    assert [line.split()[:3] for line in laps[1:4]] == [["1", "cy", "10"], ["2", "ben", "12.499"], ["3", "ann", "12.5"]]
    big = run_json("top", "-l", "big", cwd=tmp_path)["entries"]
    assert [entry["points"] for entry in big] == [2**63 - 1, 2**53 + 1, -(2**63)]
