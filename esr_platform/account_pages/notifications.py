"""Notifications of a user: the events for the digest email and the private feed, and the feed itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import groupby
from typing import Any, Final

from django.conf import settings
from django.core.signing import BadSignature, Signer
from django.db.models import BigIntegerField, Case, Exists, F, OuterRef, Prefetch, Q, QuerySet, Subquery, When
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Coalesce, Now
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone, translation

from bots.models import Bot, BotVersion
from bots.tournaments.rounds import Standing
from esr_platform.accounts.demo import may_act
from esr_platform.accounts.models import User
from games.words import listing
from ladder.cups.results import CupResults
from ladder.exhibitions.progress import listed_players
from ladder.models import (
    Agreement,
    Cup,
    CupEntry,
    CupLedgerEntry,
    CupRound,
    Exhibition,
    FinalStanding,
    Invitation,
    Ladder,
)
from ladder.pages.components.words import day, points, sentence, visible
from ladder.pages.exhibitions import title
from ladder.pages.feeds import ENTRIES, AtomFeed, respond, tag
from ladder.ratings.sprt import TestVerdict

# --- Events ----------------------------------------------------------------------------------------------------------
#
# Nothing is queued. News are read from the rows that they are about, so none is lost if a process dies. News that no
# longer matter, such as an answered invitation, disappear with the state of their row.

_ENDED: Final = (Exhibition.State.FINISHED, Exhibition.State.CANCELLED)
_WORDS: Final = {
    Exhibition.Kind.TEST: "test match",
    Exhibition.Kind.CHALLENGE: "challenge",
    Exhibition.Kind.COMPARISON: "version comparison",
    Exhibition.Kind.SCHEDULED: "scheduled match",
}
_VERDICTS: Final = {
    TestVerdict.BETTER.value: "Result: the candidate is better.",
    TestVerdict.NOT_BETTER.value: "Result: the candidate is not better by the margin.",
    TestVerdict.OPEN.value: "Result: undecided after the maximum number of blocks.",
}


class Kind(StrEnum):
    """The kind of event. The values are part of the ids of feed entries, so they never change."""

    VERSION_REJECTED = "version-rejected"
    BOT_PAUSED = "bot-paused"
    INVITATION = "invitation"
    LADDER_INVITATION = "ladder-invitation"
    EXHIBITION_MATCH = "exhibition-match"
    SEASON_ENDED = "season-ended"
    CUP_ENTRY_REJECTED = "cup-entry-rejected"
    CUP_MOVED = "cup-moved"
    CUP_STARTED = "cup-started"
    CUP_ROUND_ENDED = "cup-round-ended"
    CUP_FINISHED = "cup-finished"
    CUP_CANCELED = "cup-canceled"
    CUP_ENTRY_REMOVED = "cup-entry-removed"
    CUP_OPEN = "cup-open"
    CUP_ORGANIZER = "cup-organizer"


@dataclass(frozen=True)
class News:
    """An event for a user. ``headline`` is short and has no period; ``path`` is the path of the page about it.

    ``key`` identifies the event within its kind.
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

    News about a ladder are only for users who may see it.
    """

    rows: Callable[[], QuerySet[Any]]
    person: str
    moment: str
    ladder: str | None
    tell: Callable[[User, Sequence[Any]], Iterator[News]]

    def between(self, since: datetime, until: datetime) -> QuerySet[Any]:
        return self.rows().filter(**{f"{self.moment}__gt": since, f"{self.moment}__lte": until})


def news_of(person: User, since: datetime, until: datetime) -> list[News]:
    """News of ``person`` after ``since``, up to and including ``until``, oldest first, in the site's language."""
    news: list[News] = []
    with translation.override(settings.LANGUAGE_CODE):
        for source in _SOURCES:
            rows = source.between(since, until).filter(**{source.person: person})
            if source.ladder is not None:
                rows = rows.filter(**{f"{source.ladder}__in": Ladder.objects.visible_to(person)})
            news += source.tell(person, list(rows.order_by(source.moment, "pk")))
    return sorted(news, key=lambda item: item.moment)


def may_have_news(since: datetime, until: datetime) -> Q:
    """A filter for users who may have news that no digest contained yet. ``news_of`` checks who may see a ladder."""
    filters = Q()
    for source in _SOURCES:
        told_until = Coalesce(f"{source.person}__told_until", f"{source.person}__date_joined")
        filters |= Q(
            pk__in=source.between(since, until).filter(**{f"{source.moment}__gt": told_until}).values(source.person)
        )
    return filters


def _rejected() -> QuerySet[BotVersion]:
    """Rejected versions that are the newest of their bot. Owners who uploaded a newer version know already."""
    newest = BotVersion.objects.filter(bot=OuterRef("bot")).order_by("-number").values("pk")[:1]
    rejected = BotVersion.objects.filter(pk=Subquery(newest), state=BotVersion.State.REJECTED, bot__retired=None)
    return rejected.select_related("bot").defer("validation_report")


def _paused() -> QuerySet[Bot]:
    return Bot.objects.filter(paused__isnull=False, retired=None)


def _invitations() -> QuerySet[Agreement]:
    """Invitations that can be accepted and have not been answered."""
    return _with_exhibitions(
        Agreement.objects.filter(agreed=None, exhibition__state=Exhibition.State.INVITED, exhibition__due_at__gt=Now())
    )


def _ladder_invitations() -> QuerySet[Invitation]:
    """Invitations by username that have not been accepted."""
    return Invitation.objects.filter(agreed=None).select_related("ladder")


def _requested() -> QuerySet[Exhibition]:
    """Exhibition matches that have ended, for the users who requested them."""
    shown = Exhibition.objects.filter(state__in=_ENDED).select_related("ladder", "requested_by")
    return shown.prefetch_related(Prefetch("players", listed_players()))


def _accepted() -> QuerySet[Agreement]:
    """Exhibition matches that have ended, for the users who accepted them."""
    return _with_exhibitions(Agreement.objects.filter(agreed=True, exhibition__state__in=_ENDED))


def _final_standings() -> QuerySet[FinalStanding]:
    """Final standings of bots and people."""
    return FinalStanding.objects.select_related("season__ladder", "membership__bot")


def _with_exhibitions(agreements: QuerySet[Agreement]) -> QuerySet[Agreement]:
    shown = agreements.select_related("exhibition__ladder", "exhibition__requested_by")
    return shown.prefetch_related(Prefetch("exhibition__players", listed_players()))


def _tell_rejections(_: User, versions: Sequence[BotVersion]) -> Iterator[News]:
    for version in versions:
        assert version.validated is not None
        name = f"{version.bot.name} v{version.number}"
        yield News(
            kind=Kind.VERSION_REJECTED,
            key=str(version.pk),
            moment=version.validated,
            headline=_line(f"your bot {name} was rejected"),
            sentence=visible(f"Your bot {name} was rejected. {version.reason}"),
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
            sentence=visible(f"Your bot {bot.name} was paused. {bot.pause_reason} You can resume it on the bot page."),
            path=reverse("pages:bot", args=[bot.slug]),
        )


def _tell_invitations(_: User, agreements: Sequence[Agreement]) -> Iterator[News]:
    for exhibition in (agreement.exhibition for agreement in agreements):
        assert exhibition.due_at is not None
        by, when = exhibition.requested_by.username, _when(exhibition.due_at)
        yield News(
            kind=Kind.INVITATION,
            key=str(exhibition.pk),
            moment=exhibition.created,
            headline=_line(f"invitation to a match on {exhibition.ladder.name}"),
            sentence=visible(
                f"{by} invites you to a scheduled match on {exhibition.ladder.name}: {_title(exhibition)}"
                f" The match starts on {when}. Accept or decline the invitation before then."
            ),
            path=reverse("pages:exhibition", args=[exhibition.pk]),
        )


def _tell_ladder_invitations(_: User, invitations: Sequence[Invitation]) -> Iterator[News]:
    for invitation in invitations:
        name = invitation.ladder.name
        yield News(
            kind=Kind.LADDER_INVITATION,
            key=str(invitation.pk),
            moment=invitation.created,
            headline=_line(f"invitation to the ladder {name}"),
            sentence=visible(f"You are invited to the ladder {name}. Accept the invitation on its page."),
            path=reverse("pages:ladder", args=[invitation.ladder.slug]),
        )


def _tell_accepted(person: User, agreements: Sequence[Agreement]) -> Iterator[News]:
    return _tell_ended(person, [agreement.exhibition for agreement in agreements])


def _tell_ended(person: User, exhibitions: Sequence[Exhibition]) -> Iterator[News]:
    for exhibition in exhibitions:
        if exhibition.ended_by_id == person.pk:
            continue
        assert exhibition.ended is not None
        name = f"{_WORDS[Exhibition.Kind(exhibition.kind)]} on {exhibition.ladder.name}"
        result = "finished" if exhibition.state == Exhibition.State.FINISHED else "was canceled"
        outcome = exhibition.reason or _VERDICTS.get(exhibition.verdict, "")
        yield News(
            kind=Kind.EXHIBITION_MATCH,
            key=str(exhibition.pk),
            moment=exhibition.ended,
            headline=_line(f"your {name} {result}"),
            sentence=visible(f"Your {name} {result}: {_title(exhibition)} {outcome}".rstrip()),
            path=reverse("pages:exhibition", args=[exhibition.pk]),
        )


def _tell_seasons(_: User, standings: Sequence[FinalStanding]) -> Iterator[News]:
    for season, rows in groupby(sorted(standings, key=lambda row: (row.season_id, row.rank)), lambda row: row.season):
        assert season.closed is not None
        name = f"season {season.number} of {season.ladder.name}"
        own = [f"{row.membership.bot.name} is ranked {row.rank} (rating {points(row.rating)})" for row in rows]
        yield News(
            kind=Kind.SEASON_ENDED,
            key=str(season.pk),
            moment=season.closed,
            headline=_line(f"{name} ended"),
            sentence=visible(f"{sentence(f'{name} ended')} Final standings: {listing(own)}."),
            path=reverse("pages:season", args=[season.ladder.slug, season.number]),
        )


# --- Events of cups --------------------------------------------------------------------------------------------------
#
# A cup has one piece of news at a time: new times, its start, its last round, its result or why it was canceled. So a
# digest has one line per cup, and no line for rounds that a later one has replaced.


def _rounds(cup: str) -> QuerySet[CupRound]:
    return CupRound.objects.filter(cup=OuterRef(cup))


def _changed(cup: str, ended: str) -> Coalesce:
    """The time of the last news of a cup: its end, the end of its last ended round, or the start of its first."""
    last = _rounds(cup).filter(ended__isnull=False).order_by("-number").values("ended")[:1]
    return Coalesce(ended, Subquery(last), Subquery(_rounds(cup).filter(number=1).values("started")[:1]))


def _moved(cup: Any) -> QuerySet[CupLedgerEntry]:
    """Changes of the times of a cup, newest first."""
    times = Q(document__closes_at__isnull=False) | Q(document__starts_at__isnull=False)
    changed = CupLedgerEntry.objects.filter(times, cup=cup, kind=CupLedgerEntry.Kind.CHANGED)
    return changed.order_by("-number")


def _entered_cups() -> QuerySet[CupEntry]:
    """Entries of cups that were moved, started or ended, for the owners of the bots. Withdrawn bots have no news."""
    took_part = Q(number__isnull=False) | Q(state=CupEntry.State.ENTERED)
    lately = Q(cup__state__in=Cup.OPEN) | Q(cup__ended__gt=Now() - WINDOW)
    moved = Subquery(_moved(OuterRef("cup")).values("created")[:1])
    entries = CupEntry.objects.filter(lately, took_part).exclude(state=CupEntry.State.WITHDRAWN)
    return entries.select_related("cup__ladder", "bot").annotate(changed=Coalesce(_changed("cup", "cup__ended"), moved))


def _organized_cups() -> QuerySet[Cup]:
    """Cups that have started or ended, for their organizers."""
    lately = Q(state=Cup.State.RUNNING) | Q(ended__gt=Now() - WINDOW)
    return Cup.objects.filter(lately).select_related("ladder").annotate(changed=_changed("pk", "ended"))


def _helped_cups() -> QuerySet[Any]:
    """Cups that have started or ended, with their co-organizers who have acted in them.

    Being made a co-organizer is not enough to get news about a cup.
    """
    acted = CupLedgerEntry.objects.filter(cup=OuterRef("cup"), author=OuterRef("user"))
    return (
        Cup.co_organizers.through.objects.filter(Exists(acted), cup__in=_organized_cups())
        .annotate(changed=_changed("cup", "cup__ended"))
        .select_related("cup__ladder")
    )


def _rejected_entries() -> QuerySet[CupEntry]:
    """Entries that were rejected when the entrant list was frozen, or when too few bots were ready."""
    frozen = CupLedgerEntry.objects.filter(cup=OuterRef("cup"), kind=CupLedgerEntry.Kind.ENTRANTS).values("created")
    lately = CupEntry.objects.filter(state=CupEntry.State.REJECTED, cup__closes_at__gt=Now() - 2 * WINDOW)
    rejected = lately.select_related("cup", "bot")
    return rejected.annotate(frozen=Coalesce(Subquery(frozen[:1]), "cup__ended"))


def _tell_rejected_entries(_: User, entries: Sequence[Any]) -> Iterator[News]:
    for entry in entries:
        yield News(
            kind=Kind.CUP_ENTRY_REJECTED,
            key=str(entry.pk),
            moment=entry.frozen,
            headline=_line(f"your bot {entry.bot.name} was rejected from {entry.cup.title}"),
            sentence=visible(f"Your bot {entry.bot.name} cannot play in {entry.cup.title}. {entry.reason}"),
            path=reverse("pages:cup", args=[entry.cup.slug]),
        )


def _removed_entries() -> QuerySet[CupEntry]:
    """Entries that an organizer or the platform took out of a cup, for the owners of the bots.

    Before the entrant list is frozen, the ledger records only what organizers do.
    """
    lately = Q(cup__state__in=Cup.OPEN) | Q(cup__ended__gt=Now() - WINDOW)
    gone = CupEntry.objects.filter(lately, state__in=(CupEntry.State.WITHDRAWN, CupEntry.State.DISQUALIFIED))
    left = CupLedgerEntry.objects.filter(cup=OuterRef("cup"), kind=CupLedgerEntry.Kind.LEFT)
    left = left.annotate(entrant=_integer("entrant"), bot=_integer("bot")).exclude(author=OuterRef("bot__owner"))
    by_number = left.filter(document__bot__isnull=True, entrant=OuterRef("number"))
    by_bot = left.filter(document__bot__isnull=False, bot=OuterRef("bot"))
    times = [Subquery(of.order_by("-number").values("created")[:1]) for of in (by_number, by_bot)]
    suspended = Case(When(number=None, then=F("bot__suspended")))
    return gone.exclude(reason="").select_related("cup", "bot").annotate(removed=Coalesce(*times, suspended))


def _integer(key: str) -> Cast:
    """The number at ``key`` of a ledger document."""
    return Cast(KT(f"document__{key}"), BigIntegerField())


def _tell_removed_entries(_: User, entries: Sequence[Any]) -> Iterator[News]:
    for entry in entries:
        what = "disqualified" if entry.state == CupEntry.State.DISQUALIFIED else "withdrawn"
        headline = f"your bot {entry.bot.name} was {what} from {entry.cup.title}"
        yield News(
            kind=Kind.CUP_ENTRY_REMOVED,
            key=f"{entry.pk}-{entry.removed:%Y%m%dT%H%M%S}",
            moment=entry.removed,
            headline=_line(headline),
            sentence=visible(f"{sentence(headline)} Reason: {entry.reason} {_after_removal(entry)}".rstrip()),
            path=reverse("pages:cup", args=[entry.cup.slug]),
        )


def _after_removal(entry: CupEntry) -> str:
    """What the owner of a removed entry can do."""
    if entry.number is not None and entry.bot.paused is not None:
        return "You can resume the bot on its page, but it cannot return to this cup."
    if entry.number is not None or entry.state == CupEntry.State.DISQUALIFIED:
        return "The bot cannot return to this cup."
    if entry.cup.state == Cup.State.REGISTRATION and entry.bot.plays:
        return "You can enter it again until registration closes."
    return ""


def _next_cups() -> QuerySet[CupEntry]:
    """Entries of cups whose next one is open for entries, for owners who have not entered a bot in it yet."""
    following = Q(cup__next__state=Cup.State.REGISTRATION, cup__next__closes_at__gt=Now())
    known = CupEntry.objects.filter(
        cup=OuterRef("cup__next"), bot__owner=OuterRef("bot__owner"), state=CupEntry.State.ENTERED
    )
    took_part = Q(state__in=(CupEntry.State.ENTERED, CupEntry.State.REJECTED))
    return CupEntry.objects.filter(following, took_part, ~Exists(known)).select_related("cup__next")


def _tell_next_cups(_: User, entries: Sequence[CupEntry]) -> Iterator[News]:
    for cup in {entry.cup.pk: entry.cup.next for entry in entries}.values():
        times = f"Registration closes on {_when(cup.closes_at)}. The cup starts on {_when(cup.starts_at)}."
        yield News(
            kind=Kind.CUP_OPEN,
            key=str(cup.pk),
            moment=cup.created,
            headline=_line(f"{cup.title} is open for entries"),
            sentence=visible(f"{cup.title} is open for entries. You took part in the previous cup. {times}"),
            path=reverse("pages:cup", args=[cup.slug]),
        )


def _co_organizers() -> QuerySet[Any]:
    """Co-organizers of open cups, with the time at which each of them was added."""
    changed = CupLedgerEntry.objects.filter(cup=OuterRef("cup"), kind=CupLedgerEntry.Kind.CHANGED)
    added = changed.annotate(added=_integer("added")).filter(added=OuterRef("user")).order_by("-number")
    helped = Cup.co_organizers.through.objects.filter(cup__state__in=Cup.OPEN).select_related("cup")
    return helped.annotate(added=Subquery(added.values("created")[:1]))


def _tell_co_organizers(_: User, helped: Sequence[Any]) -> Iterator[News]:
    for helper in helped:
        yield News(
            kind=Kind.CUP_ORGANIZER,
            key=f"{helper.pk}",
            moment=helper.added,
            headline=_line(f"you are a co-organizer of {helper.cup.title}"),
            sentence=visible(f"You are a co-organizer of {helper.cup.title}. You can pause, change or cancel the cup."),
            path=reverse("pages:cup_desk", args=[helper.cup.slug]),
        )


def _tell_entered(_: User, entries: Sequence[Any]) -> Iterator[News]:
    for _cup, own in groupby(sorted(entries, key=lambda entry: (entry.cup_id, entry.pk)), lambda entry: entry.cup_id):
        first, *others = own
        yield _cup_news(first.cup, first.changed, [first, *others])


def _tell_organized(person: User, cups: Sequence[Any]) -> Iterator[News]:
    """News for an organizer, except where own bots take part (:func:`_tell_entered`) or who canceled the cup."""
    known = set(_entered_cups().filter(bot__owner=person, cup__in=cups).values_list("cup", flat=True))
    known |= set(
        CupLedgerEntry.objects.filter(cup__in=cups, kind="cancelled", author=person).values_list("cup", flat=True)
    )
    return (_cup_news(cup, cup.changed, []) for cup in cups if cup.pk not in known)


def _tell_helped(person: User, rows: Sequence[Any]) -> Iterator[News]:
    for row in rows:
        row.cup.changed = row.changed
    return _tell_organized(person, [row.cup for row in rows])


def _cup_news(cup: Cup, moment: datetime, own: Sequence[CupEntry]) -> News:
    """The last news of ``cup``, with the ranks of the entries ``own``, or of the leader for an organizer."""
    kind, key, headline, detail = _cup_said(cup, own)
    path = reverse("pages:cup", args=[cup.slug])
    return News(kind, key, moment, _line(headline), visible(f"{sentence(headline)} {detail}".rstrip()), path)


def _cup_said(cup: Cup, own: Sequence[CupEntry]) -> tuple[Kind, str, str, str]:
    """The kind, the key, the headline and the rest of the news."""
    if cup.state == Cup.State.CANCELLED:
        return Kind.CUP_CANCELED, str(cup.pk), f"{cup.title} was canceled", cup.reason
    if cup.state in (Cup.State.REGISTRATION, Cup.State.READY):
        last = _moved(cup).values_list("number", flat=True)[0]
        times = f"Registration closes on {_when(cup.closes_at)}. The cup starts on {_when(cup.starts_at)}."
        return Kind.CUP_MOVED, f"{cup.pk}-{last}", f"{cup.title} was rescheduled", times
    results = CupResults(cup)
    if not results.played:
        bots = f"Your bots: {listing([entry.bot.name for entry in own])}." if own else ""
        return Kind.CUP_STARTED, str(cup.pk), f"{cup.title} has started", bots
    shown = own or [results.entrants[results.standings[0].entrant]]
    places = listing([_place(entry, results.standings) for entry in shown])
    if cup.state == Cup.State.FINISHED:
        return Kind.CUP_FINISHED, str(cup.pk), f"{cup.title} has finished", f"Final standings: {places}."
    number = len(results.played)
    return Kind.CUP_ROUND_ENDED, f"{cup.pk}-{number}", f"round {number} of {cup.title} ended", f"Standings: {places}."


def _when(time: datetime) -> str:
    return f"{day(time)}, {time:%H:%M} UTC"


def _place(entry: CupEntry, standings: Sequence[Standing]) -> str:
    if entry.state == CupEntry.State.DISQUALIFIED:
        return f"{entry.bot.name} was disqualified ({entry.reason})"
    (rank,) = [row.rank for row in standings if row.entrant == entry.number]
    return f"{entry.bot.name} is ranked {rank} of {len(standings)}"


def _title(exhibition: Exhibition) -> str:
    """The title of the match as a sentence."""
    return f"{title(exhibition, [player.version for player in exhibition.players.all()])}."


def _line(text: str) -> str:
    """``text`` on one line, for the subject of an email."""
    return " ".join(visible(text).split())


_SOURCES: Final = (
    _Source(_rejected, "bot__owner", "validated", None, _tell_rejections),
    _Source(_paused, "owner", "paused", None, _tell_pauses),
    _Source(_invitations, "person", "exhibition__created", "exhibition__ladder", _tell_invitations),
    _Source(_ladder_invitations, "person", "created", "ladder", _tell_ladder_invitations),
    _Source(_requested, "requested_by", "ended", "ladder", _tell_ended),
    _Source(_accepted, "person", "exhibition__ended", "exhibition__ladder", _tell_accepted),
    _Source(_final_standings, "membership__bot__owner", "season__closed", "season__ladder", _tell_seasons),
    _Source(_rejected_entries, "bot__owner", "frozen", "cup__ladder", _tell_rejected_entries),
    _Source(_removed_entries, "bot__owner", "removed", "cup__ladder", _tell_removed_entries),
    _Source(_next_cups, "bot__owner", "cup__next__created", "cup__ladder", _tell_next_cups),
    _Source(_co_organizers, "user", "added", "cup__ladder", _tell_co_organizers),
    _Source(_entered_cups, "bot__owner", "changed", "cup__ladder", _tell_entered),
    _Source(_organized_cups, "organizer", "changed", "ladder", _tell_organized),
    _Source(_helped_cups, "user", "changed", "cup__ladder", _tell_helped),
)


# --- The feed --------------------------------------------------------------------------------------------------------
#
# Feed readers cannot sign in, so the URL itself gives access. It is signed and bound to two counters of the account:
# ``feed_epoch``, which increases when the user replaces the URL, and ``session_epoch``, which also ends all sessions.

WINDOW: Final = timedelta(days=30)
"""The feed contains news from this period."""

PRIVATE: Final = "private, no-store"
_SIGNER: Final = Signer(salt="esr.accounts.feed")


def path_of(person: User) -> str:
    """The path of the feed of ``person``. Anyone who has the path can read the feed."""
    signed = _SIGNER.sign(f"{person.pk}-{person.session_epoch}-{person.feed_epoch}")
    return reverse("accounts:feed", args=[signed])


def person_at(signed: str) -> User | None:
    """The user of a signed feed URL; ``None`` if the URL is invalid or replaced, or the account is closed."""
    try:
        pk, session_epoch, feed_epoch = map(int, _SIGNER.unsign(signed).split("-"))
    except (BadSignature, ValueError):
        return None
    opened = User.objects.filter(is_active=True, session_epoch=session_epoch, feed_epoch=feed_epoch)
    person = opened.filter(pk=pk).first()
    return person if person is not None and may_act(person) else None


def replace_url(person: User) -> None:
    """Replace the feed URL of ``person``. The old URL no longer works."""
    User.objects.filter(pk=person.pk).update(feed_epoch=F("feed_epoch") + 1)


def person_feed(request: HttpRequest, person: User) -> HttpResponse:
    """The newest news of ``person``, in at most 18 queries and three for each cup that runs or has ended lately."""
    now = timezone.now()
    title = f"{person.username} on {settings.SITE_NAME}"
    feed = AtomFeed(title, reverse("accounts:account"), path_of(person), person.date_joined)
    for item in reversed(news_of(person, now - WINDOW, now)[-ENTRIES:]):
        feed.add_item(
            title=item.headline[:1].upper() + item.headline[1:],
            link=item.url,
            description=item.sentence,
            unique_id=tag(f"news/{item.kind}/{item.key}"),
            pubdate=item.moment,
            updateddate=item.moment,
            categories=(item.kind,),
        )
    return respond(request, feed, PRIVATE)
