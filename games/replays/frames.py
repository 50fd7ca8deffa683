"""What lies on the table after each step of a game, and what has become known by then."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from games.base import Document, State


@dataclass(frozen=True)
class Frame:
    """The table after step ``ply`` of the record, and after what followed from it.

    ``view`` is what all see, ``yous`` by seat what it alone knows. ``entries`` are what a spectator's log has gained:
    the step, unless it is hidden, those that it reveals, and the events that followed. Chance that nobody is asked
    about comes with the step before it: their tables are the same, their entries each one's own.
    """

    ply: int
    view: Document
    yous: list[Document]
    entries: list[Document]

    @property
    def table(self) -> Document:
        """What a frame differs in from the one before."""
        return {"view": self.view, "yous": self.yous}


def frames(state: State) -> Iterator[Frame]:
    """One frame a step of the record of ``state``, in order; the first are those of the deal."""
    told = 0
    first = 0
    for last, moment in state.retraced():
        known = moment.entries(None, told)
        told += len(known)
        view = moment.view(None)
        yous = [moment.view(seat)["you"] for seat in range(moment.seats)]
        for ply in range(first, last + 1):
            entries = [entry for entry in known if min(max(_cause(entry), first), last) == ply]
            yield Frame(ply, view, yous, entries)
        first = last + 1


def _cause(entry: Document) -> int:
    """The step that an entry came with."""
    ply: int = entry["ply"]
    return ply if "step" in entry else ply - 1
