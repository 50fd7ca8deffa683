"""How the sandbox stands on every machine, for staff, with what to do where it does not hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from bots.models import Machine
from bots.sandbox import remedies
from bots.waiting import waiting
from ladder.pages.staff import for_staff

REMEDIES = (
    (_("bubblewrap is missing or too old"), remedies.INSTALL),
    (_("Ubuntu 24.04 and newer: AppArmor"), remedies.APPARMOR),
    (_("Docker and other containers: seccomp"), remedies.DOCKER),
    (_("A kernel without namespaces for ordinary users"), remedies.SYSCTL),
    (_("Workers that run as root"), remedies.ROOT),
    (_("The bots' interpreter"), remedies.PYTHON),
    (_("Rated games: bots' files in memory"), remedies.MEMORY),
)
"""What is known to go wrong, and what helps; the same sentences that a machine says of itself."""


@dataclass(frozen=True)
class MachineRow:
    """A machine with what its last self-test found (``bots.sandbox.status``)."""

    machine: Machine

    @property
    def found(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.machine.sandbox
        return found

    @property
    def failed(self) -> Sequence[Mapping[str, Any]]:
        """The properties that do not hold."""
        return [check for check in self.found["checks"] if check["problem"]]

    @property
    def versions(self) -> list[tuple[str, str]]:
        """What the sandbox is made of there."""
        named = [(name, str(self.found[name])) for name in ("kernel", "bubblewrap", "python", "numpy")]
        seats = gettext("a user of its own") if self.found["users"] else gettext("the worker's own user")
        return [*((name, version or "–") for name, version in named), (gettext("a seat runs as"), seats)]


@require_safe
@for_staff
def sandboxes(request: HttpRequest) -> HttpResponse:
    context = {
        "machines": [MachineRow(machine) for machine in Machine.objects.order_by("host")],
        "remedies": REMEDIES,
        "waiting": waiting().count(),
    }
    return render(request, "pages/sandboxes.html", context)
