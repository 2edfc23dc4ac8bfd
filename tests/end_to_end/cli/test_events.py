"""Server-sent events of a running server."""

import os
import signal

from listener import Listener
from scoreline import Server, wait_until

EVENTS = "/v1/leaderboards/main/seasons/12/events"


def result(player, points):
    return {"playerId": player, "seasonId": 12, "points": points}


def test_a_listener_hears_the_top_and_its_players_rank(tmp_path):
    with Server(tmp_path / "data") as server:
        server.submit([result("alice", 10)])
        with Listener(server, f"{EVENTS}?player=alice&top=1") as listener:
            assert "content-type: text/event-stream" in listener.head.lower()
            name, top = listener.event()
            assert name == "top" and top["entries"][0]["playerId"] == "alice"
            name, rank = listener.event()
            assert name == "rank" and (rank["rank"], rank["change"]) == (1, "first")
            server.submit([result("bob", 20)])
            assert listener.event()[1]["entries"][0]["playerId"] == "bob"
            name, rank = listener.event()
            assert name == "rank" and (rank["rank"], rank["change"], rank["top"]) == (2, "overtaken", "left")
            assert listener.event(1) is None


def test_who_comes_back_hears_only_what_is_new(tmp_path):
    with Server(tmp_path / "data") as server:
        server.submit([result("alice", 10)])
        with Listener(server, f"{EVENTS}?player=alice") as listener:
            listener.until(lambda name, _: name == "rank")
            last_id = listener.last_id
        with Listener(server, f"{EVENTS}?player=alice", last_id) as listener:
            assert listener.event(1) is None
        server.submit([result("bob", 20)])
        with Listener(server, f"{EVENTS}?player=alice", last_id) as listener:
            assert listener.event()[0] == "top"
            assert listener.event()[1]["previousRank"] == 1


def test_what_cannot_be_listened_to_is_told_at_once(tmp_path):
    with Server(tmp_path / "data") as server:
        for path, status, field in (("/v1/leaderboards/none/seasons/12/events", 404, "leaderboard"),
                                    (f"{EVENTS}?top=0", 422, "top"), (f"{EVENTS}?player=", 422, "player"),
                                    (f"{EVENTS}?radius=1", 422, "radius"),
                                    ("/v1/leaderboards/main/seasons/x/events", 422, "season")):
            answered, _, problem = server.request("GET", path)
            assert (answered, problem["field"]) == (status, field), problem


def test_a_stop_ends_the_streams(tmp_path):
    with Server(tmp_path / "data") as server:
        listeners = [Listener(server, EVENTS) for _ in range(20)]
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(timeout=10) == 0
        for listener in listeners:
            while listener.event(5):
                pass
            assert listener.ended
            listener.close()


def test_who_hangs_up_makes_room_at_once(tmp_path):
    def open_files():
        return len(os.listdir(f"/proc/{server.pid}/fd"))

    with Server(tmp_path / "data") as server:
        before = open_files()
        listeners = [Listener(server, EVENTS) for _ in range(20)]
        assert open_files() >= before + 20
        for listener in listeners:
            listener.close()
        wait_until(lambda: open_files() <= before, 5, "the end of their connections")


def test_who_hangs_up_or_does_not_read_holds_nobody_up(tmp_path):
    with Server(tmp_path / "data") as server:
        server.submit([result(f"p{i}", i) for i in range(1, 501)])
        gone = [Listener(server, f"{EVENTS}?top=500") for _ in range(20)]
        for listener in gone[:10]:
            listener.close()
        with Listener(server, f"{EVENTS}?top=500&player=p1") as reader:
            for points in range(1_001, 1_101):
                server.submit([result("leader", points)])
            reader.until(lambda name, data: name == "top" and data["entries"][0]["points"] == 1_100)
        wait_until(lambda: server.top(1, season=12)["entries"][0]["points"] == 1_100, 5, "the top")
        # Who had not read hears the end, not all that was in between.
        events = 0
        while event := gone[10].event(2):
            events += 1
            last = event
        assert last[1]["entries"][0]["points"] == 1_100 and events < 100
        for listener in gone[10:]:
            listener.close()
