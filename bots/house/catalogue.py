"""The house bots: everybody's sparring partners, and the examples a newcomer reads first.

An entry is a folder beside this file and the command line its ``bot.py`` gets. A bot is started with its folder
as working directory; it needs nothing but the files in it and Python's standard library.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType

from games.registry import GAMES

HERE = Path(__file__).resolve().parent


def tables(*slugs: str) -> Mapping[str, tuple[int, ...]]:
    """Every number of seats of the games ``slugs``; without any, of every game there is."""
    return MappingProxyType({slug: GAMES[slug].seat_counts for slug in slugs or GAMES})


JEWELS = tables("edel-stein-reich", "edel-stein-reich-duel")
WINES = tables("die-weinhaendler")


@dataclass(frozen=True)
class HouseBot:
    """One entry: the program of ``folder`` with ``args``, known to everybody as ``house:<name>``.

    ``games`` says which games it plays, and with how many seats; without them it plays every game there is.
    """

    name: str
    title: str
    description: str
    folder: str
    args: tuple[str, ...] = ()
    games: Mapping[str, tuple[int, ...]] = field(default_factory=tables)

    @property
    def path(self) -> Path:
        """The folder with its ``bot.py``, inside the installed package and nowhere else."""
        return HERE / self.folder

    def files(self) -> dict[str, bytes]:
        """The sources of the bot by file name, in order: what a seat that runs it gets to see."""
        return {source.name: source.read_bytes() for source in sorted(self.path.glob("*.py"))}

    def digest(self) -> str:
        """SHA-256 over the command line and the sources, 64 hex digits: the same digest is the same player."""
        digest = sha256()
        parts = [arg.encode() for arg in self.args]
        for name, source in self.files().items():
            parts += [name.encode(), source]
        for part in (str(len(self.args)).encode(), *parts):
            digest.update(len(part).to_bytes(8, "big"))
            digest.update(part)
        return digest.hexdigest()

    def plays(self, game: str, seats: int) -> bool:
        """Whether the bot takes a seat at a table of ``seats`` at ``game``, a slug."""
        return seats in self.games.get(game, ())


_ENTRIES = (
    HouseBot("random", "Random", "Every legal move is as good as any other.", "random"),
    HouseBot("greedy", "Greedy", "Fixed prices; takes the dearest thing on the table.", "greedy", (), JEWELS),
    HouseBot("miser", "Miser", "Greedy with a weakness for money.", "greedy", ("money=1.5",), JEWELS),
    HouseBot("magpie", "Magpie", "Greedy with a weakness for gems.", "greedy", ("gems=1.5",), JEWELS),
    HouseBot("gambler", "Gambler", "Greedy with a weakness for event cards.", "greedy", ("events=1.8",), JEWELS),
    HouseBot(
        "haggler", "Haggler", "Values gems by the coming scoring, and barters accordingly.", "haggler", (), JEWELS
    ),
    HouseBot(
        "stickler", "Stickler", "A haggler who will not move for a small advantage.", "haggler", ("margin=2.5",), JEWELS
    ),
    HouseBot(
        "kontor", "Kontor", "Keeps everybody's books and thinks about what the others want.", "kontor", (), JEWELS
    ),
    HouseBot("vintner", "Vintner", "Counts stars; makes the bid that brings most right now.", "vintner", (), WINES),
    HouseBot("gleaner", "Gleaner", "A vintner who lives on what others bid.", "vintner", ("display=0.5",), WINES),
    HouseBot("squire", "Squire", "A vintner who must have what is on display.", "vintner", ("display=1.25",), WINES),
    HouseBot(
        "abstainer", "Abstainer", "A vintner who would rather draw from the stack.", "vintner", ("draw=4",), WINES
    ),
    HouseBot("cellarman", "Cellarman", "A vintner who lays every bottle at once.", "vintner", ("keep=0",), WINES),
    HouseBot(
        "sommelier", "Sommelier", "Knows what goes with what, and bids with the others in mind.", "sommelier", (), WINES
    ),
    HouseBot("dreamer", "Dreamer", "A sommelier who believes in every trio to come.", "sommelier", ("hope=3",), WINES),
)
HOUSE: Mapping[str, HouseBot] = MappingProxyType({entry.name: entry for entry in _ENTRIES})
"""Every house bot by name."""
