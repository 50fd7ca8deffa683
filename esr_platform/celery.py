"""The Celery application; everything it can be told stands in ``settings.py`` as ``CELERY_…``."""

from __future__ import annotations

import os
import warnings

from celery import Celery
from celery.exceptions import SecurityWarning
from celery.signals import task_prerun, worker_process_init
from django.db import connections

from esr_platform.supervising.child import die_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "esr_platform.settings")

# Celery warns a worker that is root because of pickled messages; ours are JSON, and bots get a user of their own.
warnings.filterwarnings("ignore", category=SecurityWarning)

app = Celery("esr_platform")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_process_init.connect
def _die_with_worker(**_: object) -> None:
    """Connected so that no process of a worker's pool outlives a worker that was killed."""
    die_with_parent()


@task_prerun.connect
def _forget_lost_connections(**_: object) -> None:
    """Connected since Celery keeps a connection for many tasks and never looks whether the database still answers."""
    for connection in connections.all(initialized_only=True):
        if connection.connection is not None and not connection.is_usable():
            connection.close()
