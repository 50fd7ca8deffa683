"""Notifications of an account: the events that the daily email and the private feed have in common, and the feed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import groupby
from typing import Any, Final

from django.conf import settings
from django.core.signing import BadSignature, Signer
from django.db.models import F, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Now
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone, translation

from bots.models import Bot, BotVersion
from esr_platform.accounts.demo import may_act
from esr_platform.accounts.models import User
from games.words import listing
from ladder.exhibitions.requests import CANCELLED_BY
from ladder.models import Agreement, Exhibition, FinalStanding, Ladder
from ladder.pages.components.words import day, points, sentence, visible
from ladder.pages.exhibitions import listed_players, title
from ladder.pages.feeds import ENTRIES, Feed, respond, tag
from ladder.ratings.sprt import Verdict

# --- Events ----------------------------------------------------------------------------------------------------------
#
# Nothing is queued. News are read from the rows that they are about, so a process that dies loses none of them. News
# that no longer matter, such as an invitation that has been answered, disappear with the state of their row.

_ENDED: Final = (Exhibition.State.FINISHED, Exhibition.State.CANCELLED)
_WORDS: Final = {
    Exhibition.Kind.TEST: "test",
    Exhibition.Kind.CHALLENGE: "challenge",
    Exhibition.Kind.COMPARISON: "version comparison",
    Exhibition.Kind.SCHEDULED: "scheduled match",
}
_VERDICTS: Final = {
    Verdict.BETTER.value: "Yes, it is better.",
    Verdict.NOT_BETTER.value: "No, it is not better by the margin.",
    Verdict.OPEN.value: "The blocks were not enough to decide.",
}


class Kind(StrEnum):
    """What news are about. The values are part of the ids of feed entries, so they never change."""

    VERSION_REJECTED = "version-rejected"
    BOT_PAUSED = "bot-paused"
    INVITATION = "invitation"
    EXHIBITION_MATCH = "exhibition-match"
    SEASON_ENDED = "season-ended"


@dataclass(frozen=True)
class News:
    """An event that concerns a person. ``headline`` is short, without a period; ``path`` is the page with more.

    ``key`` tells events of one kind apart.
    """

    kind: Kind
    key: str
    moment: datetime
    headline: str
    sentence: str
    path: str

    @property
    def url(self) -> str:
        return f"{settings.SITE_URL}{self.path}"


@dataclass(frozen=True)
class _Source:
    """Rows that news are about. ``person``, ``moment`` and ``ladder`` are lookups that start at a row.

    The person must be allowed to see the ladder, if there is one.
    """

    rows: Callable[[], QuerySet[Any]]
    person: str
    moment: str
    ladder: str | None
    tell: Callable[[User, Sequence[Any]], Iterator[News]]

    def between(self, since: datetime, until: datetime) -> QuerySet[Any]:
        return self.rows().filter(**{f"{self.moment}__gt": since, f"{self.moment}__lte": until})


def news_of(person: User, since: datetime, until: datetime) -> list[News]:
    """All news of ``person`` after ``since``, up to and including ``until``, oldest first. In the site's language."""
    found: list[News] = []
    with translation.override(settings.LANGUAGE_CODE):
        for source in _SOURCES:
            rows = source.between(since, until).filter(**{source.person: person})
            if source.ladder is not None:
                rows = rows.filter(**{f"{source.ladder}__in": Ladder.objects.visible_to(person)})
            found += source.tell(person, list(rows.order_by(source.moment, "pk")))
    return sorted(found, key=lambda one: one.moment)


def may_have_news(since: datetime, until: datetime) -> Q:
    """Select users for whom ``news_of`` may return something that no email has told them yet.

    Whether a person may see a ladder is left to ``news_of``.
    """
    found = Q()
    for source in _SOURCES:
        told = Coalesce(f"{source.person}__told_until", f"{source.person}__date_joined")
        found |= Q(pk__in=source.between(since, until).filter(**{f"{source.moment}__gt": told}).values(source.person))
    return found


def _rejected() -> QuerySet[BotVersion]:
    """Rejected versions that are the newest of their bot. An owner who has uploaded another one knows."""
    newest = BotVersion.objects.filter(bot=OuterRef("bot")).order_by("-number").values("pk")[:1]
    rejected = BotVersion.objects.filter(pk=Subquery(newest), state=BotVersion.State.REFUSED, bot__retired=None)
    return rejected.select_related("bot").defer("check_report")


def _paused() -> QuerySet[Bot]:
    return Bot.objects.filter(paused__isnull=False, retired=None)


def _invitations() -> QuerySet[Agreement]:
    """Invitations that can still be accepted and have no answer yet."""
    return _with_exhibitions(
        Agreement.objects.filter(agreed=None, exhibition__state=Exhibition.State.INVITED, exhibition__due_at__gt=Now())
    )


def _requested() -> QuerySet[Exhibition]:
    """Exhibition matches that have ended, for the person who requested them."""
    shown = Exhibition.objects.filter(state__in=_ENDED).select_related("ladder", "requested_by")
    return shown.prefetch_related(Prefetch("players", listed_players()))


def _accepted() -> QuerySet[Agreement]:
    """Exhibition matches that have ended, for the people who accepted them."""
    return _with_exhibitions(Agreement.objects.filter(agreed=True, exhibition__state__in=_ENDED))


def _final_standings() -> QuerySet[FinalStanding]:
    """Final standings of bots and people."""
    return FinalStanding.objects.select_related("season__ladder", "membership__bot")


def _with_exhibitions(agreements: QuerySet[Agreement]) -> QuerySet[Agreement]:
    shown = agreements.select_related("exhibition__ladder", "exhibition__requested_by")
    return shown.prefetch_related(Prefetch("exhibition__players", listed_players()))


def _tell_rejections(_: User, versions: Sequence[BotVersion]) -> Iterator[News]:
    for version in versions:
        assert version.checked is not None
        name = f"{version.bot.name} v{version.number}"
        yield News(
            kind=Kind.VERSION_REJECTED,
            key=str(version.pk),
            moment=version.checked,
            headline=_line(f"your bot {name} was rejected"),
            sentence=visible(f"{name} was rejected. {version.reason}"),
            path=reverse("pages:bot", args=[version.bot.slug]),
        )


def _tell_pauses(_: User, bots: Sequence[Bot]) -> Iterator[News]:
    for bot in bots:
        assert bot.paused is not None
        yield News(
            kind=Kind.BOT_PAUSED,
            key=f"{bot.pk}-{bot.paused:%Y%m%dT%H%M%S}",
            moment=bot.paused,
            headline=_line(f"your bot {bot.name} was paused"),
            sentence=visible(f"{bot.name} was paused. {bot.pause_reason} You can resume it on its page."),
            path=reverse("pages:bot", args=[bot.slug]),
        )


def _tell_invitations(_: User, agreements: Sequence[Agreement]) -> Iterator[News]:
    for exhibition in (agreement.exhibition for agreement in agreements):
        assert exhibition.due_at is not None
        by, when = exhibition.requested_by.username, f"{day(exhibition.due_at)}, {exhibition.due_at:%H:%M} UTC"
        yield News(
            kind=Kind.INVITATION,
            key=str(exhibition.pk),
            moment=exhibition.created,
            headline=_line(f"invitation to a match on {exhibition.ladder.name}"),
            sentence=visible(
                f"{by} invites you to a scheduled match on {exhibition.ladder.name}: {_title(exhibition)}"
                f" It starts on {when}."
                " Accept or decline the invitation before then."
            ),
            path=reverse("pages:exhibition", args=[exhibition.pk]),
        )


def _tell_accepted(person: User, agreements: Sequence[Agreement]) -> Iterator[News]:
    return _tell_ended(person, [agreement.exhibition for agreement in agreements])


def _tell_ended(person: User, exhibitions: Sequence[Exhibition]) -> Iterator[News]:
    for exhibition in exhibitions:
        if exhibition.reason == CANCELLED_BY.format(person.username):
            continue  # The person canceled it and knows.
        assert exhibition.ended is not None
        name = f"{_WORDS[Exhibition.Kind(exhibition.kind)]} on {exhibition.ladder.name}"
        result = "finished" if exhibition.state == Exhibition.State.FINISHED else "was canceled"
        said = exhibition.reason or _VERDICTS.get(exhibition.verdict, "")
        yield News(
            kind=Kind.EXHIBITION_MATCH,
            key=str(exhibition.pk),
            moment=exhibition.ended,
            headline=_line(f"your {name} {result}"),
            sentence=visible(f"Your {name} {result}: {_title(exhibition)} {said}".rstrip()),
            path=reverse("pages:exhibition", args=[exhibition.pk]),
        )


def _tell_seasons(_: User, standings: Sequence[FinalStanding]) -> Iterator[News]:
    for season, rows in groupby(sorted(standings, key=lambda row: (row.season_id, row.rank)), lambda row: row.season):
        assert season.closed is not None
        name = f"season {season.number} of {season.ladder.name}"
        own = [f"{row.membership.bot.name} is rank {row.rank} with {points(row.rating)} points" for row in rows]
        yield News(
            kind=Kind.SEASON_ENDED,
            key=str(season.pk),
            moment=season.closed,
            headline=_line(f"{name} ended"),
            sentence=visible(f"{sentence(f'{name} ended')} {listing(own)}."),
            path=reverse("pages:season", args=[season.ladder.slug, season.number]),
        )


def _title(exhibition: Exhibition) -> str:
    """Who plays, with a period; of a version comparison the question."""
    text = title(exhibition, [player.version for player in exhibition.players.all()])
    return text if text.endswith("?") else f"{text}."


def _line(text: str) -> str:
    """``text`` on one line, as the subject of an email needs it."""
    return " ".join(visible(text).split())


_SOURCES: Final = (
    _Source(_rejected, "bot__owner", "checked", None, _tell_rejections),
    _Source(_paused, "owner", "paused", None, _tell_pauses),
    _Source(_invitations, "person", "exhibition__created", "exhibition__ladder", _tell_invitations),
    _Source(_requested, "requested_by", "ended", "ladder", _tell_ended),
    _Source(_accepted, "person", "exhibition__ended", "exhibition__ladder", _tell_accepted),
    _Source(_final_standings, "membership__bot__owner", "season__closed", "season__ladder", _tell_seasons),
)


# --- The feed --------------------------------------------------------------------------------------------------------
#
# Feed readers cannot sign in, so the URL itself gives access. It is signed and bound to two counters of the account:
# ``feed_epoch``, which the person raises to get another URL, and ``session_epoch``, which also ends all sessions.

WINDOW: Final = timedelta(days=30)
"""The feed shows news of this time."""

PRIVATE: Final = "private, no-store"
_SIGNER: Final = Signer(salt="esr.accounts.feed")


def path_of(person: User) -> str:
    """The path of the feed of ``person``. Anyone who has the path can read the feed."""
    signed = _SIGNER.sign(f"{person.pk}-{person.session_epoch}-{person.feed_epoch}")
    return reverse("accounts:feed", args=[signed])


def person_at(signed: str) -> User | None:
    """The person whose feed has this signed value; ``None`` if it is invalid, replaced, or the account is closed."""
    try:
        pk, session_epoch, feed_epoch = map(int, _SIGNER.unsign(signed).split("-"))
    except (BadSignature, ValueError):
        return None
    opened = User.objects.filter(is_active=True, session_epoch=session_epoch, feed_epoch=feed_epoch)
    person = opened.filter(pk=pk).first()
    return person if person is not None and may_act(person) else None


def replace_url(person: User) -> None:
    """Replace the feed URL of ``person`` by a new one; the old URL ends."""
    User.objects.filter(pk=person.pk).update(feed_epoch=F("feed_epoch") + 1)


def person_feed(request: HttpRequest, person: User) -> HttpResponse:
    """The newest news of ``person``, in at most nine queries."""
    now = timezone.now()
    title = f"{person.username} on {settings.SITE_NAME}"
    feed = Feed(title, reverse("accounts:account"), path_of(person), person.date_joined)
    for one in reversed(news_of(person, now - WINDOW, now)[-ENTRIES:]):
        feed.add_item(
            title=one.headline[:1].upper() + one.headline[1:],
            link=one.url,
            description=one.sentence,
            unique_id=tag(f"news/{one.kind}/{one.key}"),
            pubdate=one.moment,
            updateddate=one.moment,
            categories=(one.kind,),
        )
    return respond(request, feed, PRIVATE)
