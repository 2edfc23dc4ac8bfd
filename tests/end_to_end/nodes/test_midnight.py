"""Two servers take results while a day ends: each counts on one day, and both servers show the same days."""

import datetime
import shutil
import threading
import uuid

import pytest
from nodes import Nodes
from scoreline import clean_environment, wait_until

BOARD = "/v1/leaderboards/main/seasons/1/top?limit=1000"
PLAYERS = 20

pytestmark = pytest.mark.skipif(shutil.which("faketime") is None, reason="faketime is not installed")


class Sender(threading.Thread):
    """Sends results to one server until told to stop, half of them with the two instants around midnight."""

    def __init__(self, server, midnight):
        super().__init__(daemon=True)
        self.server = server
        self.instants = [None, midnight - datetime.timedelta(milliseconds=1), None, midnight]
        self.sent = 0
        self.stopping = False

    def run(self):
        while not self.stopping:
            results = []
            for n in range(PLAYERS):
                instant = self.instants[n % len(self.instants)]
                result = {"matchId": str(uuid.uuid4()), "playerId": f"p{n}", "seasonId": 1, "points": 1}
                if instant:
                    result["achievedAt"] = instant.isoformat(timespec="milliseconds") + "Z"
                results.append(result)
            status = 503  # asks for the same again
            while status == 503:
                status, _, told = self.server.request("POST", "/v1/leaderboards/main/results", {"results": results})
            assert status == 200 and told["rejected"] == [], told
            self.sent += len(results)


def points(server, period):
    page = server.get(BOARD + ("&period=" + period if period else ""))
    return {entry["playerId"]: entry["points"] for entry in page["entries"]}


def shows_new_day(server, name):
    """Whether a result without an instant has arrived on it. A server may say for a moment that it is not ready yet."""
    status, _, page = server.request("GET", BOARD + "&period=day")
    return status == 200 and page["period"] == name and any(entry["playerId"] == "p0" for entry in page["entries"])


def test_every_result_counts_on_one_day(stores, tmp_path):
    # A day that begins after now, so that nothing that the stores keep for days has run out.
    day = datetime.datetime.now(datetime.timezone.utc).date() + datetime.timedelta(days=1)
    midnight = datetime.datetime.combine(day + datetime.timedelta(days=1), datetime.time())
    config = tmp_path / "scoreline.toml"
    config.write_text('[leaderboards.main]\nrule = "sum"\nperiods = ["day"]\n')
    before = ("faketime", "-f", f"@{day} 23:59:54")
    environment = clean_environment(TZ="UTC", FAKETIME_DONT_FAKE_MONOTONIC="1")
    with Nodes(stores, tmp_path / "nodes", more=("--config", config), before=before,
               environment=environment) as servers:
        senders = [Sender(server, midnight) for server in servers]
        for sender in senders:
            sender.start()
        days = [f"day:{day}", f"day:{midnight.date()}"]
        for server in servers:
            wait_until(lambda s=server: shows_new_day(s, days[1]), 60, "the new day")
        for sender in senders:
            sender.stopping = True
            sender.join(60)
            assert not sender.is_alive() and sender.sent > 0
        sent = sum(sender.sent for sender in senders)
        for server in servers:
            whole, first, second = (points(server, period) for period in ("", *days))
            assert sum(whole.values()) == sent
            assert {player: first.get(player, 0) + second.get(player, 0) for player in whole} == whole
            for n in range(PLAYERS):
                instant = senders[0].instants[n % 4]
                if instant:
                    own, other = (second, first) if instant == midnight else (first, second)
                    assert own[f"p{n}"] == whole[f"p{n}"] and f"p{n}" not in other
