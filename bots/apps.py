from __future__ import annotations

from celery.signals import worker_process_init
from django.apps import AppConfig


class BotsConfig(AppConfig):
    name = "bots"

    def ready(self) -> None:
        from bots.machines import tell_beside  # models are there only now

        worker_process_init.connect(tell_beside, dispatch_uid="bots.machines")
