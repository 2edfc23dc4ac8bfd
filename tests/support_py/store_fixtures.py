"""Fixtures over real stores: one PostgreSQL a module, emptied for each test, and a Redis for each test."""

import pytest
from stores import Postgres, Redis


@pytest.fixture(scope="module")
def postgres():
    server = Postgres()
    yield server
    server.close()


@pytest.fixture
def empty_postgres(postgres):
    postgres.query("drop schema public cascade; create schema public", check=True)
    return postgres


@pytest.fixture
def stores(empty_postgres):
    redis = Redis()
    yield empty_postgres, redis
    redis.close()
