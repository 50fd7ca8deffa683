"""The documents that a site and a worker host exchange, on the side of the host and on that of the site.

A host gets an assignment: a game with its seed and the seeds of its bots, or one decision at a live table, but no key
from which other seeds follow. A ``lease`` is ``kind/row/token``, a part of the URLs by which the host ends it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Final

from bots.protocol import Limits
from bots.runner.spec import HouseProgram, MatchSpec, SeatSpec, StoredProgram
from bots.worker.live import LiveDecision
from games.rules import Document

PROTOCOL: Final = 2
"""The version of the exchange. A host with another version or another release of the site gets no work."""


SENT_BYTES: Final = 501
"""Of a line of a bot, a host sends the start, one byte more than owners see."""


@dataclass(frozen=True)
class UploadedProgram:
    """An uploaded archive that a worker host fetches by its ``digest``. ``filename`` ends like that of the upload."""

    digest: str
    filename: str
    entry: str
    args: tuple[str, ...] = ()


def game_document(spec: MatchSpec[Any]) -> Document:
    """Return what a host is told of a game: a match, or a trial of an upload."""
    return {
        "match": spec.match,
        "game": spec.game,
        "seed": spec.seed.hex(),
        "limits": asdict(spec.limits),
        "played_before": spec.played_before,
        "trial": spec.trial,
        "seats": [
            {"label": seat.label, "bot_seed": bot_seed, **_program(seat.program)}
            for seat, bot_seed in zip(spec.seats, spec.bot_seeds, strict=True)
        ],
    }


def _program(program: HouseProgram | UploadedProgram) -> Document:
    return {"house" if isinstance(program, HouseProgram) else "uploaded": asdict(program)}


def spec_of(document: Document, stored: Callable[[UploadedProgram], StoredProgram]) -> MatchSpec[Any]:
    """Return the specification of a game. ``stored`` fetches the code of a seat.

    Raises ``KeyError``, ``TypeError`` and ``ValueError`` for a document in another form.
    """
    return MatchSpec(
        game=document["game"],
        seats=tuple(SeatSpec(seat["label"], _started(seat, stored)) for seat in document["seats"]),
        seed=bytes.fromhex(document["seed"]),
        limits=Limits(**document["limits"]),
        match=document["match"],
        bot_seeds=tuple(seat["bot_seed"] for seat in document["seats"]),
        played_before=document["played_before"],
        trial=document["trial"],
    )


def decision_document(decision: LiveDecision[Any]) -> Document:
    """Return what a host is told of a decision at a live table."""
    asked = {"label": decision.label, "hellos": list(decision.hellos), "decide": decision.decide}
    return {**asked, **_program(decision.program)}


def decision_of(document: Document, stored: Callable[[UploadedProgram], StoredProgram]) -> LiveDecision[Any]:
    """Return the decision of a document. ``stored`` fetches the code of the bot. Raises as :func:`spec_of`."""
    label, hellos = document["label"], tuple(document["hellos"])
    return LiveDecision(label, _started(document, stored), hellos, document["decide"])


def _started(seat: Document, stored: Callable[[UploadedProgram], StoredProgram]) -> HouseProgram | StoredProgram:
    if "house" in seat:
        return HouseProgram(**seat["house"])
    uploaded = seat["uploaded"]
    return stored(UploadedProgram(**{**uploaded, "args": tuple(uploaded["args"])}))
