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
    _malformed(
        "deep lists", "30,000 lists in each other", r"""'{"id": 2, "move": ' + '[' * 30000 + ']' * 30000 + '}\n'"""
    ),
    _malformed("deep objects", "10,000 objects in each other", r"""'{"a":' * 10000 + '1' + '}' * 10000 + '\n'"""),
    _malformed("a huge number", "a move of 60,000 digits", r"""'{"id": 2, "move": ' + '9' * 60000 + '}\n'"""),
    _malformed("a huge id", "an id of 60,000 digits", r"""'{"id": ' + '9' * 60000 + ', "move": 1}\n'"""),
    _malformed("NaN", "NaN for a move", r"""'{"id": 2, "move": NaN}\n'"""),
    _malformed("infinity", "1e999 for a move", r"""'{"id": 2, "move": 1e999}\n'"""),
    _malformed("a key twice", "two moves in one answer", r"""'{"id": 2, "move": ' + chosen + ', "move": 1}\n'"""),
    _malformed("a key twice, hidden", "the id a second time, escaped", r"""'{"id": 1, "\\u0069d": 2, "move": 1}\n'"""),
    _malformed("half a character", "a lone surrogate", r"""'{"id": 2, "move": "\\ud800"}\n'"""),
    _malformed("half a character in UTF-8", "an encoded surrogate", r"""'{"id": 2, "move": "\ud800"}\n'"""),
    _malformed("no UTF-8", "bytes that are no text", r"""b'{"id": 2, "move": "\xff\xfe"}\n'"""),
    _malformed("UTF-16", "an answer in UTF-16", r"""('{"id": 2, "move": 1}').encode("utf-16") + b'\n'"""),
    _malformed("a byte order mark", "a mark before a right answer", r"""'\ufeff' + right + '\n'"""),
    _malformed("a NUL", "a NUL after a right answer", r"""right + '\0\n'"""),
    _malformed("true for a number", "true as the id", r"""'{"id": true, "move": ' + chosen + '}\n'"""),
    _malformed("2.0 for 2", "the id with a fraction", r"""'{"id": 2.0, "move": ' + chosen + '}\n'"""),
    _malformed("a word for a number", "the id in quotes", r"""'{"id": "2", "move": ' + chosen + '}\n'"""),
    _malformed("no object", "a list, as it would be in other protocols", r"""'[2, ' + chosen + ']\n'"""),
    _malformed("no move", "an id and nothing else", r"""'{"id": 2}\n'"""),
    _malformed("no id", "a move and nothing else", r"""'{"move": ' + chosen + '}\n'"""),
    _malformed("an empty line", "nothing", r"""'\n'"""),
    _malformed("blanks", "a line of blanks", r"""' ' * 1000 + '\n'"""),
    _malformed("two in one line", "two answers in one line", r"""(right) * 2 + '\n'"""),
    _malformed("Python", "a Python dict, as print writes it", r"""str({"id": 2, "move": 1}) + '\n'"""),
    _says("one byte too many", "a line of 64 KiB and a byte", r"""'x' * 65537 + '\n'""", "too_long"),
    _says("an id never asked", "the next decision's id", r"""'{"id": 3, "move": 1}\n'""", "wrong_id"),
    _says("no such id", "a negative id", r"""'{"id": -1, "move": 1}\n'""", "wrong_id"),
    _says("no such move", "a move that does not exist", r"""'{"id": 2, "move": "win"}\n'""", "illegal"),
    _says("a move of another kind", "a list for a move", r"""'{"id": 2, "move": ["money"]}\n'""", "illegal"),
    _spoilt("1.0 for 1 in a move", "a legal move with fractions for its whole numbers", "float(value)"),
    _spoilt("true for 1 in a move", "a legal move with truths for its whole numbers", "bool(value)"),
    _spoilt("a word for 1 in a move", "a legal move with digits in quotes for its whole numbers", "str(value)"),
    _says("Windows' lines", "a right answer that ends in CR and LF", r"""right + '\r\n'"""),
    _says("an answer with more in it", "keys that nobody asked for", r"""right[:-1] + ', "seat": 0, "score": 99}\n'"""),
    _says("the same answer twice", "two lines for one decision", r"""(right + '\n') * 2"""),
    _says(
        "an old answer first",
        "the answer of the first decision once more, then a right one",
        r"""'{"id": 1, "move": 1}\n' + right + '\n'""",
    ),
    Hostile(
        "three kinds of nonsense",
        "a malformed answer, a wrong id and an illegal move, one after the other",
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
        "answers before it is asked",
        "its first answer together with ready, and one for a decision that is not there yet",
        """
        hear()
        say('{"type": "ready"}\\n{"id": 2, "move": 1}\\n')
        play()
        """,
        strikes=("wrong_id",),
        says="",
    ),
    Hostile(
        "answers after the end",
        "answers, old and new, when the game is over",
        """
        ready()
        play()
        for number in range(1, 200):
            say('{"id": %d, "move": "money"}\\n' % number)
        """,
        says="",
    ),
    Hostile(
        "the platform's own words",
        "hello, decide and end in the place of an answer",
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
