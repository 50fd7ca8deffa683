"""Seats that somebody has sent a link to, for whoever opens it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.db.models.functions import Now

from ladder.models import Ladder, Seek
from ladder.models.ladders import Viewer
from ladder.pages.lobby.showing import Offer, offer, ratings_of, with_players

_LONGEST: Final = 43


@dataclass(frozen=True)
class LinkPage:
    """``sits`` says that the viewer has a seat already; ``open`` that seats are still to be had."""

    offer: Offer
    sits: bool
    open: bool

    @property
    def match_id(self) -> int | None:
        """The game, once it has begun."""
        return self.offer.seek.match_id


def link_page(viewer: Viewer, token: str) -> LinkPage | None:
    """What stands behind a link, for ``viewer``; ``None`` where nothing does. Four queries."""
    if not token or len(token) > _LONGEST or not token.isascii() or "\0" in token:
        return None
    seen = Seek.objects.filter(token=token, ladder__in=Ladder.objects.visible_to(viewer))
    seek = with_players(seen).first()
    if seek is None:
        return None
    still_open = Seek.objects.filter(pk=seek.pk, state=Seek.State.OPEN, expires__gt=Now()).exists()
    sits = viewer.pk is not None and any(player.bot.owner_id == viewer.pk for player in seek.players.all())
    return LinkPage(offer(seek, ratings_of([seek]), False, ""), sits, still_open)
