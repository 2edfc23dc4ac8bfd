import pytest
from job_queue import JobQueue
from scoreline import Server
from store_fixtures import empty_postgres, postgres, stores  # noqa: F401


@pytest.fixture(name="server")
def fixture_server(tmp_path):
    with Server(tmp_path / "data") as server:
        yield server


@pytest.fixture(name="queue")
def fixture_queue(server):
    return JobQueue(server)
