"""The integrity report of a ladder: statements about its matches, ratings and ledger, each verified on request."""

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

from ladder.ledger.entries import ChainEnd, ever_merged_on, follow, go_on, mark_of, one_moment
from ladder.models import Block, ChainMark, DealSeries, Ladder, LedgerEntry, Match, RebuildRun, Seat, SeatResult

# --- Counts ----------------------------------------------------------------------------------------------------------
#
# Both sides of an equation are counted in different tables, so that a lost row is noticed.

_NO_RESULTS = [kind for kind in LedgerEntry.Kind if kind != LedgerEntry.Kind.RESULT]


@dataclass(frozen=True)
class IntegrityCounts:
    """The counts of a ladder at one moment.

    - ``rated``, ``unrated``: matches by state.
    - ``seats``: seats of finished rated matches. ``rows``: seat results with ratings.
    - ``out``: seats of finished rated matches without a rating. ``unexplained``: those of them in matches without a
      member that was ever merged.
    - ``surplus``: the sum of all rating changes, in 1/1000 point.
    - ``ledger``: ledger entries by kind. ``last_number``: the number of the last entry.
    - ``deals``: deal numbers that were assigned. ``blocks``: blocks that have one.
    - ``stuck``: blocks that have not ended although no game is pending. ``early``: public deals of which a game
      is pending.
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
    early: int

    @property
    def by_status(self) -> list[tuple[Match.Status, int, int]]:
        """Every state with its numbers of rated and unrated matches."""
        return [(status, self.rated.get(status, 0), self.unrated.get(status, 0)) for status in Match.Status]

    @property
    def counted(self) -> int:
        """The number of matches with a known state."""
        return sum(rated + unrated for _, rated, unrated in self.by_status)

    @property
    def finished(self) -> int:
        """The number of finished rated matches."""
        return self.rated.get(Match.Status.FINISHED, 0)


def counts_of(ladder: Ladder) -> IntegrityCounts:
    """Count everything with eleven queries. Call it inside ``one_moment`` (``ladder.ledger.entries``)."""
    rated, unrated = _matches(ladder)
    written = LedgerEntry.objects.filter(ladder=ladder).order_by()
    series = DealSeries.objects.filter(season__ladder=ladder)
    return IntegrityCounts(
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
        early=_published_early(ladder),
    )


def rated_results(ladders: Iterable[Ladder]) -> dict[int, int]:
    """By ladder, the number of results that count: ledger entries without corrections and voided results. One query.

    It does not read results, so its time does not depend on the length of the ledger.
    """
    others = LedgerEntry.objects.filter(ladder__in=ladders, kind__in=_NO_RESULTS).order_by().values_list("ladder")
    voids = Count("pk", filter=Q(kind=LedgerEntry.Kind.VOID))
    not_results = {ladder: others + voids for ladder, others, voids in others.annotate(others=Count("pk"), voids=voids)}
    return {ladder.pk: ladder.next_ledger - 1 - not_results.get(ladder.pk, 0) for ladder in ladders}


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
    except ValueError:  # an unreadable merge explains nothing
        memberships = set()
    merged = Seat.objects.filter(membership__in=memberships).values("match")
    return {**totals, "unexplained": rows.filter(out).exclude(result__match__in=merged).count()}


def _stuck(ladder: Ladder) -> int:
    pending = Match.objects.filter(ladder=ladder, status__in=Match.PENDING).values("block")
    over = Block.objects.filter(ladder=ladder, ended=None).exclude(pk__in=pending)
    return over.exclude(cup_table__round__ended=None, cup_table__isnull=False).count()  # these end with their round


def _published_early(ladder: Ladder) -> int:
    pending = Match.objects.filter(ladder=ladder, status__in=Match.PENDING, block__ended__isnull=False)
    unended = Block.objects.filter(ladder=ladder, ended=None, series__published__isnull=False)
    return pending.order_by().values("block").distinct().count() + unended.count()


# --- Statements ------------------------------------------------------------------------------------------------------

_MOMENT_S: Final = 0.3
KEPT: dict[int, tuple[float, IntegrityReport]] = {}
"""By ladder, a report that took long to compute, and the time until which it is shown again."""


@dataclass(frozen=True)
class Statement:
    """A statement that must hold, with the figures that prove it. ``problem`` is empty if it holds."""

    code: str
    title: str
    figures: str
    problem: str = ""

    @property
    def holds(self) -> bool:
        return not self.problem


@dataclass(frozen=True)
class IntegrityReport:
    """The integrity report of a ladder at the time ``at``.

    The hash chain was verified up to ``mark`` before, and from there to ``link`` for this report. ``check`` is the last
    rebuild that compared everything, ``run`` the last rebuild of any kind.
    """

    ladder: Ladder
    at: datetime
    counts: IntegrityCounts
    mark: ChainMark
    link: ChainEnd
    check: RebuildRun | None
    run: RebuildRun | None

    @property
    def broken(self) -> str:
        """How the hash chain is broken; empty if it is intact."""
        reached = self.link.number == self.ladder.next_ledger - 1
        if self.link.problem or not reached or self.link.hash == self.ladder.ledger_head:
            return self.link.problem
        return "the hash of the last entry is not the last hash stored for the ladder"

    @property
    def followed(self) -> str:
        """How far the hash chain was verified, and when."""
        now = self.link.number - self.mark.number
        text = f"Verified up to entry {_n(self.link.number)}"
        return f"{text}, the last {_n(now)} just now" if now else text

    @property
    def statements(self) -> Sequence[Statement]:
        return [*_of_matches(self.counts), *_of_ratings(self.counts), *_of_ledger(self), _of_rebuilds(self)]

    @property
    def violations(self) -> Sequence[Statement]:
        return [statement for statement in self.statements if not statement.holds]


def integrity_report(ladder: Ladder) -> IntegrityReport:
    """Count and compare everything at one moment, with sixteen queries."""
    with one_moment():
        now = Ladder.objects.get(pk=ladder.pk)
        mark = mark_of(now)
        runs = RebuildRun.objects.filter(ladder=now).order_by("-pk")
        return IntegrityReport(
            ladder=now,
            at=timezone.now(),
            counts=counts_of(now),
            mark=mark,
            link=ChainEnd(mark.number, mark.hash, mark.problem) if mark.problem else follow(now, mark),
            check=runs.exclude(purpose=RebuildRun.Purpose.CORRECTION).first(),
            run=runs.first(),
        )


def recent_report(ladder: Ladder) -> IntegrityReport:
    """A report that may be up to ten times as old as the time it took, so that requests cannot overload the database.

    A report that takes less than a moment is always computed again.
    """
    kept = KEPT.get(ladder.pk)
    if kept is not None and monotonic() < kept[0]:
        return kept[1]
    began = monotonic()
    report = integrity_report(ladder)
    took = monotonic() - began
    if took > _MOMENT_S:
        KEPT[ladder.pk] = (monotonic() + 10 * took, report)
    return report


def verify_all() -> int:
    """Verify the integrity of every ladder and store its number of violated statements. Returns their sum."""
    return sum(_verified(ladder) for ladder in Ladder.objects.order_by("pk"))


@dataclass(frozen=True)
class KeptReport:
    """The stored result of the last verification of a ladder (its slug), and of the last rebuild of its ratings."""

    ladder: str
    violations: int
    audited: datetime
    differences: int


def kept_reports() -> list[KeptReport]:
    """The stored results of all ladders that were verified before; one query."""
    checks = RebuildRun.objects.filter(ladder=OuterRef("ladder"), purpose=RebuildRun.Purpose.CHECK).order_by("-pk")
    marks = (
        ChainMark.objects.exclude(audited=None)
        .order_by("ladder")
        .annotate(differences=Coalesce(Subquery(checks.values("differences")[:1]), 0))
    )
    rows = marks.values_list("ladder__slug", "violations", "audited", "differences")
    return [KeptReport(slug, violations, at, differences) for slug, violations, at, differences in rows if at]


def _verified(ladder: Ladder) -> int:
    go_on(ladder)
    violations = len(integrity_report(ladder).violations)
    ChainMark.objects.filter(ladder=ladder).update(violations=violations, audited=timezone.now())
    return violations


def _of_matches(counts: IntegrityCounts) -> Iterator[Statement]:
    states = " + ".join(f"{_n(rated + unrated)} {_LABELS[status]}" for status, rated, unrated in counts.by_status)
    lost = counts.scheduled - counts.counted
    yield Statement(
        "match_states",
        "Every scheduled match is in one known state.",
        f"{_n(counts.scheduled)} scheduled = {states}",
        f"Matches in no known state: {_n(lost)}." if lost else "",
    )
    missing = counts.deals - counts.blocks
    yield Statement(
        "deal_numbers",
        "Every deal number has a block.",
        f"{_n(counts.deals)} numbers assigned, {_n(counts.blocks)} blocks",
        f"{'Deal numbers without a block' if missing > 0 else 'Blocks without a deal number'}: {_n(abs(missing))}."
        if missing
        else "",
    )
    yield Statement(
        "ended_blocks",
        "Every block is public once all of its games have ended.",
        f"{_n(counts.stuck)} ended blocks are not public",
        f"Blocks that are not public although all of their games have ended: {_n(counts.stuck)}."
        if counts.stuck
        else "",
    )
    yield Statement(
        "secret_deals",
        "No deal is public before all of its games have ended.",
        f"{_n(counts.early)} deals were made public too early",
        f"Deals that are public, or whose keys are, although some of their games have not ended: {_n(counts.early)}."
        if counts.early
        else "",
    )


def _of_ratings(counts: IntegrityCounts) -> Iterator[Statement]:
    out = counts.out - counts.unexplained
    merged = f" − {_n(out)} in matches of merged members" if out else ""
    wrong = abs(counts.seats - out - counts.rows)
    yield Statement(
        "seat_ratings",
        "Every seat of a finished rated match has a rating.",
        f"{_n(counts.rows)} ratings, {_n(counts.seats)} seats{merged}",
        f"Seats with a missing or an unexpected rating: {_n(wrong)}." if wrong else "",
    )
    total = f"{counts.surplus / 1000:g}".replace("-", "−")
    yield Statement(
        "zero_sum",
        "Players win rating points only from each other.",
        f"The sum of all rating changes is {total}",
        f"The rating changes sum to {total} points instead of 0." if counts.surplus else "",
    )


def _of_ledger(report: IntegrityReport) -> Iterator[Statement]:
    counts, last = report.counts, report.ladder.next_ledger - 1
    entries, results = sum(counts.ledger.values()), counts.ledger.get(LedgerEntry.Kind.RESULT, 0)
    yield Statement(
        "ledger_numbers",
        "The ledger has no gaps.",
        f"{_n(entries)} entries, last number {_n(counts.last_number)}",
        "" if entries == counts.last_number == last else f"The last number should be {_n(last)}.",
    )
    voids = counts.ledger.get(LedgerEntry.Kind.VOID, 0)
    right = counts.finished + voids
    yield Statement(
        "ledger_results",
        "Every finished rated match is in the ledger exactly once.",
        f"{_n(results)} results = {_n(counts.finished)} finished + {_n(voids)} voided",
        "" if results == right else f"The ledger has {_n(results)} results instead of {_n(right)}.",
    )
    broken = report.broken
    yield Statement(
        "hash_chain",
        "The entries of the ledger form one hash chain.",
        report.followed,
        f"The chain is broken: {broken}." if broken else "",
    )


def _of_rebuilds(report: IntegrityReport) -> Statement:
    code, title = "rebuild", "A rebuild from the ledger gives exactly the ratings that are shown."
    check = report.check
    if check is None:
        return Statement(code, title, "No rebuild yet. The first one runs within 24 hours.")
    differences = f"{_n(check.differences)} {'difference' if check.differences == 1 else 'differences'}"
    repaired = check.purpose == RebuildRun.Purpose.REPAIR
    figures = f"Up to entry {_n(check.ledger_number)}: {differences}{', repaired' if repaired else ''}"
    return Statement(
        code, title, figures, f"The last rebuild found {differences}." if check.differences and not repaired else ""
    )


_LABELS: Final = {status: "canceled" if status == Match.Status.CANCELLED else status.value for status in Match.Status}


def _n(count: int) -> str:
    return f"{count:,}"
