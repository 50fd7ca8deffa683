"""Fixtures for every test: a database that other processes can open, a broker in memory, real services on demand."""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import hypothesis
import kombu.pools
import pytest
import redis
from django.conf import settings
from django.contrib.contenttypes.management import create_contenttypes
from django.core.cache import caches
from django.db import connection
from django.db.models.signals import post_migrate
from django.test import override_settings

from bots.sandbox import sandbox
from esr_platform import languages
from esr_platform.accounts import limits
from esr_platform.celery import app
from esr_platform.supervisor.site import STOP_SIGNALS
from tests import pseudo_locale
from tests.esr_platform.accounts.hashing import CountingHasher
from tests.fixed_randomness import fixed_randomness
from tests.services.caches import JsonInMemory
from tests.services.data import data_in
from tests.services.races import RaceServer
from tests.services.redis import redis_server
from tests.services.workers import UNBOUNDED, Processes, processes

IN_MEMORY = "memory://"
NOWHERE = "unix:///dev/null"
SECRET_KEY = "only for tests: 0123456789 abcdefghijklmnopqrstuvwxyz"

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a shell, and children inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)


hypothesis.settings.register_profile(
    "new-examples", hypothesis.settings(hypothesis.settings.get_profile("ci"), derandomize=False, print_blob=True)
)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))  # "ci": fixed examples, no deadline


LONG: Final = (
    "test_chaos.py",
    "test_hostile.py",
    "test_schemathesis.py",
    "test_pages.py",
    "test_supervisor.py",
    "test_closedness.py",
)
"""The files whose slow tests take longest. They begin first: one that began last would be waited for."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Races between processes are tests of locks. Long files come first, all others in random order."""
    for item in items:
        if "race_server" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.locks)
    items.sort(key=lambda item: LONG.index(item.path.name) if item.path.name in LONG else len(LONG))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the seed of the random order, also with ``-q``. Workers still share out the tests by time."""
    seed = config.getoption("randomly_seed", None)
    if seed is not None:
        terminalreporter.write_line(f"To repeat this order: PYTEST_ARGS='--randomly-seed={seed}'")


@pytest.fixture(scope="module", autouse=True)
def _no_loop_of_a_browser(request: pytest.FixtureRequest) -> Iterator[None]:
    """Once a browser was open, Playwright leaves its event loop in the thread, where no async view could be asked.

    For a whole module, before any test of it opens the database: beside a loop that is another connection.
    """
    loop = asyncio.events._get_running_loop()
    if "browser" in request.path.parts or loop is None:
        yield
        return
    asyncio.events._set_running_loop(None)
    yield
    asyncio.events._set_running_loop(loop)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep the SQLite test database in a file of this run, where real workers can open it, not in memory."""
    database: dict[str, Any] = settings.DATABASES["default"]
    if database["ENGINE"].endswith("sqlite3"):
        database["TEST"]["NAME"] = str(tmp_path_factory.mktemp("database") / "test.sqlite3")


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> None:
    """Leave content types and permissions, which nothing reads, out of what is written after each flush.

    They were 58 of the 63 ms of a flush, which follows each test with transactions.
    """
    post_migrate.disconnect(create_contenttypes)
    post_migrate.disconnect(dispatch_uid="django.contrib.auth.management.create_permissions")


@pytest.fixture(autouse=True)
def _own_randomness(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test draws the same random numbers in every run and in every order: they depend on its name alone."""
    with fixed_randomness(request.node.nodeid):
        yield


@pytest.fixture(autouse=True)
def _own_signal_handlers() -> Iterator[None]:
    """Restore the signal handlers of the test process: streams and the supervisor replace them."""
    before = {number: signal.getsignal(number) for number in STOP_SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(scope="session", autouse=True)
def _own_secret_key() -> Iterator[None]:
    """Seeds of bots are derived from the secret key, so it is the same in every clone."""
    with override_settings(SECRET_KEY=SECRET_KEY):
        yield


@pytest.fixture(autouse=True)
def _one_minute(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """All requests of a short test fall into one minute of the limits per minute."""
    if request.node.get_closest_marker("slow") is None:
        monkeypatch.setattr(limits, "time", SimpleNamespace(time=lambda: 30_000_000.5 * limits.WINDOW_S))


@pytest.fixture(scope="session", autouse=True)
def _settings_of_tests() -> Iterator[None]:
    """Tests open more pages than a person does and play more games of house bots, and their hints reach nobody.

    Caches are in memory. Passwords are hashed quickly, because a hash that is slow on purpose takes 0.4 s. Static files
    are looked up when they are requested, because listing all of them for each client takes longer than most requests.
    """
    backend = f"{JsonInMemory.__module__}.{JsonInMemory.__qualname__}"
    with override_settings(
        REQUESTS_PER_MINUTE={**settings.REQUESTS_PER_MINUTE, "pages": UNBOUNDED},
        MAX_HOUSE_BLOCKS_PER_HOUR=UNBOUNDED,
        CACHES={name: {"BACKEND": backend, "LOCATION": name} for name in settings.CACHES},
        PASSWORD_HASHERS=[f"{CountingHasher.__module__}.{CountingHasher.__qualname__}"],
        REDIS_URL=NOWHERE,
        WHITENOISE_AUTOREFRESH=True,
    ):
        yield


@pytest.fixture(autouse=True)
def _empty_caches() -> Iterator[None]:
    yield
    for cache in caches.all():  # also those that only another thread has used: memory is shared, `caches` is not
        cache.clear()


@pytest.fixture(scope="session")
def _pseudo_catalogs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("locale")
    pseudo_locale.write_catalogs(folder)
    return folder


@pytest.fixture
def pseudo_language(_pseudo_catalogs: Path) -> Iterator[str]:
    """Offer the pseudo-locale beside English; gives its code."""
    offered = [*settings.LANGUAGES, (pseudo_locale.CODE, pseudo_locale.NAME)]
    with override_settings(LANGUAGES=offered, LOCALE_PATHS=[_pseudo_catalogs]):
        yield pseudo_locale.CODE
    languages.words.cache_clear()
    languages.version.cache_clear()


@pytest.fixture(scope="session", autouse=True)
def _own_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test writes into the data folder of a site."""
    with data_in(tmp_path_factory.mktemp("data")):
        yield


@pytest.fixture(scope="session", autouse=True)
def _tested_sandbox() -> None:
    """Test the sandbox of this machine before any test draws random numbers, since the process does it only once."""
    sandbox()


@pytest.fixture(scope="session", autouse=True)
def _no_broker() -> None:
    """What a test sends stays in this process unless it asks for ``broker``; a running site is never reached."""
    _send_through(IN_MEMORY)


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """A Redis server for this test process."""
    with tempfile.TemporaryDirectory(prefix="esr-redis-") as folder, redis_server(Path(folder)) as url:
        yield url


@pytest.fixture
def broker(redis_url: str) -> Iterator[str]:
    """Send what this test sends through a real, empty Redis; gives its URL."""
    with redis.Redis.from_url(redis_url) as client:
        client.flushall()
    _send_through(redis_url.replace("unix://", "redis+socket://"))
    with override_settings(REDIS_URL=redis_url):
        yield redis_url
    _send_through(IN_MEMORY)


@pytest.fixture
def no_broker() -> Iterator[None]:
    """Nothing listens where messages are sent."""
    _send_through("redis+socket:///nonexistent/redis.sock")
    yield
    _send_through(IN_MEMORY)


@pytest.fixture
def mortal_broker() -> Iterator[Callable[[], None]]:
    """Send what this test sends through a separate Redis server; gives the function that stops the server."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="esr-redis-"))
        _send_through(stack.enter_context(redis_server(Path(folder))).replace("unix://", "redis+socket://"))
        yield stack.close
    _send_through(IN_MEMORY)


def _send_through(url: str) -> None:
    app.conf.broker_url = url
    kombu.pools.reset()
    app._after_fork()  # what Celery itself does to forget connections


@pytest.fixture
def site_processes(transactional_db: None, broker: str, tmp_path: Path) -> Iterator[Processes]:
    """Starts workers and other real processes of the site on this test's database and broker."""
    with data_in(tmp_path), processes(site_environment(broker, tmp_path)) as group:
        yield group


@pytest.fixture(scope="session")
def _race_server(
    django_db_setup: None, redis_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RaceServer]:
    with processes(site_environment(redis_url, tmp_path_factory.mktemp("races"))) as group:
        yield RaceServer(group)


@pytest.fixture
def race_server(_race_server: RaceServer, transactional_db: None, broker: str, tmp_path: Path) -> Iterator[RaceServer]:
    """Starts races between real processes on this test's database and broker, with ``tmp_path`` as data folder."""
    with data_in(tmp_path):
        yield _race_server


def site_environment(redis_url: str, data: Path) -> dict[str, str]:
    """The settings of a process that uses the test database and this broker."""
    return {
        "DATABASE_URL": _database_url(),
        "REDIS_URL": redis_url,
        "VAR_DIR": str(data),
        "SECRET_KEY": settings.SECRET_KEY,
        "LOG_LEVEL": "WARNING",
    }


def _database_url() -> str:
    """The address of the test database as it is open now."""
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{database['NAME']}"
    return f"postgres://{database['USER']}@{database['HOST']}:{database['PORT']}/{database['NAME']}"
