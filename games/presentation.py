"""The presentation contract: texts, symbols and drawings of a game.

All of it is optional except the folder. Without a board, pages show views as tables; without a story of its own, a
game is told step by step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Literal, Protocol

from games.story import Chapter, plain_story
from games.tutorial import Tutorial


@dataclass(frozen=True)
class ScoreColumn:
    """One column of a table of results: its heading with the unit, and how to read it from a score object.

    The text may hold tokens, such as ``{R}`` for a red gem (``Presentation.tokens``).
    """

    heading: str
    text: Callable[[Mapping[str, Any]], str]


class Story(Protocol):
    """Tell the game of a ``game-log/1`` in sentences, one chapter per round.

    ``names`` are those of the seats. With ``by_step`` no sentence tells of two steps, for readers who go through a game
    step by step. Raises ``ValueError`` unless there is one name per seat.
    """

    def __call__(self, log: Mapping[str, Any], names: Sequence[str], by_step: bool = False) -> list[Chapter]: ...


Beat = Literal["step", "barter", "reveal", "scoring"]
"""How a step of a game is shown at a live table: how long, and with which sound (``ladder.live.clocks``)."""

POINTS = (ScoreColumn("Points", lambda score: str(score["points"])),)
"""The score columns of a game whose scores are ``{"points": 12}``."""


@dataclass(frozen=True, eq=False)
class Presentation:
    """How a game looks to people.

    ``folder`` is the name of its package in ``games/``, which holds the file ``guide`` and, optionally,
    ``starter/strategy.py``.

    ``tokens`` may appear in braces in its guide and score columns, with the words for them: ``{"R": "red"}`` for
    ``{R}``. ``games.words.in_words`` replaces them by words; pages draw the symbols of ``drawing``, the name of a file
    in ``esr_platform/static/esr/drawings/`` that has a symbol for every token. ``pictures`` are further symbols of that
    drawing that only the guide may use. Games may share a drawing.

    ``board`` is the name of the module in ``esr_platform/static/esr/boards/`` that draws its table
    (``docs/internals/boards.md``) and of the one in ``composers/`` that composes moves; ``""``: the plain ones show
    any view and any decision.

    ``score_columns`` are those of a table of results, left to right. ``terms`` are the other English words that pages
    and boards use for the game: translations must have them. ``tutorial`` plays the beginning with a newcomer.

    ``beats`` has the beat of decisions by kind and of events by type. Other decisions are a ``step``; other events
    are shown with the decision that they follow. The steps of a simultaneous choice are one ``reveal``.
    """

    folder: str
    guide_file: str = "guide.md"
    tokens: Mapping[str, str] = field(default_factory=dict)
    pictures: Mapping[str, str] = field(default_factory=dict)
    drawing: str = ""
    board: str = ""
    score_columns: Sequence[ScoreColumn] = POINTS
    story: Story = plain_story
    terms: Sequence[str] = ()
    tutorial: Tutorial | None = None
    beats: Mapping[str, Beat] = field(default_factory=dict)

    @property
    def guide(self) -> str:
        """The rules for a newcomer, as Markdown.

        Pages draw code blocks whose first word is ``chain``, ``steps``, ``cards``, ``piles`` or ``pyramid``.
        """
        return files(f"games.{self.folder}").joinpath(self.guide_file).read_text(encoding="utf-8")

    @property
    def drawn(self) -> Mapping[str, str]:
        """All that the guide may hold in braces, with the words for it."""
        return {**self.tokens, **self.pictures}

    @property
    def starter(self) -> str:
        """The ``strategy.py`` of a first bot: a commented source that decides simply.

        It needs the standard library only and has a class ``Strategy``, made from the ``hello``, whose
        ``choose(decision, view, log)`` returns a legal move for every decision. Without ``starter/strategy.py`` in the
        game's folder this is ``games/plain_starter/strategy.py``, which plays any game by listed moves and defaults.
        """
        own = files(f"games.{self.folder}").joinpath("starter", "strategy.py")
        return (own if own.is_file() else files("games").joinpath("plain_starter", "strategy.py")).read_text("utf-8")
