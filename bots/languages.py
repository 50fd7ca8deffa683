"""The languages that bots are written in: one table, from which pages, documents and the check of uploads are drawn."""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from bots.executables import FileFault, fault_of_executable


@dataclass(frozen=True)
class Language:
    """A way to run a bot's entry, the file that is started.

    ``name`` is used in ``bot.toml``, ``title`` and ``about`` on pages. ``suffixes`` are those of an entry's name. A
    language without suffixes takes every other file, which is executed itself. ``fault`` returns why the bytes of an
    entry cannot be started, or ``None``.
    """

    name: str
    title: str
    about: str
    suffixes: tuple[str, ...]
    fault: Callable[[bytes], FileFault | None]

    @property
    def is_interpreted(self) -> bool:
        """Whether an interpreter runs the entry. Otherwise the entry itself must be executable."""
        return bool(self.suffixes)


def fault_of_python(data: bytes) -> FileFault | None:
    """Return why ``data`` is not Python source that can be started. The syntax is not checked.

    Only the interpreter in the sandbox compiles the source. Our own parser may have another version, and hostile source
    can exhaust the memory and the stack of the compiler.
    """
    if not data.strip():
        return FileFault("empty", "is empty. Add a program")
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return FileFault("not_utf8", "is UTF-16 text. Save it as UTF-8")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return FileFault("not_utf8", f"is not valid UTF-8 (line {line}). Save it as UTF-8")
    if "\0" in text:
        return FileFault("nul", "contains a NUL character, so it is not Python source code. Upload the source code")
    return None


_PYTHON: Final = Language(
    name="python",
    title="Python",
    about="A .py file that can import the standard library, the package games, and NumPy if installed.",
    suffixes=(".py",),
    fault=fault_of_python,
)
_EXECUTABLE: Final = Language(
    name="executable",
    title="Executable",
    about="Any program for Linux on x86-64 (ELF), linked statically or with glibc.",
    suffixes=(),
    fault=fault_of_executable,
)

LANGUAGES: Final[Mapping[str, Language]] = MappingProxyType({each.name: each for each in (_PYTHON, _EXECUTABLE)})
"""All languages by name; the first is the default."""


def language_of(entry: str) -> Language:
    """Return the language of an entry with this file name."""
    for language in LANGUAGES.values():
        if entry.endswith(language.suffixes):
            return language
    return _EXECUTABLE
