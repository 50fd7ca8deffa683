"""The policy-value network of a game: which action is good, and who will win, judged by the view of one seat.

A network gets the observation of the learning contract (``games.learning``), so it knows no hidden information. One
network serves all numbers of seats of its game: it has the inputs and outputs of the largest number. With fewer seats,
the numbers of a section come first in the section, and the other inputs are 0.

A file of weights has the public format safetensors (version 0.4, https://huggingface.co/docs/safetensors), with
16-bit floats. This module needs only the standard library, so that a bot can use a network wherever ``games`` runs.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from operator import mul
from pathlib import Path
from struct import unpack_from
from typing import Any, Final

from games.learning import Chosen, Encoding
from games.registry import GAMES
from games.rules import Document

FORMAT: Final = "policy-value-network/1"
"""The format in the metadata of a file."""

TENSORS: Final = ("first", "first_bias", "second", "second_bias", "policy", "policy_bias", "value", "value_bias")
"""The arrays in a file. Matrices have shape (outputs, inputs), except ``first``: (inputs, outputs)."""

MOST_BYTES: Final = 2 << 20
"""Maximum size of a file."""

_MOST_HEADER_BYTES: Final = 1 << 16

Vector = Sequence[float]


class BadNetwork(ValueError):
    """A file of weights is damaged, or made for another game or another version of its rules or observations."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a network thinks of one decision.

    ``policy`` is the probability of each action in ``options``, in this order. ``wins`` is the expected share of the
    win by seat, with sum 1; a win that *k* seats share counts 1/*k* for each of them.
    """

    options: Sequence[int]
    policy: Vector
    wins: Vector


class Network:
    """The weights of a network for ``game``, a slug. Its two hidden layers have rectified linear units."""

    def __init__(self, game: str, weights: dict[str, Any]) -> None:
        self.game = game
        self._first, self._first_bias = weights["first"], weights["first_bias"]
        self._second, self._second_bias = weights["second"], weights["second_bias"]
        self._policy, self._policy_bias = weights["policy"], weights["policy_bias"]
        self._value, self._value_bias = weights["value"], weights["value_bias"]
        self._encodings = {seats: GAMES[game].encoding(seats) for seats in GAMES[game].seat_counts}
        self._inputs = {seats: inputs(game, seats) for seats in GAMES[game].seat_counts}

    @classmethod
    def load(cls, path: Path, game: str) -> Network:
        """Read the weights for ``game`` from a file. Raises ``BadNetwork`` and ``OSError``."""
        return cls(game, {name: _rows(shape, numbers) for name, (shape, numbers) in read(path, game).items()})

    def evaluate(self, view: Document, decision: Document, chosen: Chosen = ()) -> Evaluation:
        """Evaluate the decision of the seat of ``view``, which has chosen the actions ``chosen`` of its move so far."""
        seats = view["seats"]
        encoding = self._encodings[seats]
        hidden = self._hidden(encoding.observation(view, decision, chosen), self._inputs[seats])
        options = encoding.options(decision, chosen)
        logits = [_dot(self._policy[action], hidden) + self._policy_bias[action] for action in options]
        relative = [_dot(self._value[place], hidden) + self._value_bias[place] for place in range(seats)]
        wins = _softmax(relative)
        seat = view["seat"]
        return Evaluation(options, _softmax(logits), [wins[(other - seat) % seats] for other in range(seats)])

    def _hidden(self, numbers: Sequence[float], places: Sequence[int]) -> Vector:
        """Return the second hidden layer."""
        sums = self._first_bias
        for place, number in zip(places, numbers, strict=True):
            if number:
                sums = [total + number * weight for total, weight in zip(sums, self._first[place], strict=True)]
        layer = [max(total, 0.0) for total in sums]
        return [max(_dot(row, layer) + bias, 0.0) for row, bias in zip(self._second, self._second_bias, strict=True)]


def inputs(game: str, seats: int) -> list[int]:
    """Return the input of a network for each number of an observation with ``seats`` seats."""
    places: list[int] = []
    start = 0
    for own, largest in zip(GAMES[game].encoding(seats).sections, largest_encoding(game).sections, strict=True):
        places += range(start, start + own.size)
        start += largest.size
    return places


def metadata_of(game: str) -> dict[str, str]:
    """Return what the metadata of a file for ``game`` must contain: what the meaning of its weights depends on.

    A file also contains the SHA-256 of its tensors.
    """
    encoding = largest_encoding(game)
    shape = [[section.name, section.size] for section in encoding.sections], encoding.actions
    return {
        "format": FORMAT,
        "game": game,
        "rules": GAMES[game].rules.version,
        "encoding": sha256(json.dumps(shape).encode()).hexdigest()[:16],
    }


def save(path: Path, game: str, tensors: dict[str, Any]) -> None:
    """Write ``tensors``, NumPy arrays, as a file of weights for ``game``."""
    header: dict[str, Any] = {}
    body = b""
    for name in TENSORS:
        data = tensors[name].astype("<f2").tobytes()
        offsets = [len(body), len(body) + len(data)]
        header[name] = {"dtype": "F16", "shape": list(tensors[name].shape), "data_offsets": offsets}
        body += data
    header["__metadata__"] = metadata_of(game) | {"sha256": sha256(body).hexdigest()}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + body)


def read(path: Path, game: str) -> dict[str, tuple[list[int], Vector]]:
    """Return the tensors of a file for ``game`` by name, each with its shape and its numbers in order.

    Raises ``BadNetwork`` if the file is damaged or made for something else, and ``OSError`` if it cannot be read.
    """
    shapes, header, body = _opened(path, game)
    return {
        name: (shapes[name], unpack_from(f"<{math.prod(shapes[name])}e", body, header[name]["data_offsets"][0]))
        for name in TENSORS
    }


def check(path: Path, game: str) -> None:
    """Check a file for ``game`` in less time than :func:`read` takes. Raises the same errors."""
    _opened(path, game)


def _opened(path: Path, game: str) -> tuple[dict[str, list[int]], Any, memoryview]:
    """Return the shapes of the tensors, the header and the contents after all checks."""
    with path.open("rb") as file:
        contents = file.read(MOST_BYTES + 1)
    try:
        if len(contents) > MOST_BYTES:
            raise ValueError(f"it has more than {MOST_BYTES} bytes")
        length = int.from_bytes(contents[:8], "little")
        if not 0 < length <= min(_MOST_HEADER_BYTES, len(contents) - 8):
            raise ValueError("its header is damaged")
        header, body = json.loads(contents[8 : 8 + length]), memoryview(contents)[8 + length :]
        _require_metadata(header["__metadata__"], game, body)
        shapes = _shapes(game, header["first_bias"]["shape"][0], header["second_bias"]["shape"][0])
        for name in TENSORS:
            _require_tensor(name, header[name], shapes[name], len(body))
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise BadNetwork(f"{path} is not a network for {game}: {error}. Train it again or reinstall it") from error
    return shapes, header, body


def _require_metadata(found: dict[str, str], game: str, body: memoryview) -> None:
    for key, value in metadata_of(game).items():
        if found.get(key) != value:
            raise ValueError(f"its {key} is {found.get(key)!r}, and this version needs {value!r}")
    if found.get("sha256") != sha256(body).hexdigest():
        raise ValueError("its weights are damaged")


def _require_tensor(name: str, entry: dict[str, Any], shape: list[int], most: int) -> None:
    if entry["dtype"] != "F16" or entry["shape"] != shape:
        raise ValueError(f"its tensor {name!r} is {entry['dtype']} {entry['shape']}, not F16 {shape}")
    start, end = entry["data_offsets"]
    if not 0 <= start <= end <= most or end - start != 2 * math.prod(shape):
        raise ValueError(f"the offsets of its tensor {name!r} are wrong")


def _shapes(game: str, first: int, second: int) -> dict[str, list[int]]:
    """Return the shapes of all tensors from the numbers of units in the hidden layers."""
    encoding = largest_encoding(game)
    return {
        "first": [encoding.size, first],
        "first_bias": [first],
        "second": [second, first],
        "second_bias": [second],
        "policy": [len(encoding.actions), second],
        "policy_bias": [len(encoding.actions)],
        "value": [encoding.seats, second],
        "value_bias": [encoding.seats],
    }


def _rows(shape: list[int], numbers: Vector) -> Any:
    """Return a vector, or a matrix as a list of its rows."""
    if len(shape) == 1:
        return numbers
    return [numbers[start : start + shape[1]] for start in range(0, len(numbers), shape[1])]


def largest_encoding(game: str) -> Encoding:
    """Return the encoding for the largest number of seats, whose numbers and actions are those of a network."""
    return GAMES[game].encoding(max(GAMES[game].seat_counts))


def _dot(first: Vector, second: Vector) -> float:
    total: float = sum(map(mul, first, second))
    return total


def _softmax(logits: Sequence[float]) -> list[float]:
    if not logits:
        return []
    highest = max(logits)
    weights = [math.exp(logit - highest) for logit in logits]
    total = sum(weights)
    return [weight / total for weight in weights]
