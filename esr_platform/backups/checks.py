"""Verify a restored site: ratings, records, deals, cups and the integrity of every ladder."""

from __future__ import annotations

from collections.abc import Iterator

from ladder.cups.verification import faults
from ladder.ledger.integrity import integrity_report
from ladder.ledger.rebuild import rerate
from ladder.models import Cup, Ladder, Season
from ladder.verification.ladders import verify_deals


def verified() -> Iterator[tuple[str, list[str]]]:
    """Verify everything that can be verified without playing the games again.

    Yields what was verified, and its faults, as sentences.
    """
    rebuilds = rerate(check=True, records=True)
    wrong = [f"{rebuild.ladder}: {difference}" for rebuild in rebuilds for difference in rebuild.differences]
    yield f"ratings and records of {sum(rebuild.results for rebuild in rebuilds)} results", wrong
    deals, wrong = 0, []
    for season in Season.objects.select_related("ladder").order_by("pk"):
        for checked in verify_deals(season):
            deals += checked.number
            wrong.extend(f"{season}: {fault}" for fault in checked.faults)
    yield f"{deals} deals of seasons", wrong
    cups = [cup for cup in Cup.objects.select_related("ladder").order_by("pk") if cup.public_key is not None]
    yield f"the ledgers of {len(cups)} cups", [f"{cup.title}: {fault}" for cup in cups for fault in faults(cup)]
    ladders = list(Ladder.objects.order_by("pk"))
    reports = [(ladder, violation) for ladder in ladders for violation in integrity_report(ladder).violations]
    wrong = [f"{ladder}: {violation.title}. {violation.problem}" for ladder, violation in reports]
    yield f"the integrity reports of {len(ladders)} ladders", wrong
