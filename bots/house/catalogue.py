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

HERE = Path(__file__).resolve().parent
EVERY_TABLE: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {"edel-stein-reich": (3, 4, 5), "edel-stein-reich-duel": (2,)}
)


@dataclass(frozen=True)
class HouseBot:
    """One entry: the program of ``folder`` with ``args``, known to everybody as ``house:<name>``.

    ``games`` says which games it plays, and with how many seats.
    """

    name: str
    title: str
    description: str
    folder: str
    args: tuple[str, ...] = ()
    games: Mapping[str, tuple[int, ...]] = field(default_factory=lambda: EVERY_TABLE)

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
    HouseBot("greedy", "Greedy", "Fixed prices; takes the dearest thing on the table.", "greedy"),
    HouseBot("miser", "Miser", "Greedy with a weakness for money.", "greedy", ("money=1.5",)),
    HouseBot("magpie", "Magpie", "Greedy with a weakness for gems.", "greedy", ("gems=1.5",)),
    HouseBot("gambler", "Gambler", "Greedy with a weakness for event cards.", "greedy", ("events=1.8",)),
    HouseBot("haggler", "Haggler", "Values gems by the coming scoring, and barters accordingly.", "haggler"),
    HouseBot("stickler", "Stickler", "A haggler who will not move for a small advantage.", "haggler", ("margin=2.5",)),
    HouseBot("kontor", "Kontor", "Keeps everybody's books and thinks about what the others want.", "kontor"),
)
HOUSE: Mapping[str, HouseBot] = MappingProxyType({entry.name: entry for entry in _ENTRIES})
"""Every house bot by name."""
