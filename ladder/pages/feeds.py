"""Public Atom feeds (RFC 4287) of the matches of a bot, and of the matches and seasons of a ladder.

They contain only public data: ladders that are not private, and matches whose block has ended. The id of an entry never
changes. Its text changes only if names do or the result is voided. Feeds are in the language of the site.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import translation
from django.utils.cache import get_conditional_response
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.utils.http import http_date, quote_etag
from django.views.decorators.http import require_safe

from bots.models import Bot
from games.registry import GAMES
from games.words import listing
from ladder.access import bot_seen_by, ladder_seen_by, matches_seen_by, with_seats_of
from ladder.matches.public_results import by_rank, result_of
from ladder.models import FinalStanding, Ladder, Match, Season, Seat
from ladder.openness import opened
from ladder.pages.components.people import player_address
from ladder.pages.components.words import points, sentence, visible
from ladder.pages.matches import listed, names, reached, seat_of

ENTRIES: Final = 30
"""Maximum number of entries in a feed."""

PUBLIC: Final = "public, max-age=60"
_Entry = dict[str, Any]
"""The arguments of ``AtomFeed.add_item``."""


class AtomFeed(Atom1Feed):
    """Django's Atom feed, except that a feed without entries was last updated when it ``began``."""

    def __init__(self, title: str, address: str, feed_address: str, began: datetime) -> None:
        super().__init__(
            title=title,
            link=absolute(address),
            description="",
            feed_url=absolute(feed_address),
            feed_guid=absolute(feed_address),
            language=settings.LANGUAGE_CODE,
        )
        self.began = began

    def add_item(self, title: str, link: str, description: str, *args: Any, **kwargs: Any) -> None:
        """Add an entry. ``description`` is plain text, and Atom1Feed writes HTML."""
        super().add_item(title, link, escape(description), *args, **kwargs)

    def latest_post_date(self) -> datetime:
        return max((item["updateddate"] for item in self.items), default=self.began)


@require_safe
def bot_feed(request: HttpRequest, slug: str) -> HttpResponse:
    """The latest matches of a bot, the same for every reader, in four queries."""
    bot = bot_seen_by(AnonymousUser(), slug)
    matches = with_seats_of(_public(), bot.versions.all())
    title = f"Matches of {visible(bot.name)} on {settings.SITE_NAME}"
    feed = AtomFeed(title, player_address(bot), reverse("pages:bot_feed", args=[bot.slug]), bot.created)
    with translation.override(settings.LANGUAGE_CODE):
        return _response(request, feed, [_match_entry(match, bot) for match in matches[:ENTRIES]])


@require_safe
def ladder_feed(request: HttpRequest, slug: str) -> HttpResponse:
    """The latest matches and season ends of a ladder, the same for every reader, in six queries."""
    ladder = ladder_seen_by(AnonymousUser(), slug)
    title = f"Matches of {visible(ladder.name)} on {settings.SITE_NAME}"
    address = reverse("pages:ladder", args=[ladder.slug])
    feed = AtomFeed(title, address, reverse("pages:ladder_feed", args=[ladder.slug]), ladder.created)
    with translation.override(settings.LANGUAGE_CODE):
        entries = [_match_entry(match, None) for match in _public().filter(ladder=ladder)[:ENTRIES]]
        entries += [_season_entry(season) for season in _closed().filter(ladder=ladder)[:ENTRIES]]
        return _response(request, feed, entries)


def _public() -> QuerySet[Match]:
    """Public matches, newest block first, in the order of seatings within a block."""
    seen = matches_seen_by(AnonymousUser()).filter(opened("block"), result__isnull=False)
    return listed(seen).select_related("ladder", "block").order_by("-block__ended", "-block", "seating")


def _closed() -> QuerySet[Season]:
    """Closed seasons of public ladders, newest first, with only the winners in ``final_standings``."""
    winners = FinalStanding.objects.winners().select_related("membership__bot")
    seasons = Season.objects.filter(closed__isnull=False, ladder__in=Ladder.objects.visible_to(AnonymousUser()))
    shown = seasons.select_related("ladder").prefetch_related(Prefetch("final_standings", queryset=winners))
    return shown.order_by("-closed", "-pk")


def _response(request: HttpRequest, feed: AtomFeed, entries: Sequence[_Entry]) -> HttpResponse:
    """The response with the newest ``entries``. Simultaneous entries keep their order."""
    for entry in sorted(entries, key=lambda entry: entry["updateddate"], reverse=True)[:ENTRIES]:
        feed.add_item(**entry)
    return respond(request, feed, PUBLIC)


def respond(request: HttpRequest, feed: AtomFeed, cache_control: str) -> HttpResponse:
    """``feed`` as a response, or status 304 if the reader has the current version."""
    text = feed.writeString("utf-8")
    changed = feed.latest_post_date()
    etag = quote_etag(sha256(text.encode()).hexdigest()[:32])
    response = HttpResponse(text, content_type="application/atom+xml; charset=utf-8")
    response.headers["ETag"] = etag
    response.headers["Last-Modified"] = http_date(changed.timestamp())
    response.headers["Cache-Control"] = cache_control
    answer = get_conditional_response(request, etag, int(changed.timestamp()), response)
    return response if answer is None else answer


def tag(name: str) -> str:
    """The id of an entry, a tag URI (RFC 4151)."""
    return f"tag:{urlsplit(settings.SITE_URL).hostname},2026:{name}"


def _match_entry(match: Match, bot: Bot | None) -> _Entry:
    seats = by_rank(match)
    ended = match.block.ended
    assert ended is not None
    return {
        "title": _title(match, seats, bot),
        "link": absolute(reverse("pages:match", args=[match.pk])),
        "description": _result(match, seats),
        "unique_id": tag(f"match/{match.pk}"),
        "pubdate": match.ended,
        "updateddate": ended,
        "categories": (match.ladder.name,),
    }


def _season_entry(season: Season) -> _Entry:
    ladder, winners = season.ladder, list(season.final_standings.all())
    names = listing([winner.membership.bot.name for winner in winners])
    won = f"Winner: {visible(names)}, rating {points(winners[0].rating)}." if winners else "No rated matches."
    return {
        "title": f"Season {season.number} of {visible(ladder.name)} ended",
        "link": absolute(reverse("pages:season", args=[ladder.slug, season.number])),
        "description": f"{visible(ladder.name)}, season {season.number}. {won}",
        "unique_id": tag(f"season/{season.pk}"),
        "pubdate": season.closed,
        "updateddate": season.closed,
        "categories": (ladder.name,),
    }


def _title(match: Match, seats: Sequence[Seat], bot: Bot | None) -> str:
    """The rank of the bot, or the players for the feed of a ladder."""
    if match.status != Match.Status.FINISHED:
        return f"Match {match.pk} on {match.ladder.name}: result voided"
    if bot is None:
        return f"Match {match.pk}: {visible(listing(_names(match)))}"
    rank = _rank(seat_of(match, bot))
    return f"Match {match.pk} on {match.ladder.name}: {visible(bot.name)} finished {rank} of {len(seats)}"


def _result(match: Match, seats: Sequence[Seat]) -> str:
    """The ranks and scores, winner first, or the reason why the result was voided."""
    if match.status != Match.Status.FINISHED:
        return f"{match.ladder.name}. The result was voided. {sentence(visible(match.reason))}"
    by_seat = dict(zip((seat.pk for seat in match.seats.all()), _names(match), strict=True))
    heading = GAMES[match.ladder.game].presentation.score_columns[0].heading
    rows = [_row(match, seat, by_seat[seat.pk]) for seat in seats]
    return f"{match.ladder.name} ({heading}). {'; '.join(rows)}."


def _row(match: Match, seat: Seat, name: str) -> str:
    """``1. ada: 143``, or ``1. ada`` if the game ended early and has no scores."""
    score = reached(match, seat)
    return f"{_rank(seat)}. {visible(name)}" + (f": {score}" if score else "")


def _rank(seat: Seat) -> str:
    result = result_of(seat)
    return str(result.rank) if result else "–"


def _names(match: Match) -> list[str]:
    return names(list(match.seats.all()))


def absolute(address: str) -> str:
    """``address``, a path, as a URL."""
    return f"{settings.SITE_URL}{address}"
