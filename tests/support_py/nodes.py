"""Servers of the program: several over the same PostgreSQL and Redis, or one over its own folder."""

from scoreline import Server


class Nodes:
    """`scoreline serve` so many times; any of them may be killed, stopped and started again."""

    def __init__(self, stores, folder, count=2, ledger=None, index=None, more=(), **how):
        """`stores`: None for a server over its own folder. `more` arguments are the last ones; `how`: see Server."""
        self.arguments = more
        self.how = how
        if stores:
            postgres, redis = stores
            self.arguments = ("--ledger", ledger or postgres.url, "--index", index or redis.url, *more)
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.servers = []
        for _ in range(count):
            self.add()

    def add(self):
        self.servers.append(self.start(len(self.servers)))
        return self.servers[-1]

    def start(self, number):
        return Server(self.folder / f"node{number}", *self.arguments, **self.how)

    def restart(self, number):
        """In place of one that has ended; at another port."""
        self.servers[number] = self.start(number)

    def __enter__(self):
        return self.servers

    def __exit__(self, *_):
        for server in self.servers:
            server.kill()
