"""The integrity report of a ladder: statements about its results, each verified now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from typing import Final

from django.db.models import Count, F, Max, OuterRef, Q, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from ladder.ledger.append import Link, ever_merged_on, follow, go_on, mark_of, one_moment
from ladder.models import Block, ChainMark, DealSeries, Ladder, LedgerEntry, Match, RebuildRun, Seat, SeatResult

# --- What became of every scheduled match ----------------------------------------------------------------------------
#
# Each count of an identity comes from a table of its own, so that one that has lost a row shows.

_NO_RESULTS = [kind for kind in LedgerEntry.Kind if kind != LedgerEntry.Kind.RESULT]


@dataclass(frozen=True)
class IntegrityReport:
    """The counts of one moment.

    ``rated`` and ``unrated`` are matches by status. ``seats`` are those of finished rated matches, ``rows`` the seat
    results that have ratings, ``out`` those of finished rated matches that have none, of which ``unexplained`` are at
    tables without an entry that was ever merged. ``surplus`` is the sum of all changes in 1/1000 point. ``ledger`` are
    its entries by kind, ``last_number`` the greatest number. ``deals`` are the numbers that series have given,
    ``blocks`` those that blocks have; ``stuck`` are blocks that have no game to be played and are not ended, ``told``
    those whose deal everybody could know although a game of it is still to be played.
    """

    rated: Mapping[str, int]
    unrated: Mapping[str, int]
    scheduled: int
    seats: int
    rows: int
    out: int
    unexplained: int
    surplus: int
    ledger: Mapping[str, int]
    last_number: int
    deals: int
    blocks: int
    stuck: int
    told: int

    @property
    def by_status(self) -> list[tuple[Match.Status, int, int]]:
        """Every status with its rated and its unrated matches."""
        return [(one, self.rated.get(one, 0), self.unrated.get(one, 0)) for one in Match.Status]

    @property
    def counted(self) -> int:
        """All matches that have one of the statuses there are."""
        return sum(rated + unrated for _, rated, unrated in self.by_status)

    @property
    def finished(self) -> int:
        """Rated matches that count."""
        return self.rated.get(Match.Status.FINISHED, 0)


def integrity_of(ladder: Ladder) -> IntegrityReport:
    """Count everything; eleven queries. Call it where they see one moment (``ladder.ledger.append``)."""
    rated, unrated = _matches(ladder)
    written = LedgerEntry.objects.filter(ladder=ladder).order_by()
    series = DealSeries.objects.filter(season__ladder=ladder)
    return IntegrityReport(
        rated=rated,
        unrated=unrated,
        scheduled=Match.objects.filter(ladder=ladder).count(),
        seats=Seat.objects.filter(match__ladder=ladder, match__status=Match.Status.FINISHED)
        .filter(match__block__purpose__in=Block.RATED)
        .count(),
        **_ratings(ladder),
        ledger=dict(written.values_list("kind").annotate(entries=Count("pk"))),
        last_number=written.aggregate(last=Max("number", default=0))["last"],
        deals=series.aggregate(given=Sum(F("next_number") - 1, default=0))["given"],
        blocks=Block.objects.filter(series__in=series).count(),
        stuck=_stuck(ladder),
        told=_told(ladder),
    )


def rated_results(ladders: Iterable[Ladder]) -> dict[int, int]:
    """By ladder, how many results count: all numbers of its ledger but those that are none or take one back. One query.

    It reads no results, so it takes a long ledger no longer than a short one.
    """
    others = LedgerEntry.objects.filter(ladder__in=ladders, kind__in=_NO_RESULTS).order_by().values_list("ladder")
    voids = Count("pk", filter=Q(kind=LedgerEntry.Kind.VOID))
    found = {ladder: others + voids for ladder, others, voids in others.annotate(others=Count("pk"), voids=voids)}
    return {ladder.pk: ladder.next_ledger - 1 - found.get(ladder.pk, 0) for ladder in ladders}


def _matches(ladder: Ladder) -> tuple[Mapping[str, int], Mapping[str, int]]:
    rated, unrated = Counter[str](), Counter[str]()
    rows = Match.objects.filter(ladder=ladder).order_by().values_list("status", "block__purpose")
    for status, purpose, number in rows.annotate(number=Count("pk")):
        (rated if purpose in Block.RATED else unrated)[status] += number
    return rated, unrated


def _ratings(ladder: Ladder) -> dict[str, int]:
    """``rows``, ``out``, ``unexplained`` and ``surplus``."""
    rows = SeatResult.objects.filter(result__match__ladder=ladder).order_by()
    rated = Q(result__match__status=Match.Status.FINISHED, result__match__block__purpose__in=Block.RATED)
    out = rated & Q(rating_before=None)
    totals = rows.aggregate(
        rows=Count("rating_before"),
        surplus=Sum(F("rating_after") - F("rating_before"), default=0),
        out=Count("pk", filter=out),
    )
    if not totals["out"]:
        return {**totals, "unexplained": 0}
    try:
        memberships = ever_merged_on([ladder])
    except ValueError:  # a merge that cannot be read explains nothing
        memberships = set()
    merged = Seat.objects.filter(membership__in=memberships).values("match")
    return {**totals, "unexplained": rows.filter(out).exclude(result__match__in=merged).count()}


def _stuck(ladder: Ladder) -> int:
    pending = Match.objects.filter(ladder=ladder, status__in=Match.PENDING).values("block")
    return Block.objects.filter(ladder=ladder, ended=None).exclude(pk__in=pending).count()


def _told(ladder: Ladder) -> int:
    pending = Match.objects.filter(ladder=ladder, status__in=Match.PENDING, block__ended__isnull=False)
    unended = Block.objects.filter(ladder=ladder, ended=None, series__published__isnull=False)
    return pending.order_by().values("block").distinct().count() + unended.count()


# --- Statements ------------------------------------------------------------------------------------------------------

_MOMENT_S: Final = 0.3
KEPT: dict[int, tuple[float, Audit]] = {}
"""By ladder, until when an audit that took long is shown again."""


@dataclass(frozen=True)
class Statement:
    """Something that must hold, and the figures that say whether it does; ``problem`` is empty or a sentence."""

    title: str
    figures: str
    problem: str = ""

    @property
    def holds(self) -> bool:
        return not self.problem


@dataclass(frozen=True)
class Audit:
    """All of a ladder's accounts at one moment, ``at``.

    The chain was checked before up to ``mark``, and from there to ``link`` for this audit. ``check`` is the last
    rebuild that compared everything, ``run`` the last rebuild there was.
    """

    ladder: Ladder
    at: datetime
    integrity: IntegrityReport
    mark: ChainMark
    link: Link
    check: RebuildRun | None
    run: RebuildRun | None

    @property
    def broken(self) -> str:
        """What breaks the chain, in words, or nothing."""
        reached = self.link.number == self.ladder.next_ledger - 1
        if self.link.problem or not reached or self.link.hash == self.ladder.ledger_head:
            return self.link.problem
        return "its last hash is not the one that the ladder keeps"

    @property
    def followed(self) -> str:
        """How far the chain was checked, and when."""
        now = self.link.number - self.mark.number
        said = f"checked up to number {_n(self.link.number)}"
        return f"{said}, the last {_n(now)} of them now" if now else said

    @property
    def statements(self) -> Sequence[Statement]:
        return [*_of_matches(self.integrity), *_of_ratings(self.integrity), *_of_ledger(self), _of_rebuilds(self)]

    @property
    def violations(self) -> Sequence[Statement]:
        return [one for one in self.statements if not one.holds]


def audit(ladder: Ladder) -> Audit:
    """Count and compare everything, at one moment; sixteen queries."""
    with one_moment():
        now = Ladder.objects.get(pk=ladder.pk)
        mark = mark_of(now)
        runs = RebuildRun.objects.filter(ladder=now).order_by("-pk")
        return Audit(
            ladder=now,
            at=timezone.now(),
            integrity=integrity_of(now),
            mark=mark,
            link=Link(mark.number, mark.hash, mark.problem) if mark.problem else follow(now, mark),
            check=runs.exclude(purpose=RebuildRun.Purpose.CORRECTION).first(),
            run=runs.first(),
        )


def recent_audit(ladder: Ladder) -> Audit:
    """The same, or one that is no older than ten of its counts would take, so that nobody can keep the site counting.

    A ladder that is counted in a moment is always counted anew.
    """
    kept = KEPT.get(ladder.pk)
    if kept is not None and monotonic() < kept[0]:
        return kept[1]
    began = monotonic()
    found = audit(ladder)
    took = monotonic() - began
    if took > _MOMENT_S:
        KEPT[ladder.pk] = (monotonic() + 10 * took, found)
    return found


def audit_all() -> int:
    """Follow every chain further, audit every ladder and keep how many statements do not hold; the sum of them."""
    return sum(_audited(ladder) for ladder in Ladder.objects.order_by("pk"))


@dataclass(frozen=True)
class Kept:
    """What was kept of the last audit of a ladder, by its slug, and of the last check of its ratings."""

    ladder: str
    violations: int
    audited: datetime
    differences: int


def kept_audits() -> list[Kept]:
    """What the clock's task found last, for every ladder that it has counted; one query."""
    checks = RebuildRun.objects.filter(ladder=OuterRef("ladder"), purpose=RebuildRun.Purpose.CHECK).order_by("-pk")
    marks = (
        ChainMark.objects.exclude(audited=None)
        .order_by("ladder")
        .annotate(differences=Coalesce(Subquery(checks.values("differences")[:1]), 0))
    )
    rows = marks.values_list("ladder__slug", "violations", "audited", "differences")
    return [Kept(slug, violations, at, differences) for slug, violations, at, differences in rows if at]


def _audited(ladder: Ladder) -> int:
    go_on(ladder)
    found = len(audit(ladder).violations)
    ChainMark.objects.filter(ladder=ladder).update(violations=found, audited=timezone.now())
    return found


def _of_matches(integrity: IntegrityReport) -> Iterator[Statement]:
    states = " + ".join(f"{_n(rated + unrated)} {status}" for status, rated, unrated in integrity.by_status)
    lost = integrity.scheduled - integrity.counted
    yield Statement(
        "Every game that was scheduled is in one state.",
        f"{_n(integrity.scheduled)} scheduled = {states}",
        f"{_n(lost)} games are in no known state." if lost else "",
    )
    missing = integrity.deals - integrity.blocks
    yield Statement(
        "Every number of a deal has its block.",
        f"{_n(integrity.deals)} numbers given, {_n(integrity.blocks)} blocks",
        f"{_n(abs(missing))} {'numbers have no block' if missing > 0 else 'blocks have no number'}." if missing else "",
    )
    yield Statement(
        "A block whose every game has ended is open to everybody.",
        f"{_n(integrity.stuck)} left closed",
        f"{_n(integrity.stuck)} blocks stay closed although their games have ended." if integrity.stuck else "",
    )
    yield Statement(
        "No deal is open to anybody while a game of it is to be played.",
        f"{_n(integrity.told)} opened early",
        f"{_n(integrity.told)} deals are open, or their keys, although games of them have not ended."
        if integrity.told
        else "",
    )


def _of_ratings(integrity: IntegrityReport) -> Iterator[Statement]:
    out = integrity.out - integrity.unexplained
    taken_out = f" − {_n(out)} where a merged entry sat" if out else ""
    wrong = abs(integrity.seats - out - integrity.rows)
    yield Statement(
        "Every seat of a finished rated game that was not voided since has a rating.",
        f"{_n(integrity.rows)} ratings, {_n(integrity.seats)} seats{taken_out}",
        f"{_n(wrong)} seats have a rating and should not, or have none and should." if wrong else "",
    )
    total = f"{integrity.surplus / 1000:g}".replace("-", "−")
    yield Statement(
        "No game creates or destroys a point.",
        f"the sum of all rating changes is {total}",
        f"The rating changes sum to {total} points." if integrity.surplus else "",
    )


def _of_ledger(one: Audit) -> Iterator[Statement]:
    integrity, last = one.integrity, one.ladder.next_ledger - 1
    entries, results = sum(integrity.ledger.values()), integrity.ledger.get(LedgerEntry.Kind.RESULT, 0)
    yield Statement(
        "The ledger has no gaps.",
        f"{_n(entries)} entries, the last of them number {_n(integrity.last_number)}",
        "" if entries == integrity.last_number == last else f"The ladder has counted to {_n(last)}.",
    )
    voids = integrity.ledger.get(LedgerEntry.Kind.VOID, 0)
    right = integrity.finished + voids
    yield Statement(
        "Every finished rated game is in the ledger, once.",
        f"{_n(results)} results = {_n(integrity.finished)} finished + {_n(voids)} taken back",
        "" if results == right else f"The ledger has {_n(results)} results, and there are {_n(right)}.",
    )
    broken = one.broken
    yield Statement(
        "The ledger's hashes form one chain.", one.followed, f"The chain is broken: {broken}." if broken else ""
    )


def _of_rebuilds(one: Audit) -> Statement:
    title = "A rebuild from the ledger gives every number that is shown."
    if one.check is None:
        return Statement(title, "no rebuild yet; the first is made within a day")
    found = one.check.differences
    repaired = one.check.purpose == RebuildRun.Purpose.REPAIR
    said = f"up to number {_n(one.check.ledger_number)}: {_n(found)} differences{', set right' if repaired else ''}"
    return Statement(title, said, f"The last rebuild found {_n(found)} differences." if found and not repaired else "")


def _n(count: int) -> str:
    """With narrow spaces that do not break."""
    return f"{count:,}".replace(",", "\u202f")
