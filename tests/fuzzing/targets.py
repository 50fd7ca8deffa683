"""What is fuzzed: how an input is made, and what has to hold whatever it is. Anything raised is a fault."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from bots.archives import Archive, ArchiveRefused, read_upload
from bots.manifest import ManifestError, parse
from bots.protocol import Answer, Malformed, is_ready, parse_answer
from games import strict
from tests.bots.archives.crafted import BOTS, FORM, KINDS, NAMES, PACKING, SMALL, TAKEN
from tests.bots.archives.other_readers import read_from_the_back, read_from_the_front
from tests.fuzzing.mutations import SIGNATURES, archives, mutated

LONGEST_SENTENCE: Final = 400
LONGEST_SAMPLE: Final = 4000


class Target(NamedTuple):
    """``check`` raises ``AssertionError``, or whatever got through, for an input that shows a fault."""

    inputs: SearchStrategy[bytes]
    check: Callable[[bytes], None]


def check_archive(data: bytes) -> None:
    """An archive is refused with a message, or taken within the limits and read by everybody as by us."""
    try:
        archive = read_upload("bot.zip", data, SMALL)
    except ArchiveRefused as refusal:
        _is_sentence(str(refusal))
        return
    assert 1 <= len(archive.files) <= SMALL.files
    assert archive.unpacked_bytes <= SMALL.unpacked_bytes
    assert archive.manifest.entry in archive.files
    assert not any(path.startswith("/") or ".." in path.split("/") or "\\" in path for path in archive.files)
    _others_agree(data, archive)


def _others_agree(data: bytes, archive: Archive) -> None:
    back, front = read_from_the_back(data), read_from_the_front(data)
    assert back == front
    files = {name.removeprefix("./"): content for name, content in back.items()}
    around = next(name for name in files if name).partition("/")[0] + "/"
    inside = "" if all(path in files for path in archive.files) else around
    assert all(files[inside + path] == content for path, content in archive.files.items())


def check_python_file(data: bytes) -> None:
    """One ``.py`` is refused with a message, or taken as it is."""
    try:
        assert read_upload("bot.py", data, SMALL).files == {"bot.py": data}
    except ArchiveRefused as refusal:
        _is_sentence(str(refusal))


def check_manifest(data: bytes) -> None:
    """A ``bot.toml`` is refused with a message, or it is valid."""
    try:
        manifest = parse(data)
    except ManifestError as error:
        _is_sentence(str(error))
        return
    assert manifest.name and manifest.entry and manifest.formats


def check_answer(line: bytes) -> None:
    """A line is an answer that every strict reader of JSON reads in the same way, or it is malformed."""
    answer, ready = parse_answer(line), is_ready(line)
    assert type(ready) in (bool, Malformed)
    if type(answer) is Malformed:
        assert answer.reason
        assert answer.reason.isprintable()
        return
    assert type(answer) is Answer
    document = strict.parse(line)
    assert type(document["id"]) is int
    assert document["id"] == answer.id
    assert _alike(document["move"], answer.move)


def check_strict(text: bytes) -> None:
    """JSON is refused with ``ValueError``, or read as Python's own reader does and not more leniently."""
    try:
        document = strict.parse(text)
    except ValueError:
        return
    assert strict.same(document, json.loads(text))


def _is_sentence(text: str) -> None:
    assert text.isprintable()
    assert text.endswith(".")
    assert len(text) <= LONGEST_SENTENCE


def _alike(first: Any, second: Any) -> bool:
    """Whether two readers mean the same; whole numbers beyond 64 bits are near ones to one of them."""
    if type(first) is int and type(second) is float:
        return abs(first) >= 1 << 63 and float(first) == second
    if type(first) is not type(second):
        return False
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(_alike(value, second[key]) for key, value in first.items())
    if isinstance(first, list):
        return len(first) == len(second) and all(map(_alike, first, second))
    return bool(first == second)


_TAKEN: Final = [data for data, _ in TAKEN.values()]
_REFUSED: Final = [data for table in (NAMES, KINDS, PACKING, FORM, BOTS) for data, _ in table.values()]
_ARCHIVES: Final = [data for data in [*5 * _TAKEN, *_REFUSED] if len(data) < LONGEST_SAMPLE]
_MANIFESTS: Final = [
    b'name = "Ruby"\nlanguage = "python"\ncommand = ["bot.py", "-v"]\n[games]\nedel-stein-reich = [3, 4]\n',
    b'name="x"\nlanguage="executable"\ncommand=["b"]\ngames={die-weinhaendler=[5],edel-stein-reich-duel=[2]}',
]
_TOML_WORDS: Final = [
    b'"""',
    b"'''",
    b"[[",
    b"]",
    b"{",
    b"=",
    b".a" * 50,
    b"[" * 500,
    b"0x" + b"f" * 900,
    b"1" * 900,
    b"nan",
    b"\\u",
]
_ANSWERS: Final = [
    b'{"id": 17, "move": "money"}\n',
    b'{"move":{"offer":[0,0,1,0]},"id":1}',
    '{"id": 4, "move": "ä \\ud83d\\ude00", "why": [{"a": 1.5e3}, {"a": null}, "12:30"], "also": {"x": true}}'.encode(),
    b'{"type": "ready", "name": "my bot"}\n',
    b'{"id": 1, "move": ' + b"[" * 64 + b"]" * 64 + b"}",
]
_JSON_PIECES: Final = [b'"id":1,', b'"move":', b'{"a":', b'"i\\u0064":2,', b"true", b'"', b"\\", b":", b"}", b"\\ud800"]
_JSON_NUMBERS: Final = [b"NaN", b"-Infinity", b"1e999", b"9" * 30, b"9" * 5000, b"-0", b"1.0", b"01"]
_JSON_DEPTHS: Final = [b"[" * 70, b"]" * 70, b'{"a":' * 400, b"[" * 3000]
_NO_JSON: Final = [b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\0"]
_JSON_WORDS: Final = [*_JSON_PIECES, *_JSON_NUMBERS, *_JSON_DEPTHS, *_NO_JSON]

TARGETS: Final[dict[str, Target]] = {
    "archives with bytes changed": Target(mutated(_ARCHIVES, SIGNATURES), check_archive),
    "archives that say anything": Target(archives(), check_archive),
    "Python files": Target(
        st.binary(max_size=40) | mutated([b"pass\n", "x = 'ä'".encode()], SIGNATURES), check_python_file
    ),
    "manifests": Target(mutated(_MANIFESTS, _TOML_WORDS), check_manifest),
    "answers": Target(mutated(_ANSWERS, _JSON_WORDS), check_answer),
    "strict JSON": Target(mutated(_ANSWERS, _JSON_WORDS), check_strict),
}
