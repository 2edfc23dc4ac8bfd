"""Defaults < file < environment < flags, and nothing unknown passes."""

import json

from scoreline import clean_environment, run, run_json

FILE = """
listen = "127.0.0.1:1001"
logLevel = "warn"
threads = 3
data = "from-file"

[leaderboards.laps]
rule = "least"
scale = 3
minPoints = "0.5"
grace = "90s"
"""


def printed(folder, *arguments, environment=None):
    return run_json("config", "print", *arguments, cwd=folder, environment=environment)


def test_each_layer_covers_the_one_below(tmp_path):
    (tmp_path / "s.toml").write_text(FILE)
    (tmp_path / "data-name").write_text("from-a-file-named-by-the-environment\n")
    defaults = printed(tmp_path)
    assert defaults["listen"] == {"value": "127.0.0.1:8080", "from": "default"}
    environment = clean_environment(SCORELINE_CONFIG="s.toml", SCORELINE_LISTEN="127.0.0.1:1002",
                                    SCORELINE_LOG_LEVEL="error", SCORELINE_DATA_FILE="data-name")
    config = printed(tmp_path, "--log-level", "debug", environment=environment)
    assert config["threads"] == {"value": 3, "from": "file"}
    assert config["listen"] == {"value": "127.0.0.1:1002", "from": "environment"}
    assert config["data"] == {"value": "from-a-file-named-by-the-environment", "from": "environment"}
    assert config["logLevel"] == {"value": "debug", "from": "flag"}
    assert config["leaderboards"] == ["laps"]


def test_what_is_printed_is_a_file_that_gives_the_same(tmp_path):
    (tmp_path / "s.toml").write_text(FILE)
    first = run("--config", "s.toml", "config", "print", cwd=tmp_path).stdout
    assert 'minPoints = "0.5"' in first and 'order = "asc"' in first and 'grace = "90s"' in first
    (tmp_path / "again.toml").write_text(first)
    again = run("--config", "again.toml", "config", "print", cwd=tmp_path).stdout
    assert again.replace("# file", "#") == first.replace("# file", "#").replace("# default", "#")


def test_an_unknown_key_fails_and_names_the_nearest(tmp_path):
    for text, field, near in (
            ('lisen = "127.0.0.1:1"', "lisen", "listen"),
            ("log_level = 'info'", "log_level", "logLevel"),
            ("[leaderboard.x]\nrule = 'sum'", "leaderboard", "leaderboards"),
            ("[leaderboards.x]\nrules = 'sum'", "leaderboards.x.rules", "rule"),
            ("[leaderboards.x]\nmin_points = 0", "leaderboards.x.min_points", "minPoints")):
        (tmp_path / "bad.toml").write_text(text)
        error = run_json("--config", "bad.toml", "config", "print", cwd=tmp_path, expect=64)
        assert error["field"] == field and (near in error["detail"] or field == "leaderboard"), error
    error = run_json("--config", ".", "config", "print", cwd=tmp_path, expect=3)
    assert error["field"] == "config" and "cannot read" in error["detail"]
    error = run_json("config", "print", cwd=tmp_path, expect=64, environment=clean_environment(SCORELINE_LISTN="x"))
    assert error["field"] == "SCORELINE_LISTN" and "SCORELINE_LISTEN" in error["detail"]


def test_values_that_cannot_be_are_refused_by_name(tmp_path):
    for text, field in (
            ("listen = 8080", "listen"), ("listen = '127.0.0.1:70000'", "listen"), ("listen = '127.0.0.1'", "listen"),
            ("threads = -1", "threads"), ("logLevel = 'loud'", "logLevel"),
            ("insecureListen = 'yes'", "insecureListen"),
            ("data = ''", "data"), ("threads = 1.5", "threads"), ("listen = ", "config"),
            ("[leaderboards.x]\nrule = 'most'", "leaderboards.x.rule"),
            ("[leaderboards.x]\nscale = 10", "leaderboards.x.scale"),
            ("[leaderboards.x]\nminPoints = 0.5", "leaderboards.x.minPoints"),
            ("[leaderboards.x]\nminPoints = '0.5'", "leaderboards.x.minPoints"),
            ("[leaderboards.x]\ngrace = '10 minutes'", "leaderboards.x.grace"),
            ("[leaderboards.x]\ntop = 1001", "leaderboards.x.top"),
            ("[leaderboards.'X Y']\nrule = 'sum'", "leaderboards.X Y"),
            ("leaderboards = 1", "leaderboards")):
        (tmp_path / "bad.toml").write_text(text)
        error = run_json("--config", "bad.toml", "config", "print", cwd=tmp_path, expect=64)
        assert error["field"] == field, (text, error)


def test_what_a_cluster_sets_beside_a_service_of_this_name_is_not_ours(tmp_path):
    environment = clean_environment(SCORELINE_SERVICE_HOST="10.0.0.1", SCORELINE_PORT="tcp://10.0.0.1:80",
                                    SCORELINE_PORT_80_TCP_ADDR="10.0.0.1")
    assert run("config", "print", cwd=tmp_path, environment=environment).returncode == 0


def test_a_password_in_a_url_is_not_printed(tmp_path):
    (tmp_path / "url").write_text("http://user:secret@127.0.0.1:1\n")
    environment = clean_environment(SCORELINE_SERVER_FILE="url")
    for arguments in (("config", "print"), ("--json", "config", "print")):
        done = run(*arguments, cwd=tmp_path, environment=environment)
        assert "secret" not in done.stdout and "***@127.0.0.1:1" in done.stdout


def test_a_definition_that_would_break_its_boards_is_refused(tmp_path):
    (tmp_path / "sum.toml").write_text("[leaderboards.main]\nrule = 'sum'\n")
    (tmp_path / "best.toml").write_text("[leaderboards.main]\nrule = 'best'\n")
    (tmp_path / "row.csv").write_text("player_id,points\nalice,1\n")
    run_json("--config", "sum.toml", "import", "row.csv", cwd=tmp_path)
    error = run_json("--config", "best.toml", "import", "row.csv", cwd=tmp_path, expect=4)
    assert error["code"] == "conflict" and "main" in error["detail"] and "rule" in error["detail"]
    assert json.dumps(run_json("top", cwd=tmp_path)["players"]) == "1"
