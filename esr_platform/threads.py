"""The pool of a Celery worker with threads."""

from __future__ import annotations

import os

from celery.concurrency.thread import TaskPool


class ThreadPool(TaskPool):
    """Celery's thread pool, with a cold shutdown that does not wait for tasks.

    Celery's own class cannot end a task. Its workers then report an error and run on until the last task has ended.
    """

    def terminate_job(self, pid: int, signal: int | None = None) -> None:  # noqa: ARG002 - the interface of a pool
        """End this process, because a thread cannot be ended. The database has everything that is still to be done."""
        os._exit(os.EX_TEMPFAIL)
