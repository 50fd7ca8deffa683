"""A small site in every state a page can meet, from random legal games."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from random import Random

from bots.models import Bot
from games.record import replay
from games.registry import GAMES
from ladder.matches.blocks import BlockPlayer
from ladder.matches.leases import claim
from ladder.matches.schedule import fill
from ladder.models import Block, Ladder, Match, Membership
from tests.build import built_once, finish_game, make_void, opened_house, report_of, scheduled


@dataclass(frozen=True)
class Site:
    """One match in each state, on the ladder for four.

    ``finished``, ``forfeited`` and ``void`` are of a block that has ended. ``closed`` has a result, too, but its block
    goes on: with ``running`` and ``queued``. ``unrated`` is of a test that has ended. ``others`` are finished matches
    of blocks that have ended, one of every other ladder.
    """

    ladder: Ladder
    finished: Match
    forfeited: Match
    void: Match
    closed: Match
    running: Match
    queued: Match
    unrated: Match
    others: tuple[Match, ...]

    @property
    def bot(self) -> Bot:
        return self.finished.seats.get(index=0).membership.bot

    @property
    def addresses(self) -> list[str]:
        """Every kind of page."""
        matches = (self.finished, self.forfeited, self.void, self.closed, self.running, self.queued, self.unrated)
        return [
            "/",
            "/play/",
            "/ladders/",
            f"/ladders/{self.ladder.slug}/",
            f"/ladders/{self.ladder.slug}/statistics/",
            f"/ladders/{self.ladder.slug}/statistics/head-to-head/",
            f"/ladders/{self.ladder.slug}/bots/{self.bot.slug}/",
            f"/ladders/{self.ladder.slug}/integrity/",
            f"/ladders/{self.ladder.slug}/seasons/",
            f"/ladders/{self.ladder.slug}/seasons/1/",
            "/bots/",
            f"/bots/{self.bot.slug}/",
            f"/bots/{self.bot.slug}/waits/",
            "/compare/",
            f"/compare/{self.bot.slug}/{self.finished.seats.get(index=1).membership.bot.slug}/",
            "/matches/",
            f"/matches/?ladder={self.ladder.slug}",
            "/matches/?state=waiting",
            *(f"/matches/{match.pk}/" for match in (*matches, *self.others)),
            "/rules/",
            *(f"/rules/{slug}/" for slug in GAMES),
            *(f"/rules/{slug}/tutorial/" for slug, game in GAMES.items() if game.presentation.tutorial),
            "/docs/",
            "/docs/start/play-online/",
            "/docs/search/?q=ladder",
            "/about/",
        ]


def variety_with_a_turn(match: Match) -> int:
    """The first random game of ``match``'s deal with a turning point before the last ten steps."""
    game = GAMES[match.ladder.game]
    for variety in count():
        state = replay(report_of(match, variety=variety).record)
        turning_point = game.statistics.turning_point(state)
        if turning_point is not None and turning_point < len(state.record["steps"]) - 10:
            return variety
    raise AssertionError("count() does not end")


def finish_queued(block: Block) -> list[Match]:
    """Finish all games of ``block`` that are still to be played."""
    games = block.matches.filter(status="queued").select_related("ladder").order_by("pk")
    return [finish_game(game) for game in list(games)]


def built() -> Site:
    """The site, in an empty database or on the ladders and bots that are there; every ladder has a result."""
    return built_once("site", _build)


def _build() -> Site:
    opened_house()
    fill(Random(3))
    others = tuple(
        finish_queued(ladder.blocks.earliest("pk"))[0]
        for ladder in Ladder.objects.filter(players="hosted").exclude(slug="edel-stein-reich-4").order_by("pk")
    )
    ladder = Ladder.objects.get(slug="edel-stein-reich-4")
    matches = list(Match.objects.select_related("ladder").filter(ladder=ladder).order_by("pk"))
    site = Site(
        ladder=ladder,
        finished=finish_game(matches[0], variety=variety_with_a_turn(matches[0])),
        forfeited=finish_game(matches[1], forfeits={2: "exit"}),
        void=make_void(matches[2]),
        closed=finish_game(matches[4]),
        running=matches[5],
        queued=matches[6],
        unrated=finish_queued(block_like(matches[0]))[0],
        others=others,
    )
    finish_game(matches[3])
    assert claim(site.running.pk, "a test") is not None
    for match in (site.finished, site.forfeited, site.void, site.running):
        match.refresh_from_db()
    return site


def block_like(like: Match) -> Block:
    """An unrated block of the players of ``like``."""
    players = [BlockPlayer(seat.version) for seat in like.seats.order_by("index")]
    return scheduled(like.ladder, players, purpose=Block.Purpose.TEST)


def rename(bot: Bot, name: str) -> None:
    """Give a bot another name, as an owner could."""
    Bot.objects.filter(pk=bot.pk).update(name=name, description=name)


def crowd(ladder: Ladder, number: int) -> None:
    """Enter ``number`` more bots that belong to the house by name only."""
    bots = Bot.objects.bulk_create(
        Bot(slug=f"crowd-{i}", name=f"Crowd {i}", house_name=f"crowd-{i}") for i in range(number)
    )
    Membership.objects.bulk_create(Membership(ladder=ladder, bot=bot, rating=1_500_000 - bot.pk) for bot in bots)
