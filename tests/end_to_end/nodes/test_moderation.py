"""What one node hides, restores, erases or voids is so on every board, whatever other nodes have under way."""

import random
import threading
import time
import uuid

import pytest
from load import whole_board
from nodes import Nodes
from recount import BOARDS, Result, ledger_of, ranking, second
from scoreline import quote, wait_until
from tcp_proxy import TcpProxy

PLAYERS = [f"p{number}" for number in range(12)]


def define(servers):
    for board in BOARDS:
        for method, path, body in (("PUT", board.path, board.definition),
                                   ("POST", f"{board.path}/seasons", board.season)):
            if body:
                assert servers[0].request(method, path, body)[0] in (200, 201)
        for server in servers:
            wait_until(lambda s=server, b=board: s.request("GET", b.path)[0] == 200, 10, "the definition")


def submit(server, board, match, players, chance):
    """Whether it was taken; what is not is nobody's business: the ledger is what boards are held to."""
    results = [Result(board, match, player, chance.randrange(1, 1_000), second(chance.randrange(40))).as_json()
               for player in players]
    try:
        return server.request("POST", f"{board.path}/results", {"results": results})[0] == 200
    except OSError:
        return False


def hidden_in(postgres):
    return {tuple(line.split("|")) for line in
            postgres.query("select leaderboard, player_id from hidden_players").splitlines()}


def expected(postgres, board):
    hidden = hidden_in(postgres)
    return ranking(board, [each for each in ledger_of(postgres) if (board.name, each.player) not in hidden])


def check_boards(postgres, servers, within=15):
    for board in BOARDS:
        right = expected(postgres, board)
        for number, server in enumerate(servers):
            wait_until(lambda s=server, b=board, r=right: whole_board(s, b) == r, within,
                       f"node {number}, {board.name}: {whole_board(server, board)} instead of {right}")


def moderate(server, board, deed, player=None, match=None):
    path = f"{board.path}/matches/{match}" if deed == "void" else f"{board.path}/players/{quote(player)}"
    method = "POST" if deed in ("hide", "restore") else "DELETE"
    suffix = f":{deed}" if method == "POST" else ""
    return server.request(method, path + suffix, {"reason": "test"})


class Streams:
    """Results of the same few players, to every node, as fast as they go."""

    def __init__(self, servers):
        self.servers = servers
        self.matches = {board: [] for board in BOARDS}
        self.stopped = threading.Event()
        self.threads = [threading.Thread(target=self.run, args=(server,)) for server in servers]

    def run(self, server):
        chance = random.Random(server.port)
        while not self.stopped.is_set():
            board = chance.choice(BOARDS)
            match = str(uuid.UUID(int=chance.getrandbits(128), version=4))
            if submit(server, board, match, chance.sample(PLAYERS, 3), chance):
                self.matches[board].append(match)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        for thread in self.threads:
            thread.join()


def test_boards_are_the_fold_of_the_ledger_whatever_is_moderated_while_both_nodes_stream(stores, tmp_path):
    postgres, _ = stores
    with Nodes(stores, tmp_path) as servers:
        define(servers)
        with Streams(servers) as streams:
            chance = random.Random(1)
            for turn in range(60):
                board, server = chance.choice(BOARDS), servers[turn % 2]
                deed = chance.choice(("hide", "restore", "erase", "void"))
                wait_until(lambda b=board: streams.matches[b], 10, "a match")
                match = chance.choice(streams.matches[board])
                status, _, body = moderate(server, board, deed, chance.choice(PLAYERS), match)
                assert status == 200, body
        check_boards(postgres, servers)


@pytest.mark.parametrize("deed", ["hide", "erase", "void", "restore"])
def test_an_offer_that_was_under_way_does_not_stay(stores, tmp_path, deed):
    """One node has recorded and cannot reach the boards; meanwhile the other moderates; then the first goes on."""
    postgres, redis = stores
    proxy = TcpProxy(redis.port)
    chance = random.Random(2)
    with Nodes(stores, tmp_path / "one", count=1, index=f"redis://127.0.0.1:{proxy.port}") as (one,), \
            Nodes(stores, tmp_path / "two", count=1) as (two,):
        define((one, two))
        for board in BOARDS:
            match = str(uuid.uuid4())
            assert submit(two, board, str(uuid.uuid4()), PLAYERS, chance)
            if deed == "restore":
                assert moderate(two, board, "hide", "p1")[0] == 200
                wait_until(lambda b=board: one.get(f"{b.path}/hidden-players")["players"] == 1, 5, "the change")
                # Answered when the boards have followed too: held up there, the writer would come to no result.
                assert submit(one, board, str(uuid.uuid4()), ["p2"], chance)
            proxy.mode = "hold"
            sender = threading.Thread(target=submit, args=(one, board, match, ["p1", "p2"], chance))
            sender.start()
            count = f"select count(*) from match_results where match_id = '{match}'"
            wait_until(lambda c=count: postgres.query(c) == "2", 10, "the ledger to have it")
            assert moderate(two, board, deed, "p1", match)[0] == 200
            proxy.mode = "pass"
            sender.join()
        check_boards(postgres, (one, two))
    proxy.close()


@pytest.mark.parametrize("deed", ["hide", "erase", "void", "restore"])
@pytest.mark.parametrize("whose", ["survivor", "newcomer"])
def test_a_node_killed_between_ledger_and_boards_leaves_nothing_undone(stores, tmp_path, deed, whose):
    postgres, redis = stores
    proxy = TcpProxy(redis.port)
    dying = Nodes(stores, tmp_path / "dying", count=1, index=f"redis://127.0.0.1:{proxy.port}")
    others = Nodes(stores, tmp_path / "others", count=1 if whose == "survivor" else 0)
    with dying as (first,), others as rest:
        define([first, *rest])
        chance = random.Random(4)
        matches = {board: str(uuid.uuid4()) for board in BOARDS}
        for board in BOARDS:
            assert submit(first, board, str(uuid.uuid4()), PLAYERS, chance)
            assert submit(first, board, matches[board], ["p1", "p2"], chance)
            if deed == "restore":
                assert moderate(first, board, "hide", "p1")[0] == 200
        time.sleep(6)  # everything that was shown has been told
        proxy.mode = "deaf"  # it commits, and what it has for the boards is lost

        def change():
            for board in BOARDS:
                try:
                    moderate(first, board, deed, "p1", matches[board])
                except OSError:
                    return

        thread = threading.Thread(target=change)
        thread.start()
        done = f"select count(*) from audit_log where action like '{deed}-%'"
        wait_until(lambda: postgres.query(done) != "0", 20, "a change in the ledger")
        first.kill()
        thread.join()
        if whose == "newcomer":
            others.add()
        check_boards(postgres, rest)
    proxy.close()
