"""The documents that a site and a worker host exchange, on the side of the host and on that of the site.

A host gets an assignment: a match with its seed and the seeds of its bots, but no key from which other seeds follow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Final

from bots.protocol import Limits
from bots.runner.spec import HouseProgram, MatchSpec, SeatSpec, StoredProgram
from games.rules import Document

PROTOCOL: Final = 1
"""The version of the exchange. A host with another version or another release of the site gets no work."""


@dataclass(frozen=True)
class UploadedProgram:
    """An uploaded archive that a worker host fetches by its ``digest``. ``filename`` ends like that of the upload."""

    digest: str
    filename: str
    entry: str
    args: tuple[str, ...] = ()


def assignment(token: str, lasts_s: float, renew_every_s: float, spec: MatchSpec[Any]) -> Document:
    """Return the document of a match that a host gets with the lease ``token``."""
    return {
        "lease": token,
        "lasts_s": lasts_s,
        "renew_every_s": renew_every_s,
        "match": spec.match,
        "game": spec.game,
        "seed": spec.seed.hex(),
        "limits": asdict(spec.limits),
        "played_before": spec.played_before,
        "seats": [
            {"label": seat.label, "bot_seed": bot_seed, **_program(seat.program)}
            for seat, bot_seed in zip(spec.seats, spec.bot_seeds, strict=True)
        ],
    }


def _program(program: HouseProgram | UploadedProgram) -> Document:
    return {"house" if isinstance(program, HouseProgram) else "uploaded": asdict(program)}


def spec_of(document: Document, stored: Callable[[UploadedProgram], StoredProgram]) -> MatchSpec[Any]:
    """Return the specification of an assignment. ``stored`` fetches the code of a seat.

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
    )


def _started(seat: Document, stored: Callable[[UploadedProgram], StoredProgram]) -> HouseProgram | StoredProgram:
    if "house" in seat:
        return HouseProgram(**seat["house"])
    uploaded = seat["uploaded"]
    return stored(UploadedProgram(**{**uploaded, "args": tuple(uploaded["args"])}))
