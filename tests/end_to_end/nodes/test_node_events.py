"""What one node takes, listeners of another hear."""

import time

from listener import Listener
from nodes import Nodes
from scoreline import wait_until
from stores import Redis

EVENTS = "/v1/leaderboards/main/seasons/12/events"


def result(player, points):
    return {"playerId": player, "seasonId": 12, "points": points}


def test_a_listener_of_one_node_hears_what_the_other_takes(stores, tmp_path):
    with Nodes(stores, tmp_path) as (one, two):
        one.submit([result("alice", 10)])
        wait_until(lambda: two.request("GET", f"{EVENTS.removesuffix('events')}top")[0] == 200, 10, "the board")
        with Listener(two, f"{EVENTS}?player=alice") as listener:
            listener.until(lambda name, data: name == "rank" and data["rank"] == 1)
            begin = time.monotonic()
            one.submit([result("bob", 20)])
            listener.until(lambda name, data: name == "rank" and data["change"] == "overtaken")
            assert time.monotonic() - begin < 5, "it is a second by design"


def test_a_listener_stays_while_the_board_is_lost_and_made_again(stores, tmp_path):
    redis: Redis = stores[1]
    with Nodes(stores, tmp_path) as (one, _):
        one.submit([result("alice", 10)])
        with Listener(one, f"{EVENTS}?player=alice") as listener:
            listener.until(lambda name, data: name == "rank" and data["rank"] == 1)
            redis.command("FLUSHALL")
            wait_until(lambda: one.request("POST", "/v1/leaderboards/main/results", result("bob", 20))[0] == 200, 20,
                       "an answer")
            _, rank = listener.until(lambda name, data: name == "rank" and data["change"] != "first", 20)
            assert (rank["change"], rank["rank"], rank["players"]) == ("overtaken", 2, 2), "never a wrong rank between"
