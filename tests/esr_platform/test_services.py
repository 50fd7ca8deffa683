from __future__ import annotations

import pytest
import redis
from django.db import connection

from esr_platform.accounts.models import User
from tests.services.ports import wait_until
from tests.services.workers import Processes


def test_a_process_sees_the_database_of_the_test(site_processes: Processes) -> None:
    script = (
        "import django; django.setup(); from esr_platform.accounts.models import User; User.objects.create_user('ada')"
    )
    process = site_processes.python(
        "-c", f"import os; os.environ['DJANGO_SETTINGS_MODULE']='esr_platform.settings'; {script}"
    )
    assert process.wait(180) == 0
    assert User.objects.get().username == "ada"


def test_a_worker_takes_what_a_test_sends(site_processes: Processes, broker: str) -> None:
    from esr_platform.celery import app

    app.send_task("ladder.tasks.sweep", queue="default")
    client = redis.Redis.from_url(broker)
    assert client.llen("default") == 1
    site_processes.worker("default")
    wait_until(lambda: client.llen("default") == 0 and client.hlen("unacked") == 0, "the task was taken and done")


@pytest.mark.django_db
def test_several_processes_can_write_to_sqlite() -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL has no journal mode")
    with connection.cursor() as cursor:
        assert cursor.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert cursor.execute("PRAGMA busy_timeout").fetchone() == (20000,)
