"""The master of the boards dies, and its successor lacks the last writes that the master had confirmed."""

import pytest
from load import Load
from nodes import Nodes
from redis_groups import Cluster, Sentinels
from stores import redis_programs


@pytest.fixture(params=redis_programs(), ids=lambda program: program.rsplit("/", 1)[-1])
def program(request):
    return request.param


@pytest.mark.parametrize("kind", [Sentinels, Cluster], ids=lambda kind: kind.__name__.lower())
def test_a_successor_that_is_behind_shows_nothing_old(empty_postgres, tmp_path, program, kind):
    group = kind(program)
    try:
        with Nodes((empty_postgres, group), tmp_path) as servers:
            with Load(servers) as load:
                group.cut_replica_off()
                load.goes_on()
                group.fail_over()
                load.goes_on()
            load.check_end(empty_postgres)
            assert load.refused["results"] > 0
    finally:
        group.close()
