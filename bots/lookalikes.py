"""Names that look alike, are unusual or cannot be seen, after Unicode's security mechanisms (UTS #39); reserved names.

The data comes from the package ``confusable_homoglyphs`` (docs/decisions/0079-names-that-look-alike-are-rejected.md).
It is loaded with the first name that is compared.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

RESERVED: Final = (  # noqa: SIM905
    "account accounts admin administrator anonymous api arena bot bots deleted-user demo everybody guest help house "
    "ladder ladders match matches me moderator nobody official people platform root rules staff steinreich support "
    "system terms"
).split()
"""Names that would look like the site itself."""

BANNED_ANYWHERE: Final = "arschloch faggot fotze fuck hitler hurensohn missgeburt nigger schwuchtel wichser".split()  # noqa: SIM905
"""Offensive words that are found in names, also inside of other words."""

BANNED_WORDS: Final = (  # noqa: SIM905
    "asshole bastard bitch cunt fick ficker hure kanake nazi neger nigga nutte pussy rapist retard schlampe shit slut "
    "spast spasti tranny wanker whore"
).split()
"""Offensive words that are found as a word of a name, or as the whole name."""

_BETWEEN_WORDS: Final = re.compile(r"[\W\d_]+")
_BETWEEN_NAMES: Final = re.compile(r"[\W_]+")

_MARKS_OF_DIRECTION: Final = "\N{LEFT-TO-RIGHT MARK}"
_INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\u2800]"
)
"""Unicode's Default_Ignorable_Code_Point, and the Braille pattern without dots."""

_MARKS: Final = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
"""Diacritics. Marks that spell different letters, such as Devanagari vowel signs, are not included."""

_IGNORED: Final = re.compile(rf"[\s_'.,:;\u00b7{_MARKS}-]")
"""What a skeleton leaves out: spaces, separators, small punctuation and diacritics."""

_LETTERS: Final = frozenset("LMN")
_MODIFIERS: Final = re.compile("[\u02b0-\u02ff\ua78b\ua78c]")
"""Letters by Unicode that look like apostrophes and accents."""

_JAPANESE_DOT: Final = "\N{KATAKANA MIDDLE DOT}"

PLAIN_FOLDS: Final = (
    *((char, "") for char in " _-'\".,:;`"),
    *(("I", "l"), ("i", "l"), ("1", "l"), ("|", "l"), ("O", "o"), ("0", "o"), ("M", "rn"), ("m", "rn")),
)
"""Replacements that make ASCII names the same if they look alike, apart from case: a database can do them."""

_NO_SCRIPT: Final = frozenset({"COMMON", "INHERITED"})
_TOGETHER: Final = (
    frozenset({"LATIN", "HAN", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "HAN", "BOPOMOFO"}),
    frozenset({"LATIN", "HAN", "HANGUL"}),
)
"""The scripts that the restriction level "Highly Restrictive" of UTS #39 lets one name mix."""


def has_invisible(text: str) -> bool:
    """Whether ``text`` has a character that cannot be seen, besides spaces."""
    return _INVISIBLE.search(text) is not None or not text.isprintable()


def is_blank(text: str) -> bool:
    """Whether nothing of ``text`` can be seen."""
    return not _INVISIBLE.sub("", text).strip()


def unusual(text: str) -> str:
    """The characters of ``text`` (NFKC) that names cannot have: those outside Unicode's identifier profile.

    Allowed are ASCII, letters, digits and marks that identifiers can have, and the middle dot of Japanese names.
    """
    return "".join(char for char in text if not (char.isascii() or char == _JAPANESE_DOT or _is_of_identifiers(char)))


def _is_of_identifiers(char: str) -> bool:
    known = unicodedata.category(char)[0] in _LETTERS and f"a{char}".isidentifier()
    return known and not _MODIFIERS.match(char)


def mixes_scripts(text: str) -> bool:
    """Whether a word of ``text`` mixes scripts whose letters look alike, such as Latin and Cyrillic."""
    from confusable_homoglyphs.categories import unique_aliases

    words = [unique_aliases(word) - _NO_SCRIPT for word in text.split()]
    return any(len(scripts) > 1 and not any(scripts <= together for together in _TOGETHER) for scripts in words)


def alike(name: str, other: str) -> bool:
    """Whether two names are hard to tell apart, whatever their case, separators and diacritics."""
    return not _skeletons(name).isdisjoint(_skeletons(other))


def is_respelling(text: str, other: str) -> bool:
    """Whether two texts have the same letters and digits, or ones that look alike.

    Case, accents, spaces and punctuation do not count.
    """
    return alike(text, other) or alike(_letters(text), _letters(other))


def _letters(text: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFKD", text).casefold() if char.isalnum())


def plain_shapes(name: str) -> frozenset[str]:
    """What ``PLAIN_FOLDS`` and lower case make of each ASCII name that looks like ``name``."""
    return frozenset(skeleton.replace("i", "l").replace("m", "rn") for skeleton in _skeletons(name))


def is_reserved(name: str) -> bool:
    """Whether ``name``, or each of its words, looks like a name of the site itself: "Steinreich staff", say."""
    words = [word for word in _BETWEEN_NAMES.split(name) if word and not word.isdigit()]
    return any(
        parts and all(not _skeletons(part).isdisjoint(_reserved()) for part in parts) for parts in ([name], words)
    )


def has_banned_word(name: str) -> bool:
    """Whether ``name`` contains an offensive word, or something that looks like one."""
    whole = _skeletons(name)
    words = whole.union(*(_skeletons(word) for word in _BETWEEN_WORDS.split(name) if word))
    banned_words, anywhere = _banned()
    return not words.isdisjoint(banned_words) or any(word in skeleton for word in anywhere for skeleton in whole)


@lru_cache(maxsize=1)
def _banned() -> tuple[frozenset[str], frozenset[str]]:
    """The skeletons of ``BANNED_WORDS`` and of ``BANNED_ANYWHERE``."""
    words, anywhere = (frozenset().union(*map(_skeletons, listed)) for listed in (BANNED_WORDS, BANNED_ANYWHERE))
    return words, anywhere


@lru_cache(maxsize=1)
def _reserved() -> frozenset[str]:
    return frozenset().union(*map(_skeletons, RESERVED))


def _skeletons(name: str) -> frozenset[str]:
    """The skeletons (UTS #39) of ``name`` as it is written and in lower case: I looks like l, and i does not."""
    text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", name))
    return frozenset(_skeleton(unicodedata.normalize("NFD", variant)) for variant in (text, text.casefold()))


def _skeleton(text: str) -> str:
    prototypes = _prototypes()
    skeleton = text.translate(prototypes).translate(prototypes)  # a part of a prototype may look like something else
    return _IGNORED.sub("", unicodedata.normalize("NFD", skeleton).casefold())


@lru_cache(maxsize=1)
def _prototypes() -> Mapping[int, str]:
    """Return the prototype of each code point: one character for all that look alike.

    The package lists for each character those that look like it. A prototype is listed with all of its characters, and
    each of these with the prototype alone. A prototype of several characters, such as "rn" for "m", is not a key.
    """
    from confusable_homoglyphs.confusables import confusables_data

    alike = {_bare(key): [_bare(entry["c"]) for entry in entries] for key, entries in confusables_data.items()}
    prototypes: dict[int, str] = {}
    for key, others in alike.items():
        prototype = max((key, *others), key=lambda text: (len(text), len(alike.get(text, ())), text.isascii(), text))
        if len(key) == 1 and prototype != key:
            prototypes[ord(key)] = prototype
    return prototypes


def _bare(text: str) -> str:
    """``text`` without the marks that the data puts around characters that are written from right to left."""
    return text.replace(_MARKS_OF_DIRECTION, "")
