"""The house rules that a compiler does not know, checked over every tracked file.

Each rule is a function from (path, text) to the lines that break it; `SPECIMENS` holds, for each rule, a text that must
break it, so that no rule can pass by seeing nothing.
"""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

# Which rooms of src/ may include which: dependencies point inward. The three services know nothing of each other.
SERVICES = {"leaderboards", "queues", "limits"}
DOMAIN = {"base", "ordered"} | SERVICES
ROOMS = {
    "base": {"base"},
    "ordered": {"base", "ordered"},
    "queues": {"base", "ordered", "queues"},
    "limits": {"base", "ordered", "limits"},
    "leaderboards": {"base", "ordered", "leaderboards"},
    "ingest": {"base", "ordered", "leaderboards", "ingest"},
    "adapters": DOMAIN | {"ingest", "adapters"},
    "http": DOMAIN | {"ingest", "http"},
    "cli": DOMAIN | {"ingest", "http", "cli", "adapters/files"},
    "app": None,  # the composition root sees all
}

MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 70
MAX_COLUMNS = 120
MAX_BEAST_FILES = 4


def tracked(*patterns):
    out = subprocess.run(["git", "ls-files", "-z", "--", *patterns], cwd=ROOT, check=True, capture_output=True)
    names = [name for name in out.stdout.decode().split("\0") if name]
    return [name for name in names if (ROOT / name).is_file()]


def numbered(text):
    return list(enumerate(text.splitlines(), 1))


def code_of(line):
    """The line without its // comment (string literals with // are rare enough here to be read as comments)."""
    return line.split("//", 1)[0]


def room_of(path):
    parts = path.split("/")
    return parts[1] if parts[0] == "src" and len(parts) > 2 else None


def rule_includes_point_inward(path, text):
    allowed = ROOMS.get(room_of(path) or "", None)
    if allowed is None:
        return []
    broken = []
    for number, line in numbered(text):
        match = re.match(r'#include "((?:adapters/)?[a-z]+)/', line)
        if match and match[1] not in allowed and match[1].split("/")[0] not in allowed:
            broken.append(number)
    return broken


def rule_time_and_chance_come_through_their_seams(path, text):
    if path in ("src/base/clock.cpp", "src/base/random.cpp"):
        return []
    seams = re.compile(
        r"(system_clock|steady_clock|high_resolution_clock)::now|std::random_device|\bs?rand\(|\bmt19937|"
        r"\b(clock_gettime|gettimeofday|nanosleep|usleep)\(|[^_\w]time\((nullptr|NULL|0)\)"
    )
    return [n for n, line in numbered(text) if path.startswith("src/") and seams.search(code_of(line))]


def rule_threads_have_an_owner(path, text):
    owners = ("src/ingest/", "src/http/blocking_pool", "src/http/board_tasks", "src/http/event_hub", "src/http/loop",
              "src/app/", "src/cli/demo", "src/cli/queue_work", "src/queues/agenda", "src/queues/group_commit",
              "src/adapters/redis/redis_job")
    if not path.startswith("src/") or path.startswith(owners):
        return []
    # std::thread::hardware_concurrency() starts nothing.
    starts = re.compile(r"std::j?thread\b(?!::)|std::async|sleep_(for|until)")
    return [n for n, line in numbered(text) if starts.search(code_of(line))]


def rule_no_vague_names(path, text):
    return [0] if re.search(r"(^|[/_])(utils?|managers?|helpers?|common|misc)([_./]|$)", path) else []


def rule_files_are_small(path, text):
    return [0] if text.count("\n") > MAX_FILE_LINES else []


def rule_functions_fit_a_screen_or_two(path, text):
    """clang-format puts a function's closing brace at the indentation of its first line."""
    broken, opened = [], {}
    for number, line in numbered(text):
        start = re.match(r"( *)(?!extern|TEST|(.*\b)?(class|struct|enum|union|namespace) )\S.*\{$", line)
        if start and len(start[1]) <= 2:
            opened[len(start[1])] = number
        end = re.match(r"( *)\}", line)
        if end and len(end[1]) in opened:
            first = opened.pop(len(end[1]))
            if number - first + 1 > MAX_FUNCTION_LINES:
                broken.append(first)
    return broken


def rule_lines_fit(path, text):
    return [n for n, line in numbered(text) if len(line) > MAX_COLUMNS]


OPEN = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|X" + r"XX)\b|not impl" + r"emented|DISA" + r"BLED_")


def rule_nothing_left_open(path, text):
    return [n for n, line in numbered(text) if OPEN.search(line)]


def rule_headers_are_guarded_and_explained(path, text):
    if not path.endswith(".h"):
        return []
    return [] if re.search(r"^#pragma once$", text, re.M) and "//" in text else [0]


def rule_sql_is_never_built_from_values(path, text):
    built = re.compile(
        r'"[^"]*\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\b[^"]*"\s*(\+|<<)|format\("[^"]*\b(SELECT|INSERT|DELETE)\b'
    )
    return [n for n, line in numbered(text) if path.startswith("src/") and built.search(line)]


def rule_pages_take_text_as_text(path, text):
    if not path.startswith("web/"):
        return []
    html = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(")
    return [n for n, line in numbered(text) if html.search(line)]


def rule_headers_hide_the_socket_library(path, text):
    if path in ("src/http/loop.h", "src/http/loop.cpp", "src/http/server.cpp"):  # the inside of the server
        return []
    if not path.startswith(("src/", "include/")):
        return []
    hidden = r'#include (<boost/(beast|asio)|"http/loop\.h")' if path.endswith(".h") else r'#include "http/loop\.h"'
    return [n for n, line in numbered(text) if re.search(hidden, line)]


def rule_no_place_of_one_machine(path, text):
    if path == "tests/tidy/house/test_house.py":
        return []
    return [n for n, line in numbered(text) if re.search(r"/(work|farm|root)/|/home/\w", line)]


CPP = ("*.cpp", "*.h")
RULES = {
    rule_includes_point_inward: CPP,
    rule_time_and_chance_come_through_their_seams: CPP,
    rule_threads_have_an_owner: CPP,
    rule_no_vague_names: ("*",),
    rule_files_are_small: ("*.cpp", "*.h", "*.py", "*.js", "*.css", "*.sql", "*.cmake"),
    rule_functions_fit_a_screen_or_two: CPP,
    rule_lines_fit: (*CPP, "*.py", "*.cmake", "*CMakeLists.txt"),
    rule_nothing_left_open: (*CPP, "*.py", "*.js", "*.sql", "dev"),
    rule_headers_are_guarded_and_explained: CPP,
    rule_sql_is_never_built_from_values: CPP,
    rule_pages_take_text_as_text: ("web/*",),
    rule_headers_hide_the_socket_library: CPP,
    rule_no_place_of_one_machine: ("*",),
}

SPECIMENS = {
    rule_includes_point_inward: ("src/ordered/a.cpp", '#include "leaderboards/values.h"\n'),
    rule_time_and_chance_come_through_their_seams: ("src/http/a.cpp", "auto now = std::chrono::system_clock::now();\n"),
    rule_threads_have_an_owner: ("src/leaderboards/a.cpp", "std::thread worker(run);\n"),
    rule_no_vague_names: ("src/base/string_utils.h", ""),
    rule_files_are_small: ("src/base/a.cpp", "\n" * (MAX_FILE_LINES + 1)),
    rule_functions_fit_a_screen_or_two: ("src/base/a.cpp", "void f() {\n" + "  g();\n" * MAX_FUNCTION_LINES + "}\n"),
    rule_lines_fit: ("src/base/a.cpp", "x" * (MAX_COLUMNS + 1) + "\n"),
    rule_nothing_left_open: ("src/base/a.cpp", "// TO" + "DO: later\n"),
    rule_headers_are_guarded_and_explained: ("src/base/a.h", "struct A {};\n"),
    rule_sql_is_never_built_from_values: ("src/adapters/sqlite/a.cpp", 'run("SELECT * FROM t WHERE id = " + id);\n'),
    rule_pages_take_text_as_text: ("web/app.js", "row.innerHTML = player;\n"),
    rule_headers_hide_the_socket_library: ("src/http/a.h", "#include <boost/beast/core.hpp>\n"),
    rule_no_place_of_one_machine: ("README.md", "cd /ro" + "ot/scoreline\n"),
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_rule_sees_its_specimen(rule):
    assert rule(*SPECIMENS[rule])


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_house_keeps(rule):
    broken = []
    for path in tracked(*RULES[rule]):
        try:
            text = (ROOT / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        broken += [f"{path}:{number}" for number in rule(path, text)]
    assert not broken, f"{rule.__name__}: " + ", ".join(broken)


def test_the_socket_library_stays_in_few_files():
    users = [p for p in tracked("src/*.cpp") if re.search("boost/(beast|asio)", (ROOT / p).read_text())]
    assert len(users) <= MAX_BEAST_FILES, users
