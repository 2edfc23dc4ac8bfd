"""Redis with successors: a master that sentinels watch, and a cluster. One server each can be made to fall behind."""

from stores import Redis, wait_until

FAILS_AFTER = "500"  # milliseconds


class Group:
    """`master` has the boards, `replica` will have them."""

    def __init__(self):
        self.members = []
        self.master = self.replica = None

    def add(self, member):
        self.members.append(member)
        return member

    def close(self):
        for member in self.members:
            member.close()

    def wait_until_linked(self):
        wait_until(lambda: self.replica.info("replication", "master_link_status") == "up", "the replica")

    def cut_replica_off(self):
        """What the master confirms from now on is nowhere else."""
        self.replica.hang()
        assert self.master.command("CLIENT", "KILL", "TYPE", "replica") == "1"

    def fail_over(self):
        """The master dies, and the replica takes its place as it was when it was cut off."""
        confirmed = int(self.master.info("replication", "master_repl_offset"))
        self.master.kill()
        self.replica.resume()
        assert int(self.replica.info("replication", "slave_repl_offset")) < confirmed
        wait_until(lambda: self.replica.info("replication", "role") == "master", "the successor")


class Sentinels(Group):
    """A master, its replica, three sentinels."""

    def __init__(self, program):
        super().__init__()
        self.master = self.add(Redis(program=program))
        self.replica = self.add(Redis("--replicaof", "127.0.0.1", self.master.port, "--repl-diskless-sync-delay", "0",
                                      program=program))
        self.sentinels = [self.add(self.sentinel(program)) for _ in range(3)]
        for sentinel in self.sentinels:
            wait_until(lambda s=sentinel: s.info("sentinel", "master0").endswith("slaves=1,sentinels=3"), "all of them")
        self.wait_until_linked()

    def sentinel(self, program):
        return Redis("--sentinel", program=program, settings=f"""
            sentinel monitor boards 127.0.0.1 {self.master.port} 2
            sentinel down-after-milliseconds boards {FAILS_AFTER}
            sentinel failover-timeout boards 5000
            """)

    @property
    def url(self):
        hosts = ",".join(f"127.0.0.1:{sentinel.port}" for sentinel in self.sentinels)
        return f"redis-sentinel://{hosts}/boards"


class Cluster(Group):
    """Three masters, and a replica of the one that has season 12."""

    def __init__(self, program):
        options = ("--cluster-enabled", "yes", "--cluster-node-timeout", FAILS_AFTER, "--repl-diskless-sync-delay", "0",
                   "--cluster-replica-validity-factor", "0")
        super().__init__()
        *masters, self.replica = [self.add(Redis(*options, program=program, cluster=True)) for _ in range(4)]
        first = masters[0]
        slots = [(0, 5460), (5461, 10922), (10923, 16383)]
        for number, (master, (low, high)) in enumerate(zip(masters, slots)):
            master.command("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
            master.command("CLUSTER", "ADDSLOTSRANGE", low, high)
        for member in self.members[1:]:
            first.command("CLUSTER", "MEET", "127.0.0.1", member.port, member.bus_port)
        slot = int(first.command("CLUSTER", "KEYSLOT", "lb:{s12}"))
        self.master = next(master for master, (low, high) in zip(masters, slots) if low <= slot <= high)
        identity = self.master.command("CLUSTER", "MYID")
        wait_until(lambda: self.replica.command("CLUSTER", "REPLICATE", identity) == "OK", "the replica's place")
        for member in self.members:
            wait_until(lambda m=member: "cluster_state:ok" in m.command("CLUSTER", "INFO"), "the cluster")
            wait_until(lambda m=member: "slave" in m.command("CLUSTER", "NODES"), "everybody to know the replica")
        self.wait_until_linked()

    @property
    def url(self):
        return "redis-cluster://" + ",".join(f"127.0.0.1:{member.port}" for member in self.members[:3])
