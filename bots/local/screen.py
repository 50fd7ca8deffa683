"""Where a command writes: sentences, tables and progress for people, or one JSON document for a machine."""

from __future__ import annotations

import json
import sys
from typing import Any

from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn

from bots.local.escaping import escaped


class Screen:
    """With ``machine`` nothing but one JSON document goes to stdout; progress goes to stderr, if that is a terminal."""

    def __init__(self, machine: bool = False) -> None:
        self.machine = machine
        self.console = Console(stderr=machine)

    def say(self, line: str, style: str | None = None) -> None:
        """A line for people; control characters in it are escaped."""
        if not self.machine:
            self.console.print(_harmless(line), style=style, markup=False, highlight=False, soft_wrap=True)

    def show(self, drawing: RenderableType) -> None:
        """A table or a text for people."""
        if not self.machine:
            self.console.print(drawing)

    def answer(self, document: dict[str, Any]) -> None:
        """The whole result for a machine, on one line."""
        if self.machine:
            sys.stdout.write(json.dumps(document, ensure_ascii=True) + "\n")
            sys.stdout.flush()

    def fail(self, message: str, status: int) -> int:
        """Say on stderr, or to the machine, what went wrong; ``status`` is handed on."""
        self.answer({"ok": False, "error": message})
        if not self.machine:
            text = _harmless(message)  # it may be what a site has said
            Console(stderr=True).print(text, style="red", markup=False, highlight=False, soft_wrap=True)
        return status

    def progress(self, *columns: ProgressColumn) -> Progress:
        """Bars that vanish when they are full; nothing where nobody looks."""
        shown = (TextColumn("{task.description}"), BarColumn(), *columns, TimeRemainingColumn())
        return Progress(*shown, console=self.console, transient=True, disable=not self.console.is_terminal)


def _harmless(text: str) -> str:
    return "\n".join(map(escaped, text.split("\n")))
