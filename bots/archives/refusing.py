"""The one way in which an upload fails: a sentence for whoever made it."""

from __future__ import annotations

import re
from typing import Final

_PLAIN: Final = re.compile(r"[\w./-]*[\w/-]", re.ASCII)
_SHOWN_CHARACTERS: Final = 80
_MIB: Final = 1024 * 1024


class Refused(ValueError):
    """An upload that is not taken; the message is one sentence that says which file, why, and what to do.

    It is one line of printable characters, whatever the upload holds. ``file`` is the file's name as it is shown,
    empty where the whole upload is meant.
    """

    def __init__(self, sentence: str, file: str = "") -> None:
        super().__init__(sentence)
        self.file = file


def refused(name: bytes | str, fault: str) -> Refused:
    """The refusal of one file: its name, then what is wrong with it."""
    file = shown(name)
    return Refused(f"{file} {fault}.", file)


def shown(name: bytes | str) -> str:
    """A name from an upload for a sentence: escaped, cut, and in quotes where it is not a plain one."""
    text = name.decode("utf-8", "backslashreplace") if isinstance(name, bytes) else name
    if len(text) > _SHOWN_CHARACTERS:
        text = f"{text[:_SHOWN_CHARACTERS]}…"
    if _PLAIN.fullmatch(text):
        return text
    escaped = "".join(
        char if char.isprintable() else char.encode("unicode_escape", "backslashreplace").decode("ascii")
        for char in text
    )
    return f"“{escaped}”"


def size(count: int) -> str:
    """A number of bytes in words."""
    if count >= _MIB:
        return f"{count / _MIB:.4g} MiB"
    return f"{count / 1024:.4g} KiB" if count >= 1024 else f"{count} bytes"
