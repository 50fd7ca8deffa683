"""The languages that bots are written in: one table, from which pages, documents and the check of uploads are drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from bots.executables import fault_of_executable


@dataclass(frozen=True)
class Language:
    """A way to run a bot's entry, the file that is started.

    ``name`` is used in ``bot.toml``, ``title`` and ``about`` on pages. ``suffixes`` are those of an entry's name. A
    language without suffixes takes every other file, which is executed itself. ``fault`` returns why the bytes of an
    entry cannot be started, as the rest of a sentence about the file, or ``""``.
    """

    name: str
    title: str
    about: str
    suffixes: tuple[str, ...]
    fault: Callable[[bytes], str]

    @property
    def is_interpreted(self) -> bool:
        """Whether an interpreter is given the entry; else the entry is executed itself and has to be executable."""
        return bool(self.suffixes)


def fault_of_python(data: bytes) -> str:
    """Why ``data`` is no Python source that could be started. Syntax is not looked at.

    Whether it compiles is found out where it runs: in the sandbox, by the interpreter that plays. Our own parser may be
    of another version, and hostile source can exhaust the memory and the stack of whoever compiles it.
    """
    if not data.strip():
        return "is empty: a bot needs a program"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "is UTF-16 text: save it as UTF-8"
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return f"is not UTF-8 text (line {line}): save it as UTF-8"
    return "has a NUL character in it, so it is no Python source: upload the source itself" if "\0" in text else ""


_PYTHON: Final = Language(
    name="python",
    title="Python",
    about="A .py file for the bots' own interpreter, with its standard library, and numpy where the machine has it.",
    suffixes=(".py",),
    fault=fault_of_python,
)
_EXECUTABLE: Final = Language(
    name="executable",
    title="Executable",
    about="Any program for Linux on x86-64 (ELF), linked statically or against glibc.",
    suffixes=(),
    fault=fault_of_executable,
)

LANGUAGES: Final[Mapping[str, Language]] = MappingProxyType({each.name: each for each in (_PYTHON, _EXECUTABLE)})
"""Every language by its name; the first is that of a bot that names none."""


def language_of(entry: str) -> Language:
    """The language that takes a file of this name as its entry."""
    for language in LANGUAGES.values():
        if entry.endswith(language.suffixes):
            return language
    return _EXECUTABLE
