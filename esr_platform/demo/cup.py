"""``manage.py demo-cup``: play one cup of house bots, and of copies of them that demo users upload, to its end.

The cup is created, entered and verified by the functions of the site. Its games are played in this process, and also by
the workers of a running site; each match gets one result.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.db.models import Max
from django.utils import timezone

from bots.house.catalogue import HOUSE
from bots.models import Bot, BotVersion
from bots.tournaments import formats
from bots.tournaments.rounds import Standing
from esr_platform.accounts import demo
from esr_platform.demo.activities import bring, person
from esr_platform.demo.cast import PEOPLE, DemoBot
from games.registry import GAMES
from ladder import validations
from ladder.cups.creation import CupForm, create_cup
from ladder.cups.progress import advance
from ladder.cups.registration import enter, unplayable
from ladder.cups.results import CupResults
from ladder.matches.play import play
from ladder.models import Cup, Match

FORMATS: Final = {**{slug: (slug, 2) for slug in formats.FORMATS}, "balanced": ("round-robin", 3)}
"""The formats of the command, with their usual number of seats. ``balanced`` is a round robin at 3 to 5 seats."""

ROUNDS: Final = 5
"""Rounds of a Swiss cup."""

PATIENCE_S: Final = 120.0
"""How long to wait for a bot or a game before the command gives up."""

_PAUSE_S: Final = 0.2


class DemoCupProblem(Exception):
    """A cup that cannot be played here. The message contains the remedy."""


@dataclass(frozen=True)
class DemoCup:
    """What to play: a name in ``FORMATS``, the number of seats (0: as usual) and of entrants."""

    format: str
    seats: int = 0
    entrants: int = 6

    @property
    def form(self) -> tuple[str, int]:
        format_, seats = FORMATS[self.format]
        return format_, self.seats or seats


def play_demo_cup(wanted: DemoCup, say: Callable[[str], object]) -> Cup:
    """Play a new cup from registration to the final standings. Raises ``DemoCupProblem`` or ``Refused``."""
    format_, seats = wanted.form
    if format_ == "round-robin" and (seats > 2) != (wanted.format == "balanced"):
        name = "balanced" if seats > 2 else "round-robin"
        raise DemoCupProblem(f"At {seats} seats, this format is called {name}. Use --format {name}.")
    game = next((slug for slug, game in GAMES.items() if seats in game.seat_counts), "")
    if not game:
        raise DemoCupProblem(f"No game has {seats} seats. Use --seats with 2 to 5.")
    if wanted.entrants < max(2, seats):
        raise DemoCupProblem(f"A cup at {seats} seats needs at least {max(2, seats)} entrants. Use --entrants.")
    cup = _created(wanted, game)
    say(f"{cup.title}: registration of {wanted.entrants} bots.")
    for bot in _bots(cup, wanted.entrants):
        enter(bot.owner or person(demo.USERNAME), cup, bot)
    now = timezone.now()
    Cup.objects.filter(pk=cup.pk, state=Cup.State.REGISTRATION).update(closes_at=now, starts_at=now)
    _play_out(cup, say)
    return cup


def _created(wanted: DemoCup, game: str) -> Cup:
    format_, seats = wanted.form
    number = (Cup.objects.aggregate(last=Max("pk"))["last"] or 0) + 1
    soon = timezone.now() + timedelta(hours=1)
    form = CupForm(
        title=f"Demo cup {number}, {wanted.format}",
        game=game,
        seats=seats,
        format=format_,
        closes_at=soon,
        starts_at=soon,
        rounds=ROUNDS if formats.FORMATS[format_].has_chosen_rounds else None,
        capacity=wanted.entrants,
        entries_per_user=wanted.entrants,
    )
    return create_cup(person(demo.USERNAME), form)


# --- Bots ------------------------------------------------------------------------------------------------------------


def _bots(cup: Cup, number: int) -> list[Bot]:
    """The first house bots of the format, and copies of them if there are too few."""
    game, seats = cup.ladder.game, cup.ladder.seats
    names = [name for name, house in HOUSE.items() if house.plays(game, seats)]
    house_bots = {bot.house_name: bot for bot in Bot.objects.filter(house_name__in=names)}
    house = [house_bots[name] for name in names if name in house_bots and not unplayable(cup, house_bots[name])][
        :number
    ]
    copies = list(_copies(game, seats, names, number - len(house)))
    for copy in copies:
        bring(copy, 1)
    return house + [_validated(cup, copy) for copy in copies]


def _copies(game: str, seats: int, names: Sequence[str], number: int) -> Iterator[DemoBot]:
    """Copies of house bots, in turn, each with a demo user in turn as its owner."""
    for index in range(number):
        base = names[index % len(names)]
        name = f"{base.capitalize()} {seats} copy {index + 1}"
        args = tuple(HOUSE[base].args)
        yield DemoBot(PEOPLE[index % len(PEOPLE)], name, f"A copy of {base}.", base, {game: (seats,)}, (args,))


def _validated(cup: Cup, copy: DemoBot) -> Bot:
    """The uploaded bot once its validation has ended. Raises ``DemoCupProblem`` if it cannot play."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        bot = Bot.objects.of_code().filter(owner__username=copy.owner, name=copy.name).first()
        if bot is None:
            raise DemoCupProblem(f"{copy.owner} cannot upload {copy.name} now (upload limits). Use fewer --entrants.")
        waiting = bot.versions.filter(state__in=BotVersion.UNVALIDATED).exists()
        if not waiting:
            if problem := unplayable(cup, bot):
                raise DemoCupProblem(problem)
            return bot
        if validations.validate_next() is None:
            time.sleep(_PAUSE_S)
    raise DemoCupProblem(f"{copy.name} was not validated within {PATIENCE_S:.0f} s. Uploaded bots need the sandbox.")


# --- Playing ---------------------------------------------------------------------------------------------------------


def _play_out(cup: Cup, say: Callable[[str], object]) -> None:
    """Play the queued games of ``cup`` until it has ended. Raises ``DemoCupProblem``."""
    since, rounds = time.monotonic(), 0
    while True:
        steps = advance()
        cup.refresh_from_db()
        if cup.state not in Cup.OPEN:
            break
        if (ended := cup.played_rounds.exclude(ended=None).count()) > rounds:
            rounds = ended
            say(f"Round {rounds} has ended.")
        queued = Match.objects.filter(block__cup_table__round__cup=cup, status=Match.Status.QUEUED)
        games = [play(match) for match in queued.order_by("seating", "pk").values_list("pk", flat=True)]
        if steps or any(games):
            since = time.monotonic()
        elif time.monotonic() > since + PATIENCE_S:
            raise DemoCupProblem(
                f"No game of {cup.title} has ended within {PATIENCE_S:.0f} s. Check the bots and logs."
            )
        else:
            time.sleep(_PAUSE_S)
    if cup.state != Cup.State.FINISHED:
        raise DemoCupProblem(f"{cup.title} was canceled: {cup.reason}")


def final_standings(cup: Cup) -> list[tuple[Standing, str]]:
    """The final standings of a cup, with the names of the bots."""
    results = CupResults(cup)
    return [(row, results.entrants[row.entrant].bot.name) for row in results.standings]
