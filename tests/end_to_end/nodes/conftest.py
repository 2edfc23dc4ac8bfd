from store_fixtures import empty_postgres, postgres, stores  # noqa: F401
