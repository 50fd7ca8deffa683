"""The Celery application; everything it can be told stands in ``settings.py`` as ``CELERY_…``."""

from __future__ import annotations

import gc
import os
import warnings

from celery import Celery
from celery.exceptions import SecurityWarning
from celery.signals import task_prerun, worker_before_create_process, worker_process_init
from django.db import connections
from kombu.utils.scheduling import round_robin_cycle

from esr_platform.supervisor.processes import die_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "esr_platform.settings")

# The checks load every page and the whole API, which takes 35 MB in each worker. The web server and `run` make them.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

# Celery warns a worker that is root because of pickled messages; ours are JSON, and bots get a user of their own.
warnings.filterwarnings("ignore", category=SecurityWarning)

app = Celery("esr_platform")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


class OnTimeFirst(round_robin_cycle):  # type: ignore[type-arg]  # generic in its stubs only
    """The order in which a worker takes from its queues: matches at a set time first, then the rest in turn."""

    def consume(self, n: int) -> list[str]:  # type: ignore[override]  # kombu itself gives lists
        """Return the first ``n`` queues, ``on_time`` in front."""
        return sorted(super().consume(n), key=lambda queue: queue != "on_time")


@worker_process_init.connect
def _die_with_worker(**_: object) -> None:
    """Connected so that no process of a worker's pool outlives a worker that was killed."""
    die_with_parent()


@worker_before_create_process.connect
def _share_memory(**_: object) -> None:
    """Connected so that the collector of a new process does not write to, and thereby copy, what it shares."""
    gc.collect()
    gc.freeze()


@task_prerun.connect
def _forget_lost_connections(**_: object) -> None:
    """Connected since Celery keeps a connection for many tasks and never looks whether the database still answers."""
    for connection in connections.all(initialized_only=True):
        if connection.connection is not None and not connection.is_usable():
            connection.close()
