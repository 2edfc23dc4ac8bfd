import pytest
from kafka import Broker, what_is_missing
from stores import Postgres, Redis


@pytest.fixture(scope="module")
def broker():
    if missing := what_is_missing():
        pytest.skip(missing)
    with Broker() as running:
        yield running


@pytest.fixture(scope="module")
def postgres():
    server = Postgres()
    yield server
    server.close()


@pytest.fixture
def stores(postgres):
    postgres.query("drop schema public cascade; create schema public", check=True)
    redis = Redis()
    yield postgres, redis
    redis.close()
