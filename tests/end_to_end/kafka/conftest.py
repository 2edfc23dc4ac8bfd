import pytest
from kafka import Broker, what_is_missing
from store_fixtures import empty_postgres, postgres, stores  # noqa: F401


@pytest.fixture(scope="module")
def broker():
    if missing := what_is_missing():
        pytest.skip(missing)
    with Broker() as running:
        yield running
