"""What stands on the page on which a file is uploaded: limits, languages, and the games to choose from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from bots.allowances import Allowances, allowances
from bots.languages import LANGUAGES, Language
from bots.models import Machine
from bots.protocol import Limits
from games.base import Game
from games.registry import GAMES
from ladder.pages.words import seat_counts, size


@dataclass(frozen=True)
class Spoken:
    """A language with what the machines that play have of it; ``version`` and ``numpy`` are empty where none says."""

    language: Language
    version: str
    numpy: str


@dataclass(frozen=True)
class Bringing:
    """Everything that is the same for whoever uploads: what a file may be, and what a bot is given when it plays."""

    allowances: Allowances
    playing: Limits
    languages: Sequence[Spoken]
    games: Sequence[Game]

    @property
    def file_limits(self) -> list[tuple[str, str]]:
        """What a file may be, and how many."""
        its = self.allowances
        return [
            (_("the file"), size(its.archive_bytes)),
            (_("unpacked, together"), size(its.unpacked_bytes)),
            (_("files in a zip"), str(its.files)),
            (_("uploads an hour"), str(its.uploads_an_hour)),
            (_("bots a person"), str(its.bots)),
            (_("bots a person, with retired ones"), str(its.bots_ever)),
        ]

    @property
    def playing_limits(self) -> list[tuple[str, str]]:
        """What a bot may use up in a game."""
        its = self.playing
        return [
            (_("to start"), f"{its.startup_ms / 1000:g}\u00a0s"),
            (_("a decision"), f"{its.move_ms / 1000:g}\u00a0s"),
            (_("more, a game"), f"{its.bank_ms / 1000:g}\u00a0s"),
            (_("a game, together"), f"{its.game_ms / 1000:g}\u00a0s"),
            (_("memory (address space)"), f"{its.memory_mb}\u00a0MiB"),
        ]


def bringing() -> Bringing:
    """The limits as the settings have them, and the languages as the machines have them. One query."""
    return Bringing(
        allowances=allowances(),
        playing=Limits(),
        languages=_spoken(),
        games=list(GAMES.values()),
    )


def _spoken() -> list[Spoken]:
    told = [machine.sandbox for machine in Machine.objects.all() if machine.sandbox["ok"]]
    python, numpy = (", ".join(sorted({one[name] for one in told if one[name]})) for name in ("python", "numpy"))
    return [Spoken(each, python, numpy) if each.is_interpreted else Spoken(each, "", "") for each in LANGUAGES.values()]


def table_choices() -> list[tuple[str, list[tuple[str, str]]]]:
    """The tables to tick, by game, as Django's choices: ``edel-stein-reich:4``, and how many players that is."""
    return [
        (game.name, [(f"{game.slug}:{count}", seat_counts([count])) for count in game.seat_counts])
        for game in GAMES.values()
    ]


def tables_claimed(claims: Mapping[str, Sequence[int]]) -> list[str]:
    """What is to be ticked for these seat counts by game."""
    return [f"{slug}:{count}" for slug, counts in claims.items() for count in counts]


def tables_of(ticked: Sequence[str]) -> dict[str, list[int]] | None:
    """Seat counts by game for what was ticked; ``None`` if nothing was: then the code says which."""
    chosen: dict[str, list[int]] = {}
    for table in ticked:
        slug, _, count = table.partition(":")
        chosen.setdefault(slug, []).append(int(count))
    return chosen or None
