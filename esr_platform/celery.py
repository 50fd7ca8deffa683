"""The Celery application. Its configuration is in ``settings.py`` (``CELERY_…``)."""

from __future__ import annotations

import gc
import os
import time
import warnings
from threading import current_thread, main_thread
from typing import Any

from celery import Celery
from celery.concurrency import ALIASES  # type: ignore[attr-defined]  # not in its stubs
from celery.exceptions import SecurityWarning
from celery.signals import (
    task_failure,
    task_postrun,
    task_prerun,
    worker_before_create_process,
    worker_process_init,
)
from django.db import connections
from kombu.utils.scheduling import round_robin_cycle

from esr_platform import drains, figures
from esr_platform.request_ids import continue_from_message
from esr_platform.supervisor.processes import die_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "esr_platform.settings")

# System checks load all pages and the API, which takes 35 MB per worker. The web server and `run` perform them.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

# Celery warns about workers that run as root because of pickled messages. Ours are JSON, and bots have another user.
warnings.filterwarnings("ignore", category=SecurityWarning)

app = Celery("esr_platform")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


ALIASES["threads"] = "esr_platform.threads:ThreadPool"


class OnTimeFirst(round_robin_cycle):  # type: ignore[type-arg]  # generic in its stubs only
    """Queue order of a worker: scheduled matches first, then all other queues in turn.

    Nothing is taken from ``drains.QUEUES`` while the machine is drained.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._drain = drains.Announcement()

    def consume(self, n: int) -> list[str]:  # type: ignore[override]  # kombu itself gives lists
        """Return the first ``n`` queues, with ``on_time`` first."""
        queues = sorted(super().consume(n), key=lambda queue: queue != "on_time")
        if drains.QUEUES.isdisjoint(queues) or not self._drain.holds():
            return queues
        return [queue for queue in queues if queue not in drains.QUEUES]


@worker_process_init.connect
def _die_with_worker(**_: object) -> None:
    """Kill the pool processes of a worker when the worker is killed."""
    die_with_parent()


@worker_before_create_process.connect
def _share_memory(**_: object) -> None:
    """Freeze the garbage collector so that a new process does not write to, and thereby copy, shared memory."""
    gc.collect()
    gc.freeze()


@task_prerun.connect
def _forget_lost_connections(**_: object) -> None:
    """Close dead database connections, which Celery would reuse without a check."""
    for connection in connections.all(initialized_only=True):
        if connection.connection is not None and not connection.is_usable():
            connection.close()


@task_prerun.connect
def _begin(task: Any, **_: object) -> None:
    continue_from_message(task)
    task.request.esr_began_s = time.monotonic()


@task_postrun.connect
def _measure(task: Any, **_: object) -> None:
    """Add the duration of a task to the figures of the site."""
    began_s = getattr(task.request, "esr_began_s", None)
    if began_s is not None:
        figures.TASKS.observe(time.monotonic() - began_s, task.name.rpartition(".")[2])


@task_failure.connect
def _count_failure(sender: Any, **_: object) -> None:
    figures.FAILED_TASKS.add(sender.name.rpartition(".")[2])


@task_postrun.connect
def _close_connections_of_a_thread(**_: object) -> None:
    """Close the database connections of a worker with many threads. A worker process keeps its own."""
    if current_thread() is not main_thread():
        connections.close_all()
