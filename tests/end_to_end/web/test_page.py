"""The page in a real browser: it shows the board, and a name from outside stays text."""

import html
import re
import shutil
import subprocess

import pytest
from scoreline import REPOSITORY, Server, quote

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no chromium is installed")
HOSTILE = "<img src=x onerror=document.title='broken-in'>"


def page_after(url, profile, budget_ms=4_000):
    """The document as it stands after `budget_ms` of the page's own time."""
    done = subprocess.run(
        [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-dev-shm-usage", f"--user-data-dir={profile}", f"--virtual-time-budget={budget_ms}", "--dump-dom",
         url], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]
    return done.stdout


def rows_of(document, body):
    """Texts of the cells of each row in the table body with that id."""
    inside = re.search(rf'<tbody id="{body}">(.*?)</tbody>', document, re.S).group(1)
    return [[html.unescape(re.sub(r"<[^>]*>", "", cell)) for cell in re.findall(r"<td.*?</td>", row, re.S)]
            for row in re.findall(r"<tr.*?</tr>", inside, re.S)]


@pytest.fixture
def server(tmp_path):
    with Server(tmp_path / "data") as running:
        running.submit([
            {"playerId": HOSTILE, "points": 9007199254740993, "seasonId": 3},
            {"playerId": "漢字 \"quoted\" & co", "points": 1200, "seasonId": 3},
            {"playerId": "</td><script>document.title='broken-in'</script>", "points": 40, "seasonId": 3},
        ])
        yield running
        running.kill()


@needs_browser
def test_the_page_shows_the_board_and_names_stay_text(server, tmp_path):
    document = page_after(f"{server.url}/", tmp_path / "profile")
    assert "broken-in</title>" not in document and "<title>Scoreline</title>" in document
    assert "<img src=\"x\"" not in document and document.count("<script") == 1
    rows = rows_of(document, "top")
    assert [row[2] for row in rows] == [HOSTILE, '漢字 "quoted" & co', "</td><script>document.title='broken-in'</script>"]
    # Exactly, beyond what a number of JavaScript holds.
    assert [row[3].replace("\u202f", "") for row in rows] == ["9007199254740993", "1200", "40"]
    assert re.search(r'id="players">3<', document) and re.search(r'id="season">3<', document)
    assert 'data-state="live"' in document


@needs_browser
def test_a_player_is_looked_up_by_hash(server, tmp_path):
    document = page_after(f"{server.url}/#player={quote(HOSTILE)}", tmp_path / "profile")
    assert [row[1] for row in rows_of(document, "around")][0] == HOSTILE
    assert html.unescape(re.search(r'id="detail-title">(.*?)</h2>', document).group(1)) == HOSTILE
    assert "<img src=\"x\"" not in document
    absent = page_after(f"{server.url}/#player=nobody", tmp_path / "profile")
    assert re.search(r'<p class="empty" id="absent">', absent)


@needs_browser
def test_trouble_is_shown(server, tmp_path):
    document = page_after(f"{server.url}/?leaderboard=nowhere", tmp_path / "profile")
    assert 'data-state="lost"' in document and "no such board" in document


def test_the_page_is_strict_about_what_it_loads(server):
    for path, kind in (("/", "text/html"), ("/style.css", "text/css"), ("/colours.css", "text/css"),
                       ("/app.js", "text/javascript"), ("/favicon.svg", "image/svg+xml")):
        status, headers, _ = server.request("GET", path)
        assert status == 200 and headers["Content-Type"].startswith(kind)
        assert headers["Content-Security-Policy"] == "default-src 'self'"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert server.request("GET", path, headers={"If-None-Match": headers["ETag"]})[0] == 304
    for path in ("/index.html", "/..%2f..%2fetc/passwd", "/%2e%2e/etc/passwd", "/app.js/", "/style.css%00"):
        assert server.request("GET", path)[0] in (400, 404)


def test_the_page_holds_no_markup_from_outside_and_no_other_origin():
    for file in (REPOSITORY / "web").iterdir():
        text = file.read_text()
        for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "style=\"",
                          "onclick"):
            assert forbidden not in text, f"{file.name}: {forbidden}"
        others = set(re.findall(r"https?://[^\s\"']+", text)) - {"http://www.w3.org/2000/svg"}
        assert not others, f"{file.name}: {others}"
