"""Redis or Valkey fails under load: killed, hung, flushed, full, read-only, busy, overwritten, evicting."""

import subprocess
import time

import pytest
from load import Load
from nodes import Nodes
from stores import LONG, Redis, free_port, redis_programs


@pytest.fixture(params=redis_programs(), ids=lambda program: program.rsplit("/", 1)[-1])
def stores(request, empty_postgres):
    redis = Redis("--busy-reply-threshold", "100", program=request.param)
    yield empty_postgres, redis
    redis.close()


def killed_and_back_empty(redis, load):
    redis.kill()
    load.refuses("results")
    load.refuses("reads")
    redis.start()


def hung(redis, load):
    redis.hang()
    load.refuses("results")
    load.refuses("reads")
    time.sleep(5 if LONG else 1)
    redis.resume()


def flushed(redis, load):
    for _ in range(3):
        redis.command("FLUSHALL")
        load.goes_on()


def out_of_memory(redis, load):
    redis.command("CONFIG", "SET", "maxmemory", "1mb")
    load.refuses("results", times=20)
    redis.command("CONFIG", "SET", "maxmemory", "0")


def a_replica_of_nobody(redis, load):
    redis.command("REPLICAOF", "127.0.0.1", free_port())
    load.refuses("results")
    redis.command("CONFIG", "SET", "replica-serve-stale-data", "no")
    load.refuses("reads")
    redis.command("REPLICAOF", "NO", "ONE")


def busy(redis, load):
    with subprocess.Popen(["redis-cli", "-p", str(redis.port), "EVAL", "while true do end", "0"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        load.refuses("results")
        load.refuses("reads")
        time.sleep(1)
        assert redis.command("SCRIPT", "KILL") == "OK"


def overwritten_by_a_stranger(redis, load):
    for key in ("lb:{s12}", "lb:{s12}:meta", "lb:{totals:s12}", "lb:{laps:s12}"):
        assert redis.command("SET", key, "mine") == "OK"
        load.goes_on()
    assert redis.command("ZADD", "lb:{laps:s12}", "1", "a stranger") == "1"
    load.goes_on()
    assert redis.command("ZADD", "lb:{s12}", "1", "a stranger") == "1"
    load.goes_on()


def evicting(redis, load):
    """Told to, while everything runs, and short of memory."""
    redis.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    redis.command("CONFIG", "SET", "maxmemory", "1mb")
    load.refuses("reads")
    redis.command("CONFIG", "SET", "maxmemory", "0")
    redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction")


def about_to_evict(redis, load):
    """New connections see it, and trust no board until it is set right."""
    redis.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    redis.command("CLIENT", "KILL", "TYPE", "normal")
    load.refuses("reads")
    load.refuses("results")
    redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction")


FAULTS = [killed_and_back_empty, hung, flushed, out_of_memory, a_replica_of_nobody, busy, overwritten_by_a_stranger,
          evicting, about_to_evict]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_nothing_is_lost_or_wrong_when_redis_is(stores, tmp_path, fault):
    postgres, redis = stores
    with Nodes(stores, tmp_path) as servers:
        with Load(servers) as load:
            fault(redis, load)
            load.goes_on()
        load.check_end(postgres)
