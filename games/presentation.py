"""The presentation contract: texts, symbols and drawings of a game.

Everything except the folder is optional. Without a board, pages show views as tables. Without its own story, the move
list of a game has one sentence per step.
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
    """One column of a results table: its heading with the unit, and a function that formats a score object.

    The text can contain tokens, such as ``{R}`` for a red gem (``Presentation.tokens``).
    """

    heading: str
    text: Callable[[Mapping[str, Any]], str]


class Story(Protocol):
    """Return the move list of a ``game-log/1``, one chapter per round.

    ``names`` are the names of the seats. With ``by_step``, no sentence describes two steps, for readers who go through
    a game step by step. Raises ``ValueError`` unless there is one name per seat.
    """

    def __call__(self, log: Mapping[str, Any], names: Sequence[str], by_step: bool = False) -> list[Chapter]: ...


Beat = Literal["step", "barter", "reveal", "scoring"]
"""The duration and the sound of a step at a live table (``ladder.live.clocks``)."""

POINTS = (ScoreColumn("Points", lambda score: str(score["points"])),)
"""The score columns of a game whose scores are ``{"points": 12}``."""


@dataclass(frozen=True, eq=False)
class Presentation:
    """How a game is shown to people.

    ``folder`` is the name of the game's package in ``games/``. It contains the file ``guide_file`` and, optionally,
    ``starter/strategy.py``.

    ``tokens`` maps names that can appear in braces in the guide and in score columns to words: ``{"R": "red"}`` for
    ``{R}``. ``games.words.in_words`` replaces them by words. Pages draw the symbols of ``drawing``, the name of a file
    in ``esr_platform/static/esr/drawings/`` that has a symbol for every token. ``pictures`` are further symbols of the
    drawing that only the guide can use. Games can share a drawing. ``cover`` are the symbols that pictures for link
    previews show.

    ``board`` is the name of the module in ``esr_platform/static/esr/boards/`` that draws the table
    (``docs/internals/boards.md``) and of the module in ``composers/`` that composes moves. With ``""``, plain modules
    show any view and any decision. ``board_has_panel`` says whether the board has a panel (``side``), so that pages can
    reserve its place before the script runs.

    ``score_columns`` are the columns of a results table, from left to right. ``terms`` are other English words that
    pages and boards use for the game; they must be translated. ``tutorial`` plays the beginning of the game with a
    newcomer.

    ``beats`` maps kinds of decisions and types of events to beats. Other decisions are a ``step``. Other events are
    shown with the decision that they follow. The steps of a simultaneous choice are one ``reveal``.
    """

    folder: str
    guide_file: str = "guide.md"
    tokens: Mapping[str, str] = field(default_factory=dict)
    pictures: Mapping[str, str] = field(default_factory=dict)
    drawing: str = ""
    cover: Sequence[str] = ()
    board: str = ""
    board_has_panel: bool = False
    score_columns: Sequence[ScoreColumn] = POINTS
    story: Story = plain_story
    terms: Sequence[str] = ()
    tutorial: Tutorial | None = None
    beats: Mapping[str, Beat] = field(default_factory=dict)

    @property
    def guide(self) -> str:
        """The rules for newcomers, as Markdown.

        Pages draw code blocks whose first word is ``chain``, ``steps``, ``cards``, ``piles`` or ``pyramid``.
        """
        return files(f"games.{self.folder}").joinpath(self.guide_file).read_text(encoding="utf-8")

    @property
    def drawn(self) -> Mapping[str, str]:
        """All names that can appear in braces in the guide, with their words."""
        return {**self.tokens, **self.pictures}

    @property
    def starter(self) -> str:
        """The source of ``strategy.py`` in the starter kit: a commented bot with a simple strategy.

        It needs only the standard library. Its class ``Strategy`` is created with the ``hello``; ``choose(decision,
        view, log)`` returns a legal move for every decision. Without ``starter/strategy.py`` in the folder of the game,
        this is ``games/plain_starter/strategy.py``, which plays listed and default moves of any game.
        """
        own = files(f"games.{self.folder}").joinpath("starter", "strategy.py")
        return (own if own.is_file() else files("games").joinpath("plain_starter", "strategy.py")).read_text("utf-8")
