"""Real servers for tests: PostgreSQL, Redis and Celery workers, started for a test run and gone after it."""
