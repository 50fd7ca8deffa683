"""The house bots: opponents for everyone, and examples for your own bot.

An entry is a folder next to this file and the command line of its ``bot.py``. The program of a bot consists of the
files in its folder and the files in ``shared/`` that it uses. They are copied into one folder before it starts. It
needs only the standard library of Python, and the levels also ``games``.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType

from games.network import BadNetwork, check
from games.registry import GAMES

HERE = Path(__file__).resolve().parent
SHARED = HERE / "shared"


def tables(*slugs: str) -> Mapping[str, tuple[int, ...]]:
    """Return all seat counts of the games ``slugs`` by slug; of all games by default."""
    return MappingProxyType({slug: GAMES[slug].seat_counts for slug in slugs or GAMES})


JEWELS = tables("edel-stein-reich", "edel-stein-reich-duel")
WINES = tables("die-weinhaendler")
_WIRE = ("wire.py",)
_WIRE_AND_CELLAR = ("cellar.py", "wire.py")


@lru_cache(maxsize=256)
def _digest(args: tuple[str, ...], sources: tuple[Path, ...], status: tuple[tuple[int, int], ...]) -> str:  # noqa: ARG001
    """Return the digest of a program. ``status``, the times and sizes of its files, is only part of the cache's key."""
    digest = sha256()
    parts = [arg.encode() for arg in args]
    for source in sources:
        parts += [source.name.encode(), source.read_bytes()]
    for part in (str(len(args)).encode(), *parts):
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.hexdigest()


@dataclass(frozen=True)
class HouseBot:
    """A house bot: the program in ``folder`` with the command line ``args``, named ``house:<name>``.

    ``games`` contains the seat counts that it plays, by game; by default all seat counts of all games.
    ``imports_games`` means that it imports the package ``games``, as bots of users can.
    """

    name: str
    title: str
    description: str
    folder: str
    args: tuple[str, ...] = ()
    games: Mapping[str, tuple[int, ...]] = field(default_factory=tables)
    imports_games: bool = False

    @property
    def path(self) -> Path:
        """The folder of the program in the installed package, without the shared files."""
        return HERE / self.folder

    @property
    def is_level(self) -> bool:
        """Whether it is one of the levels, which play with a trained network."""
        return self.folder == "level"

    @property
    def shared(self) -> tuple[Path, ...]:
        """The shared files that its program contains."""
        return tuple(SHARED / name for name in (_WIRE_AND_CELLAR if self.games is WINES else _WIRE))

    def _sources(self) -> list[Path]:
        sources = *(path for path in self.path.iterdir() if path.is_file()), *self.shared
        return sorted(sources, key=lambda source: source.name)

    def files(self) -> dict[str, bytes]:
        """Return the contents of all files of the program by name, in order."""
        return {source.name: source.read_bytes() for source in self._sources()}

    def write(self, folder: Path) -> None:
        """Write all files of the program into ``folder``, which must exist. ``bot.py`` can then be started there."""
        for name, contents in self.files().items():
            (folder / name).write_bytes(contents)

    def digest(self) -> str:
        """Return the SHA-256 of the command line and the files, 64 hex digits: same digest, same player."""
        sources = tuple(self._sources())
        status = tuple((entry.st_mtime_ns, entry.st_size) for entry in (source.stat() for source in sources))
        return _digest(self.args, sources, status)

    def plays(self, game: str, seats: int) -> bool:
        """Whether the bot plays ``game``, a slug, with ``seats`` seats."""
        return seats in self.games.get(game, ())


_ENTRIES = (
    HouseBot("random", "Random", "Plays random legal moves.", "random"),
    HouseBot("greedy", "Greedy", "Uses fixed prices and takes the most valuable item.", "greedy", (), JEWELS),
    HouseBot("miser", "Miser", "Greedy, but overvalues money.", "greedy", ("money=1.5",), JEWELS),
    HouseBot("magpie", "Magpie", "Greedy, but overvalues gems.", "greedy", ("gems=1.5",), JEWELS),
    HouseBot("gambler", "Gambler", "Greedy, but overvalues event cards.", "greedy", ("events=1.8",), JEWELS),
    HouseBot(
        "haggler", "Haggler", "Values gems by the next scoring and barters with these values.", "haggler", (), JEWELS
    ),
    HouseBot(
        "stickler",
        "Stickler",
        "Haggler, but rejects barters with a small advantage.",
        "haggler",
        ("margin=2.5",),
        JEWELS,
    ),
    HouseBot(
        "kontor", "Kontor", "Tracks the possessions of all players and predicts their choices.", "kontor", (), JEWELS
    ),
    HouseBot(
        "vintner", "Vintner", "Counts stars and makes the bid with the highest immediate value.", "vintner", (), WINES
    ),
    HouseBot("gleaner", "Gleaner", "Vintner, but undervalues bottles on display.", "vintner", ("display=0.5",), WINES),
    HouseBot("squire", "Squire", "Vintner, but overvalues bottles on display.", "vintner", ("display=1.25",), WINES),
    HouseBot("abstainer", "Abstainer", "Vintner, but prefers to draw from the stack.", "vintner", ("draw=4",), WINES),
    HouseBot("cellarman", "Cellarman", "Vintner, but lays every bottle immediately.", "vintner", ("keep=0",), WINES),
    HouseBot(
        "sommelier",
        "Sommelier",
        "Values combinations of bottles and predicts the bids of the other players.",
        "sommelier",
        (),
        WINES,
    ),
    HouseBot(
        "dreamer",
        "Dreamer",
        "Sommelier, but overestimates the chance to complete a trio.",
        "sommelier",
        ("hope=3",),
        WINES,
    ),
)
LEVELS: Mapping[int, str] = MappingProxyType({number: f"level-{number}" for number in range(1, 7)})
"""The names of the levels: bots that play with a trained network, from the weakest to the strongest."""


_LEVELS = (
    "For the first games.",
    "Makes many small mistakes.",
    "Makes some small mistakes.",
    "Plays well.",
    "Plays very well.",
    "As strong as its network.",
)


def levels() -> tuple[HouseBot, ...]:
    """Return the levels, with the games whose networks can be used. Warns of networks that cannot."""
    games = MappingProxyType({slug: GAMES[slug].seat_counts for slug in GAMES if _has_network(slug)})
    entries = (
        HouseBot(name, f"Level {number}", about, "level", (f"level={number}",), games, imports_games=True)
        for (number, name), about in zip(LEVELS.items(), _LEVELS, strict=True)
    )
    return tuple(entries) if games else ()


def _has_network(game: str) -> bool:
    try:
        check(HERE / "level" / f"{game}.safetensors", game)
    except FileNotFoundError:
        return False
    except (BadNetwork, OSError) as error:
        warnings.warn(f"The levels cannot play {game}: {error}", stacklevel=1)
        return False
    return True


HOUSE: Mapping[str, HouseBot] = MappingProxyType({entry.name: entry for entry in (*_ENTRIES, *levels())})
"""Every house bot by name."""
