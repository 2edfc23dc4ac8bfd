"""Documentation that is run: each ```sh block, in order, in one shell; the answers shown are the answers."""

import os
import re
import socket
import subprocess

import pytest
from scoreline import BINARY, REPOSITORY, clean_environment

HTTP_ONLY = ("forbidden", "not_allowed", "unsupported", "target_too_long", "header_too_large", "timed_out")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.S | re.M)


def blocks_of(page):
    """(language, text) of each fenced block."""
    return BLOCK.findall((REPOSITORY / page).read_text())


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


def run_page(page, folder):
    """Output of each sh block, by its place among all blocks."""
    (folder / "bin").mkdir()
    (folder / "bin" / "scoreline").symlink_to(BINARY)
    (folder / "work").mkdir()
    script = ["set -eum", "trap 'kill -9 $(jobs -p) 2>/dev/null || true' EXIT"]
    for number, (language, text) in enumerate(blocks_of(page)):
        if language == "sh":
            script.append(f"exec > {folder}/{number}.out\n{text}")
    port = str(free_port())
    done = subprocess.run(["bash", "-c", "\n".join(script).replace("127.0.0.1:8080", f"127.0.0.1:{port}")],
                          cwd=folder / "work", capture_output=True, text=True, timeout=240, check=False,
                          env=clean_environment(PATH=f"{folder}/bin:{os.environ['PATH']}"))
    assert done.returncode == 0, done.stderr
    return {int(file.stem): file.read_text() for file in folder.glob("*.out")}


@pytest.mark.parametrize("page", ["README.md", "docs/tutorial-leaderboard.md", "docs/job-queues.md"])
def test_every_command_runs_and_answers_as_shown(page, tmp_path):
    blocks = blocks_of(page)
    outputs = run_page(page, tmp_path)
    assert set(outputs) == {number for number, (language, _) in enumerate(blocks) if language == "sh"}
    shown = 0
    for number, output in outputs.items():
        if number + 1 < len(blocks) and blocks[number + 1][0] in ("json", "text"):
            assert output.strip() == blocks[number + 1][1].strip()
            shown += 1
    assert shown >= 3


def test_the_cpp_program_of_the_readme_is_the_example_and_prints_what_is_shown(tmp_path):
    blocks = blocks_of("README.md")
    place = next(number for number, (language, _) in enumerate(blocks) if language == "cpp")
    assert blocks[place][1] == (REPOSITORY / "docs/examples/first_board/main.cpp").read_text()
    example = os.environ.get("SCORELINE_TEST_EXAMPLE")
    if example is None:
        pytest.skip("the example is not built here (SCORELINE_TEST_EXAMPLE)")
    done = subprocess.run([example], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == blocks[place + 1][1]


def test_links_between_pages_lead_somewhere():
    for page in (REPOSITORY / "README.md", *(REPOSITORY / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_exit_code_in_the_table_is_the_one_of_the_program():
    table = {}
    for row in re.findall(r"^\| (\d+) \| (.*?) \|", (REPOSITORY / "docs/cli.md").read_text(), re.M):
        table |= {name: int(row[0]) for name in re.findall(r"`(\w+)`", row[1])}
    source = (REPOSITORY / "src/base/error.cpp").read_text()
    for name, code in re.findall(r'\{"(\w+)", "[^"]*", \d+, (\d+)\}', source):
        if name not in HTTP_ONLY:
            assert table[name] == int(code), name
