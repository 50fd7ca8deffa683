"""The users of a demo site and their bots."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bots.archives import zip_of
from bots.house.catalogue import HOUSE
from bots.manifest import FILE
from bots.starter_kits import bot_files
from games.registry import GAMES

# --- People and bots -------------------------------------------------------------------------------------------------

JEWELS: Final = "edel-stein-reich"
DUEL: Final = "edel-stein-reich-duel"
WINES: Final = "die-weinhaendler"

PEOPLE: Final = (
    *("anouk", "bosse", "delia", "femke", "hugo", "ines", "jonna", "kofi"),
    *("lior", "marek", "orla", "pavel", "ruth", "samir", "tomas", "yuki"),
)
"""Usernames. These accounts have no passwords, so nobody can sign in with them."""


@dataclass(frozen=True)
class DemoBot:
    """A demo bot: the program of a house bot or a starter kit (``base``), with the arguments of each version.

    The first version is uploaded when the share ``comes`` of the matches has been played, the others later.
    """

    owner: str
    name: str
    description: str
    base: str
    games: dict[str, tuple[int, ...]]
    versions: tuple[tuple[str, ...], ...]
    comes: float = 0.0

    @property
    def house(self) -> str:
        """Name of the house bot that it is based on; empty for a starter kit."""
        return "" if self.base == "starter" else self.base


def _gems(*seats: int, duel: bool = False) -> dict[str, tuple[int, ...]]:
    return {**({JEWELS: seats} if seats else {}), **({DUEL: (2,)} if duel else {})}


def _wine(*seats: int) -> dict[str, tuple[int, ...]]:
    return {WINES: seats}


BOTS: Final = (
    DemoBot(
        "delia",
        "Jackdaw",
        "Takes what glitters and asks the price afterwards.",
        "greedy",
        _gems(3, 4),
        (("gems=1.2",), ("gems=1.35", "events=0.8"), ("gems=1.3", "money=1.1")),
    ),
    DemoBot("kofi", "Ledger", "Keeps a record of every opponent.", "kontor", _gems(4, 5), ((),)),
    DemoBot(
        "hugo",
        "Tulip",
        "Haggles as if the market closed in a minute.",
        "haggler",
        _gems(3, 4, duel=True),
        (("margin=1.5",), ("margin=0.9",), ("margin=0.6", "events=1.1")),
    ),
    DemoBot(
        "marek", "Goldfinch", "Small offers, many of them.", "haggler", _gems(4), (("margin=0.2",), ("margin=0.35",))
    ),
    DemoBot(
        "ines",
        "Pawnbroker",
        "Lends nothing, keeps everything.",
        "greedy",
        _gems(4, 5, duel=True),
        (("money=2",), ("money=1.7",)),
    ),
    DemoBot("yuki", "Lantern", "Looks for event cards in the dark.", "greedy", _gems(3, 5), (("events=2.2",),)),
    DemoBot("tomas", "First light", "A starter kit that has not been changed much yet.", "starter", _gems(3, 4), ((),)),
    DemoBot(
        "anouk",
        "Fence",
        "Buys from anyone who has to sell.",
        "haggler",
        _gems(duel=True),
        (("margin=1",), ("margin=0.7",)),
    ),
    DemoBot("samir", "Two-hander", "Plays only the duel.", "kontor", _gems(duel=True), ((),)),
    DemoBot(
        "orla",
        "Lees",
        "Drinks what is left in the glass.",
        "vintner",
        _wine(3, 4),
        (("draw=2",), ("draw=1.6",), ("draw=1.4", "margin=0.1")),
    ),
    DemoBot(
        "femke", "Cooper", "First the barrel, then the wine.", "sommelier", _wine(4, 5), (("hope=1.5",), ("hope=1.2",))
    ),
    DemoBot(
        "pavel", "Terroir", "Believes in the slope behind the house.", "vintner", _wine(3, 4, 5), (("display=1.1",),)
    ),
    DemoBot("jonna", "Tendril", "Climbs up the display.", "vintner", _wine(3), (("display=1.4",), ("display=1.2",))),
    DemoBot("bosse", "Blind tasting", "The unchanged starter kit for Die Weinhändler.", "starter", _wine(3, 4), ((),)),
    DemoBot("lior", "Rivalry", "Would rather you did not have it.", "sommelier", _wine(4), (("rivalry=1.6",),)),
    DemoBot(
        "ruth",
        "Blackboard",
        "The strategy of our class.",
        "haggler",
        _gems(4),
        (("margin=1.2",), ("margin=0.8",)),
    ),
    DemoBot(
        "demo",
        "Firefly",
        "Your own bot on this demo site. Upload a better version!",
        "greedy",
        _gems(4),
        (("gems=1.1",),),
    ),
    DemoBot(
        "tomas",
        "Second thoughts",
        "Changes its mind for a small advantage.",
        "haggler",
        _gems(3, 4),
        (("margin=0.1",),),
        comes=0.3,
    ),
    DemoBot(
        "yuki",
        "Corkscrew",
        "Opens every bottle immediately.",
        "vintner",
        _wine(4, 5),
        (("keep=1",), ("keep=3",)),
        comes=0.35,
    ),
    DemoBot(
        "kofi",
        "Heron",
        "Waits patiently, then strikes.",
        "greedy",
        _gems(3, 5),
        (("money=1.2", "events=1.4"),),
        comes=0.5,
    ),
    DemoBot(
        "samir",
        "Vintage",
        "Only the good years.",
        "sommelier",
        _wine(3, 5),
        (("guesses=4",), ("guesses=8",)),
        comes=0.55,
    ),
    DemoBot("anouk", "Paper boat", "A starter kit, folded twice.", "starter", _gems(4), ((),), comes=0.8),
    DemoBot("delia", "Nightshift", "Plays better without spectators.", "kontor", _gems(3), ((),), comes=0.9),
)


@dataclass(frozen=True)
class Visitor:
    """A remote demo bot: a house bot in a separate process that plays on one live ladder."""

    owner: str
    name: str
    label: str
    house: str
    ladder: str


VISITORS: Final = (
    Visitor("ruth", "Far Lantern", "lesson-3", "greedy", f"{JEWELS}-3-remote"),
    Visitor("orla", "Ferry", "epoch-40", "haggler", f"{JEWELS}-3-remote"),
    Visitor("demo", "Glow-worm", "desk", "kontor", f"{JEWELS}-3-remote"),
    Visitor("lior", "Courier", "main", "sommelier", f"{WINES}-3-open"),
)


@dataclass(frozen=True)
class Meeting:
    """Games between users on one ladder, from the share ``comes`` of the matches on."""

    ladder: str
    people: tuple[str, ...]
    games: int = 1
    comes: float = 0.2

    def plays_like(self, name: str) -> str:
        """Name of the house bot that chooses the moves of this user."""
        like = WINE_STYLES if self.ladder.startswith(WINES) else GEM_STYLES
        return like[PEOPLE.index(name) % len(like)]


GEM_STYLES: Final = ("haggler", "greedy", "miser", "stickler", "magpie", "gambler")
WINE_STYLES: Final = ("vintner", "squire", "gleaner", "cellarman")
"""House bots that choose the moves of the users, in the order of the users."""

MEETINGS: Final = (
    Meeting(f"{DUEL}-people", ("anouk", "samir"), games=2),
    Meeting(f"{DUEL}-people", ("hugo", "ines"), games=2, comes=0.22),
    Meeting(f"{DUEL}-people", ("samir", "hugo"), comes=0.35),
    Meeting(f"{DUEL}-people", ("femke", "anouk"), games=2, comes=0.5),
    Meeting(f"{JEWELS}-3-people", ("delia", "kofi", "yuki"), games=2, comes=0.25),
    Meeting(f"{JEWELS}-3-people", ("kofi", "marek", "tomas"), games=2, comes=0.4),
    Meeting(f"{JEWELS}-4-people", ("ruth", "tomas", "marek", "delia"), games=2, comes=0.3),
    Meeting(f"{JEWELS}-4-people", ("yuki", "ruth", "hugo", "kofi"), comes=0.6),
    Meeting(f"{WINES}-3-people", ("orla", "pavel", "jonna"), games=2, comes=0.28),
    Meeting(f"{WINES}-3-people", ("bosse", "lior", "orla"), comes=0.55),
    Meeting(f"{WINES}-4-people", ("femke", "pavel", "bosse", "jonna"), comes=0.45),
)
"""Rated games between users."""

OFFERS: Final = (
    Meeting(f"{JEWELS}-5-people", ("lior", "femke"), comes=0.92),
    Meeting(f"{WINES}-4-people", ("jonna",), comes=0.94),
)
"""Open casual games with free seats."""


# --- Uploads ---------------------------------------------------------------------------------------------------------


def archive(bot: DemoBot, number: int) -> bytes:
    """Return the zip of version ``number`` (from 1). It is reproducible. Raises ``IndexError``."""
    args = bot.versions[number - 1]
    files = _of_the_house(bot, args) if bot.house else _starter(bot)
    return zip_of(files)


def _of_the_house(bot: DemoBot, args: tuple[str, ...]) -> dict[str, str]:
    sources = {name: source.decode() for name, source in HOUSE[bot.house].files().items()}
    return {**sources, FILE: _manifest(bot.name, ("bot.py", *args), bot.games)}


def _starter(bot: DemoBot) -> dict[str, str]:
    kit = bot_files(bot.name, GAMES[next(iter(bot.games))])
    return {**kit, FILE: _manifest(bot.name, ("bot.py",), bot.games)}


def _manifest(name: str, command: tuple[str, ...], games: Mapping[str, tuple[int, ...]]) -> str:
    tables = "\n".join(f"{slug} = {list(seats)}" for slug, seats in games.items())
    return (
        f'name = {json.dumps(name)}\nlanguage = "python"\ncommand = {json.dumps(list(command))}\n\n[games]\n{tables}\n'
    )
