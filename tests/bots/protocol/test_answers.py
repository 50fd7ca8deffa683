from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bots.protocol import MAX_ANSWER_BYTES, Answer, Malformed, Posted, is_ready, parse_answer, parse_posted

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("line", "number", "move"),
    [
        (b'{"id": 17, "move": "money"}\n', 17, "money"),
        (b'{"move":{"offer":[0,0,1,0]},"id":1}', 1, {"offer": [0, 0, 1, 0]}),
        (
            b' { "id" : 3 , "move" : "pass" , "why" : "12:30", "also" : {"deep": {"er": [{"a": 1}, {"a": 2}]}} } \r\n',
            3,
            "pass",
        ),
        (b'{"id": -4, "move": null}', -4, None),
        (b'{"id": 4, "move": 1.0}', 4, 1.0),
        ('{"id": 4, "move": "ä \\ud83d\\ude00"}'.encode(), 4, "ä 😀"),
    ],
)
def test_an_answer_is_an_object_with_an_integer_id_and_a_move(line: bytes, number: int, move: Any) -> None:
    answer = parse_answer(line)
    assert answer == Answer(number, move)
    assert type(answer) is Answer


MALFORMED = {
    "nothing": b"",
    "a blank line": b"\n",
    "a word": b"money\n",
    "a list": b'[{"id": 1, "move": "money"}]',
    "a string": b'"money"',
    "two objects": b'{"id": 1, "move": "money"} {"id": 1, "move": "money"}',
    "half an object": b'{"id": 1, "mo',
    "no id": b'{"move": "money"}',
    "no move": b'{"id": 1}',
    "an id that is true": b'{"id": true, "move": "money"}',
    "an id that is 1.0": b'{"id": 1.0, "move": "money"}',
    "an id that is 1e0": b'{"id": 1e0, "move": "money"}',
    "an id in quotes": b'{"id": "1", "move": "money"}',
    "an id with 60000 digits": b'{"id": ' + b"1" * 60_000 + b', "move": "money"}',
    "a move with 60000 digits": b'{"id": 1, "move": ' + b"1" * 60_000 + b"}",
    "NaN": b'{"id": 1, "move": NaN}',
    "Infinity": b'{"id": 1, "move": -Infinity}',
    "a number without bounds": b'{"id": 1, "move": 1e999}',
    "a lone surrogate": b'{"id": 1, "move": "\\ud800"}',
    "a lone low surrogate": b'{"id": 1, "move": "\\udc00x"}',
    "a surrogate in UTF-8": b'{"id": 1, "move": "\xed\xa0\x80"}',
    "bytes that are no UTF-8": b'{"id": 1, "move": "\xff"}',
    "overlong UTF-8": b'{"id": 1, "move": "\xc0\xaf"}',
    "UTF-16": '{"id": 1, "move": "money"}'.encode("utf-16"),
    "a byte order mark": b'\xef\xbb\xbf{"id": 1, "move": "money"}',
    "a NUL": b'{"id": 1, "move": "money"}\x00',
    "deep lists": b'{"id": 1, "move": ' + b"[" * 30_000 + b"]" * 30_000 + b"}",
    "deep objects": b'{"id": 1, "move": ' + b'{"a":' * 10_000 + b"1" + b"}" * 10_000 + b"}",
    "a deep answer with colons": b'{"id": 1, "move": ' + b'{"a":' * 1000 + b"1" + b"}" * 1000 + b"}",
    "the id twice": b'{"id": 1, "id": 1, "move": "money"}',
    "the id twice, once escaped": b'{"id": 1, "\\u0069d": 1, "move": "money"}',
    "the move twice": b'{"id": 1, "move": "money", "move": "event"}',
    "a key twice in the move": b'{"id": 1, "move": {"offer": [1, 0, 0, 0], "offer": [0, 0, 0, 1]}}',
    "a key twice in what is ignored": b'{"id": 1, "move": "money", "x": [[{"y": 1, "y": 2}]]}',
    "a key twice, and a colon in a string to make up for it": b'{"id": 1, "move": {"a": ":", "a": 1}}',
    "65 lists": b'{"id": 1, "move": ' + b"[" * 65 + b"]" * 65 + b"}",
    "deep lists in what is ignored": b'{"id": 1, "move": "money", "x": ' + b"[" * 65 + b"]" * 65 + b"}",
    "a comment": b'{"id": 1, "move": "money"} // please',
    "single quotes": b"{'id': 1, 'move': 'money'}",
    "a trailing comma": b'{"id": 1, "move": "money",}',
    "a leading zero": b'{"id": 01, "move": "money"}',
    "a control character in a string": b'{"id": 1, "move": "mo\ney"}',
    "more than 64 KiB": b'{"id": 1, "move": "money"}' + b" " * MAX_ANSWER_BYTES,
}


@pytest.mark.parametrize("line", MALFORMED.values(), ids=MALFORMED.keys())
def test_invalid_answers_are_malformed_and_never_an_exception(line: bytes) -> None:
    assert isinstance(parse_answer(line), Malformed)


@given(st.binary(max_size=200))
@example(b'{"id":1,"move":"\xed')
def test_no_bytes_raise(line: bytes) -> None:
    assert isinstance(parse_answer(line), Answer | Malformed)
    assert isinstance(is_ready(line), bool | Malformed)


@given(JSON_VALUES, st.dictionaries(st.text(max_size=5), JSON_VALUES, max_size=3))
def test_every_json_move_arrives_unchanged(move: Any, more: dict[str, Any]) -> None:
    answer = parse_answer(json.dumps({**more, "id": 7, "move": move}).encode())
    assert isinstance(answer, Answer)
    assert answer.move == move


@given(st.dictionaries(st.text(max_size=5), JSON_VALUES, min_size=1, max_size=3), st.integers(0, 4))
def test_a_duplicate_key_is_found_at_every_depth(twin: dict[str, Any], depth: int) -> None:
    text = json.dumps(twin)
    text = text[:-1] + ", " + text[1:]
    for _ in range(depth):
        text = f'{{"a": [{text}]}}'
    assert isinstance(parse_answer(f'{{"id": 1, "move": {text}}}'.encode()), Malformed)


@pytest.mark.parametrize(
    ("line", "ready"),
    [
        (b'{"type": "ready"}\n', True),
        (b'{"type": "ready", "name": "my bot"}\n', True),
        (b'{"type": "hello"}', False),
        (b'{"ready": true}', False),
        (b'{"type": ["ready"]}', False),
    ],
)
def test_ready_is_an_object_of_that_type(line: bytes, ready: bool) -> None:
    assert is_ready(line) is ready


def test_a_line_of_exactly_64_kib_is_not_too_long() -> None:
    line = b'{"id": 1, "move": "money"}'.ljust(MAX_ANSWER_BYTES)
    assert parse_answer(line) == Answer(1, "money")


@pytest.mark.parametrize(
    ("body", "posted"),
    [
        (b'{"move": "money"}', Posted(None, "money", None)),
        (b'{"id": 3, "move": null, "thought_ms": 12, "why": "12:30"}', Posted(3, None, 12)),
        (b'{"move": {"offer": [0, 0, 1, 0]}, "thought_ms": 0}', Posted(None, {"offer": [0, 0, 1, 0]}, 0)),
    ],
)
def test_a_posted_answer_needs_no_id_since_its_address_has_one(body: bytes, posted: Posted) -> None:
    assert parse_posted(body) == posted


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{}",
        b'{"id": 1}',
        b'{"id": true, "move": 1}',
        b'{"id": 1.0, "move": 1}',
        b'{"id": null, "move": 1}',
        b'{"move": 1, "move": 1}',
        b'{"move": {"offer": 1, "offer": 1}}',
        b'{"move": 1, "thought_ms": "1"}',
        b'{"move": 1, "thought_ms": -1}',
        b'{"move": 1, "thought_ms": 2147483648}',
        b'{"move": ' + b"[" * 70 + b"]" * 70 + b"}",
        b'{"move": "' + b"x" * MAX_ANSWER_BYTES + b'"}',
    ],
)
def test_a_posted_answer_is_judged_as_strictly_as_a_line(body: bytes) -> None:
    assert isinstance(parse_posted(body), Malformed)


@given(st.binary())
def test_no_posted_body_raises(body: bytes) -> None:
    assert isinstance(parse_posted(body), Posted | Malformed)
