"""Hints for people who are in the lobby, on the channel of the tables (``ladder.tables.telling``).

``{"match": null, "bots": [], "people": [4], "what": "lobby", "in_ms": 0}``. ``what`` is ``lobby`` (what is on offer has
changed, for everybody), ``found`` (the game ``match`` of ``people`` begins) or ``challenge`` (``people`` were asked
something, or have an answer). ``people`` are ids of accounts. A hint may be lost or come twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from ladder.models import Match, Seat
from ladder.tables.telling import publish

What = Literal["lobby", "found", "challenge"]


def tell_lobby() -> None:
    """Tell everybody in the lobby that it has changed, once the transaction is committed."""
    _tell("lobby")


def tell_found(match: Match) -> None:
    """Tell the people who sit at ``match`` that their game begins, and the lobby that it has changed."""
    seated = Seat.objects.filter(match=match, version__bot__kind="person", version__bot__owner__isnull=False)
    _tell("found", seated.values_list("version__bot__owner", flat=True), match.pk)
    tell_lobby()


def tell_asked(people: Iterable[int]) -> None:
    """Tell these people that a challenge has come, or what became of one."""
    _tell("challenge", people)


def _tell(what: What, people: Iterable[int] = (), match_id: int | None = None) -> None:
    publish({"match": match_id, "bots": [], "people": sorted(people), "what": what, "in_ms": 0})
