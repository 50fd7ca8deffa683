"""Answers of every malformed kind, one at the second decision."""

from __future__ import annotations

from typing import Final

from tests.bots.hostile.kind import Hostile


def _says(title: str, tries: str, line: str, *strikes: str) -> Hostile:
    """A bot that says ``line`` once: an expression in Python, in which ``right`` is an answer and ``chosen`` a move."""
    source = f"""
    ready()
    def answer(message):
        chosen = json.dumps(message["decision"]["default"])
        right = '{{"id": 2, "move": ' + chosen + '}}'
        say({line})
    play(answer)
    """
    return Hostile(title, tries, source, strikes=strikes, says="")


def _malformed(title: str, tries: str, line: str) -> Hostile:
    return _says(title, tries, line, "malformed")


def _spoilt(title: str, tries: str, other: str) -> Hostile:
    """A bot that once answers with a legal move whose whole numbers, each a ``value``, have become something else."""
    source = f"""
    def spoilt(value):
        if isinstance(value, dict):
            return {{key: spoilt(inner) for key, inner in value.items()}}
        if isinstance(value, list):
            return [spoilt(inner) for inner in value]
        return {other} if isinstance(value, int) else value
    said = False
    ready()
    while (message := hear())["type"] != "end":
        legal = message["decision"]["legal"] or []
        found = [] if said else [one for one in map(spoilt, legal) if json.dumps(one) not in map(json.dumps, legal)]
        if found:
            said = True
            say(json.dumps({{"id": message["id"], "move": found[0]}}) + "\\n")
        else:
            move(message)
    """
    return Hostile(title, tries, source, strikes=("illegal",), says="")


ANSWERS: Final = (
    _malformed("nested lists", "nests 30,000 lists", r"""'{"id": 2, "move": ' + '[' * 30000 + ']' * 30000 + '}\n'"""),
    _malformed("nested objects", "nests 10,000 objects", r"""'{"a":' * 10000 + '1' + '}' * 10000 + '\n'"""),
    _malformed(
        "huge number", "answers with a move of 60,000 digits", r"""'{"id": 2, "move": ' + '9' * 60000 + '}\n'"""
    ),
    _malformed("huge id", "answers with an id of 60,000 digits", r"""'{"id": ' + '9' * 60000 + ', "move": 1}\n'"""),
    _malformed("NaN", "answers with NaN as the move", r"""'{"id": 2, "move": NaN}\n'"""),
    _malformed("infinity", "answers with 1e999 as the move", r"""'{"id": 2, "move": 1e999}\n'"""),
    _malformed("duplicate key", "answers with two moves", r"""'{"id": 2, "move": ' + chosen + ', "move": 1}\n'"""),
    _malformed(
        "escaped duplicate key", "repeats the id with an escaped key", r"""'{"id": 1, "\\u0069d": 2, "move": 1}\n'"""
    ),
    _malformed("lone surrogate", "answers with half of a surrogate pair", r"""'{"id": 2, "move": "\\ud800"}\n'"""),
    _malformed("encoded surrogate", "answers with a surrogate in UTF-8", r"""'{"id": 2, "move": "\ud800"}\n'"""),
    _malformed("invalid UTF-8", "answers with bytes that are not text", r"""b'{"id": 2, "move": "\xff\xfe"}\n'"""),
    _malformed("UTF-16", "answers in UTF-16", r"""('{"id": 2, "move": 1}').encode("utf-16") + b'\n'"""),
    _malformed("byte order mark", "writes a byte order mark before a valid answer", r"""'\ufeff' + right + '\n'"""),
    _malformed("NUL", "writes a NUL after a valid answer", r"""right + '\0\n'"""),
    _malformed("true as id", "answers with true as the id", r"""'{"id": true, "move": ' + chosen + '}\n'"""),
    _malformed("fractional id", "answers with 2.0 as the id", r"""'{"id": 2.0, "move": ' + chosen + '}\n'"""),
    _malformed("id as text", "answers with the id in quotes", r"""'{"id": "2", "move": ' + chosen + '}\n'"""),
    _malformed("list as answer", "answers with a list", r"""'[2, ' + chosen + ']\n'"""),
    _malformed("missing move", "answers with only an id", r"""'{"id": 2}\n'"""),
    _malformed("missing id", "answers with only a move", r"""'{"move": ' + chosen + '}\n'"""),
    _malformed("empty line", "answers with an empty line", r"""'\n'"""),
    _malformed("blank line", "answers with spaces", r"""' ' * 1000 + '\n'"""),
    _malformed("two answers on one line", "writes two answers on one line", r"""(right) * 2 + '\n'"""),
    _malformed(
        "Python dict",
        "answers with a Python dict, in the format that print writes",
        r"""str({"id": 2, "move": 1}) + '\n'""",
    ),
    _says("one byte too long", "writes a line of 64 KiB plus one byte", r"""'x' * 65537 + '\n'""", "too_long"),
    _says(
        "id of the next decision",
        "answers with the id of the next decision",
        r"""'{"id": 3, "move": 1}\n'""",
        "wrong_id",
    ),
    _says("negative id", "answers with a negative id", r"""'{"id": -1, "move": 1}\n'""", "wrong_id"),
    _says("unknown move", "answers with a move that does not exist", r"""'{"id": 2, "move": "win"}\n'""", "illegal"),
    _says(
        "move of another type", "answers with a list as the move", r"""'{"id": 2, "move": ["money"]}\n'""", "illegal"
    ),
    _spoilt("fractions in a move", "replaces the whole numbers in a legal move with fractions", "float(value)"),
    _spoilt("booleans in a move", "replaces the whole numbers in a legal move with true", "bool(value)"),
    _spoilt("text in a move", "puts the whole numbers in a legal move in quotes", "str(value)"),
    _says("Windows line endings", "ends a valid answer with CR and LF", r"""right + '\r\n'"""),
    _says("additional keys", "adds unknown keys to a valid answer", r"""right[:-1] + ', "seat": 0, "score": 99}\n'"""),
    _says("answer twice", "writes the same answer twice", r"""(right + '\n') * 2"""),
    _says(
        "old answer first",
        "repeats its first answer before writing a valid one",
        r"""'{"id": 1, "move": 1}\n' + right + '\n'""",
    ),
    Hostile(
        "three errors",
        "writes a malformed answer, a wrong id and an illegal move",
        """
        said = {2: "money", 3: '{"id": 77, "move": 1}', 4: '{"id": 4, "move": {}}'}
        ready()
        while (message := hear())["type"] != "end":
            say(said[message["id"]] + "\\n") if message["id"] in said else move(message)
        """,
        forfeit="strikes",
        strikes=("malformed", "wrong_id", "illegal"),
        says="",
    ),
    Hostile(
        "answer before the question",
        "sends an answer together with `ready`, and answers a decision that does not exist yet",
        """
        hear()
        say('{"type": "ready"}\\n{"id": 2, "move": 1}\\n')
        play()
        """,
        strikes=("wrong_id",),
        says="",
    ),
    Hostile(
        "answer after the end",
        "answers after the game is over",
        """
        ready()
        play()
        for number in range(1, 200):
            say('{"id": %d, "move": "money"}\\n' % number)
        """,
        says="",
    ),
    Hostile(
        "platform messages",
        "writes hello, decide and end messages instead of an answer",
        """
        words = {2: {"type": "end", "outcome": {"ranks": [1, 2]}}, 3: {"type": "hello", "protocol": 1}}
        ready()
        while (message := hear())["type"] != "end":
            say(json.dumps(words[message["id"]]) + "\\n") if message["id"] in words else move(message)
        """,
        strikes=("malformed", "malformed"),
        says="",
    ),
)
