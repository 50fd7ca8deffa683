"""Matches as an Atom feed (RFC 4287): of a bot, or of a ladder, for readers that nobody has signed in.

Only what everybody may know: matches on ladders that are not private, whose block has ended. The id of an entry never
changes, and its text only where names do or the result is taken back. Feeds are in the language of the site.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import translation
from django.utils.cache import get_conditional_response
from django.utils.feedgenerator import Atom1Feed
from django.utils.http import http_date, quote_etag

from bots.models import Bot
from games.registry import GAMES
from games.words import listing
from ladder.models import Ladder, Match, Seat
from ladder.openness import opened
from ladder.pages.matches import by_rank, listed, names, reached, result_of, seat_of
from ladder.pages.players import player_address
from ladder.pages.seeing import matches_seen_by, with_seats_of
from ladder.pages.words import sentence, visible

ENTRIES: Final = 30
"""The newest matches of a feed."""


class _Feed(Atom1Feed):
    """Django's feed, which takes the moment of asking for the last change where it has no entry."""

    def __init__(self, title: str, address: str, feed_address: str, began: datetime) -> None:
        super().__init__(
            title=title,
            link=_absolute(address),
            description="",
            feed_url=_absolute(feed_address),
            feed_guid=_absolute(feed_address),
            language=settings.LANGUAGE_CODE,
        )
        self.began = began

    def latest_post_date(self) -> datetime:
        return max((item["updateddate"] for item in self.items), default=self.began)


def bot_feed(request: HttpRequest, bot: Bot) -> HttpResponse:
    """The last matches of ``bot``; three queries."""
    its = with_seats_of(_public(), bot.versions.all())
    title = f"Matches of {visible(bot.name)} on {settings.SITE_NAME}"
    address = player_address(bot)
    feed = _Feed(title, address, reverse("pages:bot_feed", args=[bot.slug]), bot.created)
    return _answer(request, feed, its, bot)


def ladder_feed(request: HttpRequest, ladder: Ladder) -> HttpResponse:
    """The last matches of ``ladder``, none if it is private; three queries."""
    title = f"Matches of {visible(ladder.name)} on {settings.SITE_NAME}"
    address = reverse("pages:ladder", args=[ladder.slug])
    feed = _Feed(title, address, reverse("pages:ladder_feed", args=[ladder.slug]), ladder.created)
    return _answer(request, feed, _public().filter(ladder=ladder), None)


def _public() -> QuerySet[Match]:
    """What everybody may know of, the newest block first; a block's games stand in the order of their seatings."""
    seen = matches_seen_by(AnonymousUser()).filter(opened("block"), result__isnull=False)
    return listed(seen).select_related("ladder", "block").order_by("-block__ended", "-block", "seating")


def _answer(request: HttpRequest, feed: _Feed, matches: QuerySet[Match], bot: Bot | None) -> HttpResponse:
    """The feed of the newest ``matches``; 304 for whoever has it already."""
    with translation.override(settings.LANGUAGE_CODE):  # it is kept for everybody, whatever its reader has chosen
        for match in matches[:ENTRIES]:
            _add(feed, match, bot)
    text = feed.writeString("utf-8")
    changed = feed.latest_post_date()
    etag = quote_etag(sha256(text.encode()).hexdigest()[:32])
    response = HttpResponse(text, content_type="application/atom+xml; charset=utf-8")
    response.headers["ETag"] = etag
    response.headers["Last-Modified"] = http_date(changed.timestamp())
    response.headers["Cache-Control"] = "public, max-age=60"
    answer = get_conditional_response(request, etag, int(changed.timestamp()), response)
    return response if answer is None else answer


def _add(feed: _Feed, match: Match, bot: Bot | None) -> None:
    seats = by_rank(match)
    ended = match.block.ended
    assert ended is not None
    address = _absolute(reverse("pages:match", args=[match.pk]))
    feed.add_item(
        title=_title(match, seats, bot),
        link=address,
        description=_result(match, seats),
        unique_id=f"tag:{urlsplit(settings.SITE_URL).hostname},2026:match/{match.pk}",
        pubdate=match.ended,
        updateddate=ended,
        categories=(match.ladder.name,),
    )


def _title(match: Match, seats: Sequence[Seat], bot: Bot | None) -> str:
    """Where the bot came in, or who sat there for a ladder's feed."""
    if match.status != Match.Status.FINISHED:
        return f"Match {match.pk} on {match.ladder.name}: taken back"
    if bot is None:
        return f"Match {match.pk}: {visible(listing(_names(match)))}"
    rank = _rank(seat_of(match, bot))
    return f"Match {match.pk} on {match.ladder.name}: {visible(bot.name)} rank {rank} of {len(seats)}"


def _result(match: Match, seats: Sequence[Seat]) -> str:
    """Who reached what, the winner first, in words; or why it does not count any more."""
    if match.status != Match.Status.FINISHED:
        return f"{match.ladder.name}. This result does not count. {sentence(visible(match.reason))}"
    by_seat = dict(zip((seat.pk for seat in match.seats.all()), _names(match), strict=True))
    heading = GAMES[match.ladder.game].score_columns()[0].heading
    rows = [f"{_rank(seat)}. {visible(by_seat[seat.pk])}: {reached(match, seat)}" for seat in seats]
    return f"{match.ladder.name} ({heading}). {'; '.join(rows)}."


def _rank(seat: Seat) -> str:
    result = result_of(seat)
    return str(result.rank) if result else "–"


def _names(match: Match) -> list[str]:
    return names(list(match.seats.all()))


def _absolute(address: str) -> str:
    return f"{settings.SITE_URL}{address}"
