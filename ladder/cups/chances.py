"""Stored forecasts of open cups: chances to win and durations.

A worker computes them, never a request. A forecast is computed again when the entrants or the results have changed, and
before the start also when its duration is old.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from time import perf_counter
from typing import Any, Final

from django.db.models import F, Max
from django.utils import timezone

from bots.models import BotVersion
from ladder.cups import proof
from ladder.cups.durations import pace_of
from ladder.cups.forecast import Skill, forecast, planned_tables, skills_on, worth_on
from ladder.cups.formats import Plan
from ladder.cups.progress import plan_from, played_from
from ladder.matches.blocks import KEY_BYTES
from ladder.models import Cup, CupEntry, CupForecast, Membership
from ladder.pairings.rounds import Entrants, PlayedRound
from ladder.ratings.chain import canonical

BUDGET_S: Final = 3.0
"""After this time, a call begins no further forecast. One forecast takes up to 4 s."""

OLD: Final = timedelta(minutes=10)
"""The age at which a forecast before the start is computed again, because the throughput changes."""

_UNKNOWN: Final[dict[str, Any]] = {
    "chances": [],
    "best": None,
    "simulations": 0,
    "tables": [],
    "round_s": None,
    "full_s": None,
}

logger = logging.getLogger(__name__)


def forecast_due() -> int:
    """Compute the forecasts of open cups that are due, oldest first, and return their number."""
    until, count = perf_counter() + BUDGET_S, 0
    open_cups = Cup.objects.filter(state__in=Cup.OPEN).select_related("ladder")
    oldest_first = open_cups.annotate(last=Max("forecasts__computed")).order_by(F("last").asc(nulls_first=True), "pk")
    for cup in oldest_first:
        if perf_counter() > until:
            break
        try:
            state = _state_of(cup)
            if state.is_due():
                _store(state)
                count += 1
        except Exception:  # the other cups must not wait for this one
            logger.exception("no forecast of cup %s", cup.pk)
    return count


@dataclass(frozen=True)
class _State:
    """The entries of a cup that count now, with their versions, and the entries of its ledger that count."""

    cup: Cup
    entries: Sequence[CupEntry]
    versions: Sequence[int]
    ledger: Sequence[tuple[str, Any]]
    played: Sequence[PlayedRound]

    @property
    def basis(self) -> str:
        """A hash of everything that the chances follow from, except for the estimated skills."""
        listed = [[one.pk, version, one.state] for one, version in zip(self.entries, self.versions, strict=True)]
        return sha256(canonical([listed, len(self.ledger)])).hexdigest()

    def is_due(self) -> bool:
        last = CupForecast.objects.filter(cup=self.cup, rounds=len(self.played)).first()
        if last is None or last.basis != self.basis:
            return True
        return self.cup.state != Cup.State.RUNNING and last.computed < timezone.now() - OLD


def _state_of(cup: Cup) -> _State:
    entries = CupEntry.objects.filter(cup=cup).select_related("bot").order_by("number", "pk")
    if cup.entrants_hash:
        frozen = list(entries.filter(number__isnull=False))
        ledger = proof.course(cup)
        return _State(cup, frozen, [one.version_id or 0 for one in frozen], ledger, played_from(ledger))
    waiting = list(entries.filter(state=CupEntry.State.ENTERED))
    active = BotVersion.objects.filter(bot__in=[one.bot_id for one in waiting], active=True)
    version_of = dict(active.values_list("bot", "pk"))
    ratings = dict(Membership.objects.filter(ladder=cup.ladder_id, bot__in=version_of).values_list("bot", "rating"))
    ready = sorted((one for one in waiting if one.bot_id in version_of), key=lambda one: -ratings.get(one.bot_id, 0))
    return _State(cup, ready, [version_of[one.bot_id] for one in ready], (), ())


def _plan(state: _State) -> Plan | None:
    """The plan of a frozen cup, or one with the bots that are entered; ``None`` if they are too few."""
    frozen = proof.entrant_list(state.ledger)
    if frozen is not None:
        return plan_from(frozen, bytes(state.cup.key))
    owners = tuple(one.bot.owner_id for one in state.entries)
    return _of_size(state.cup, owners) if len(owners) >= max(2, state.cup.ladder.seats) else None


def _of_size(cup: Cup, owners: tuple[int | None, ...]) -> Plan:
    """A plan whose lots and draw do not matter."""
    entrants = Entrants(owners, cup.at_a_table)
    return Plan(Cup.Format(cup.format), cup.ladder.seats, entrants, bytes(KEY_BYTES), "", cup.rounds)


def _store(state: _State) -> None:
    cup, plan = state.cup, _plan(state)
    values: dict[str, Any] = {"basis": state.basis, "computed": timezone.now(), **_UNKNOWN}
    pace = pace_of(cup)
    if not cup.entrants_hash:
        full = _of_size(cup, (None,) * cup.capacity)
        values["full_s"] = pace and sum(pace.rounds_s(full, (), (), cup.blocks))
    if plan is not None:
        bots = [one.bot_id for one in state.entries]
        skills = skills_on(cup.ladder_id, list(zip(state.versions, bots, strict=True)))
        left = {place: one.state for place, one in enumerate(state.entries) if one.state != CupEntry.State.ENTERED}
        values |= _chances(state, plan, skills, left)
        values["tables"] = planned_tables(plan)[len(state.played) :]
        values["round_s"] = pace and pace.rounds_s(plan, bots, skills, cup.blocks, state.played, left)
    CupForecast.objects.update_or_create(cup=cup, rounds=len(state.played), defaults=values)


def _chances(state: _State, plan: Plan, skills: Sequence[Skill], left: Mapping[int, str]) -> dict[str, Any]:
    worth, seed = worth_on(state.cup.ladder_id), int(state.basis[:8], 16)
    found = forecast(plan, skills, state.cup.blocks, seed, state.played, left, worth)
    if found is None:
        return {}
    chances = [[one.pk, chance] for one, chance in zip(state.entries, found.chances, strict=True) if chance]
    return {"chances": chances, "best": found.best, "simulations": found.simulations}
