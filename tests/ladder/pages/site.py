"""A small site in every state a page can meet, from random legal games."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from bots.models import Bot
from games.registry import GAMES
from ladder.leases import MOST_FAILURES, claim, give_back
from ladder.models import Attempt, Entry, Ladder, Match
from ladder.results import record_result
from ladder.scheduling import fill
from tests.ladder.reports import report_of


@dataclass(frozen=True)
class Site:
    """One match in each state, on the ladder for four; ``finished`` and ``forfeited`` have results.

    ``others`` are finished matches, one of every other ladder.
    """

    ladder: Ladder
    finished: Match
    forfeited: Match
    void: Match
    running: Match
    queued: Match
    others: tuple[Match, ...]

    @property
    def bot(self) -> Bot:
        return self.finished.seats.get(index=0).entry.bot

    @property
    def addresses(self) -> list[str]:
        """Every kind of page."""
        matches = (self.finished, self.forfeited, self.void, self.running, self.queued)
        return [
            "/",
            "/ladders/",
            f"/ladders/{self.ladder.slug}/",
            "/bots/",
            f"/bots/{self.bot.slug}/",
            "/matches/",
            f"/matches/?ladder={self.ladder.slug}",
            "/matches/?state=waiting",
            *(f"/matches/{match.pk}/" for match in (*matches, *self.others)),
            "/rules/",
            *(f"/rules/{slug}/" for slug in GAMES),
            "/about/",
        ]


def finish(match: Match, forfeits: dict[int, str] | None = None, variety: int = 0) -> Match:
    """Give ``match`` the result of a random legal game."""
    lease = claim(match.pk, "a test")
    assert lease is not None
    assert record_result(lease, report_of(match, forfeits=forfeits, variety=variety)) is not None
    match.refresh_from_db()
    return match


def make_void(match: Match) -> Match:
    """Fail at ``match`` until it is given up."""
    for _ in range(MOST_FAILURES):
        Match.objects.filter(pk=match.pk).update(due_at=match.created)
        lease = claim(match.pk, "a test")
        assert lease is not None
        give_back(lease, Attempt.Ending.FAILED, "the disk is full")
    match.refresh_from_db()
    return match


def built() -> Site:
    """The site on the ladders and bots that are there; every ladder has a result."""
    fill(Random(3))
    others = tuple(
        finish(Match.objects.select_related("ladder").filter(ladder=ladder).earliest("pk"))
        for ladder in Ladder.objects.exclude(slug="edel-stein-reich-4").order_by("pk")
    )
    ladder = Ladder.objects.get(slug="edel-stein-reich-4")
    matches = list(Match.objects.select_related("ladder").filter(ladder=ladder).order_by("pk"))
    site = Site(
        ladder=ladder,
        finished=finish(matches[0]),
        forfeited=finish(matches[1], {2: "exit"}),
        void=make_void(matches[2]),
        running=matches[3],
        queued=matches[4],
        others=others,
    )
    assert claim(site.running.pk, "a test") is not None
    site.running.refresh_from_db()
    return site


def rename(bot: Bot, name: str) -> None:
    """Give a bot another name, as an owner could."""
    Bot.objects.filter(pk=bot.pk).update(name=name, description=name)


def crowd(ladder: Ladder, number: int) -> None:
    """Enter ``number`` more bots that belong to the house by name only."""
    bots = Bot.objects.bulk_create(
        Bot(slug=f"crowd-{i}", name=f"Crowd {i}", house_name=f"crowd-{i}") for i in range(number)
    )
    Entry.objects.bulk_create(Entry(ladder=ladder, bot=bot, rating=1_500_000 - bot.pk) for bot in bots)
