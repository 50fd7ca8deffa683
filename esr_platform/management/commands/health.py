"""``manage.py health``: do all checks of ``/readyz`` and say what to do."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand

from esr_platform.health import HEALTH, State


class Command(BaseCommand):
    help = "Check the database, Redis, the scheduler and other parts of the site. Exit with 1 if a check fails."
    requires_system_checks = []

    def handle(self, **_: Any) -> None:
        findings = HEALTH.findings()
        for finding in findings:
            self.stdout.write(f"{finding.check.name:12}{finding.state:9}{finding.problem}".rstrip())
            if finding.state is State.FAILED:
                self.stdout.write(f"{'':21}{finding.check.remedy}")
        if any(finding.state is State.FAILED for finding in findings):
            sys.exit(1)
