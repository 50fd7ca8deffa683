from __future__ import annotations

from typing import Any

from celery import current_app
from celery.signals import worker_process_init
from django.apps import AppConfig


class BotsConfig(AppConfig):
    name = "bots"

    def ready(self) -> None:
        worker_process_init.connect(_tell, dispatch_uid="bots.machines")


def _tell(**_: Any) -> None:
    """Report the sandbox of this machine, unless this worker starts no bots and its container may lack a sandbox."""
    from bots.machines import tell_beside  # models are there only now

    if "validations" in current_app.amqp.queues.consume_from:
        tell_beside()
