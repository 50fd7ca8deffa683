"""The texts of the project by surface, each with its file and line.

Code, URLs and placeholders are replaced by ``X``. Lines of a paragraph are joined, so that a rule sees whole sentences.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from esr_platform.api import openapi
from tools import messages

ROOT: Final = Path(__file__).parents[2]
PACKAGES: Final = ("games", "bots", "ladder", "esr_platform")
CODE: Final = (*PACKAGES, "tests", "tools", "bench", "examples")

TRANSLATED: Final = {*messages.PYTHON, "say", "sayCount"}
ERRORS: Final = re.compile(
    r"(?:Error|Refused|Problem|Invalid|Fault|Denied|Refusal|Lost|Exit)$|^(?:error|refuse|problem|fail)$"
)
CLI: Final = ("bots/cli/", "esr_platform/supervisor/", "esr_platform/demo/", "/management/", "bots/sandbox/probe/")
API: Final = ("esr_platform/api/", "bots/client/")
PUBLIC: Final = re.compile(r"games/.*|bots/(?:client|environments|house|protocol|runner)/.*")
"""The modules with docstrings that users of the library read."""

EXEMPT: Final = ("docs/contributing/style.md", "tests/wording/")
"""The style guide and the examples of rules quote what they forbid."""


@dataclass(frozen=True)
class Text:
    """One text of a surface."""

    path: str
    line: int
    text: str

    @property
    def words(self) -> int:
        return len(re.findall(r"[A-Za-z']{2,}", self.text))


def plain(text: str) -> str:
    """A text as one line, with ``X`` for code, URLs, tags and placeholders."""
    text = re.sub(r"``[^`]*``|`[^`]*`", "X", text)
    text = re.sub(r"https?://[^\s)>]+", "X", text)
    text = re.sub(r"\{%.*?%\}", " ", text, flags=re.DOTALL)
    text = re.sub(r"\{\{.*?\}\}|%\(\w+\)[sd]|%[sd]|\{\w*\}", "X", text, flags=re.DOTALL)
    text = re.sub(r"<code\b.*?</code>|<kbd\b.*?</kbd>", "X", text, flags=re.DOTALL)
    text = re.sub(r"</?[A-Za-z][^>]*>", "", text)
    text = re.sub(r"&\w+;|&#\d+;", " ", text)
    return re.sub(r"\s+", " ", text).strip()


def paragraphs(path: str, first: int, text: str) -> Iterator[Text]:
    """Split a longer text at empty lines, list items, table rows and headings."""
    start, lines, fenced = first, list[str](), False
    for number, line in enumerate([*text.split("\n"), ""], first):
        bare = line.strip()
        is_fence = bare.startswith("```")
        starts_text = fenced or is_fence or not bare or re.match(r"(?:[-*|#>]|\d+\.|:\w+|>>>|\$)", bare)
        if starts_text and lines:
            yield Text(path, start, plain(" ".join(lines)))
            lines = []
        if is_fence:
            fenced = not fenced
        elif bare and not fenced:
            start = start if lines else number
            lines.append(bare)


def files(folders: Iterable[str], pattern: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the content of the files that match."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob(pattern)):
            name = path.relative_to(ROOT).as_posix()
            if "/migrations/" not in name and not name.startswith(EXEMPT):
                yield name, path.read_text(encoding="utf-8")


# --- Python ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Literal:
    """A string of a Python module and its use."""

    text: Text
    is_error: bool = False
    is_docstring: bool = False


@cache
def literals(folder: str) -> list[Literal]:
    """The strings of all modules below a folder, without those that are translated: they are messages of pages."""
    return [literal for name, source in files([folder], "*.py") for literal in literals_of(name, source)]


def literals_of(name: str, source: str) -> Iterator[Literal]:
    waiting: list[tuple[ast.AST, bool]] = [(ast.parse(source), False)]
    while waiting:
        node, in_error = waiting.pop()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            for text in paragraphs(name, node.lineno, node.value.value):
                yield Literal(text, is_docstring=True)
            continue
        text = _string(node)
        if text is not None:
            for part in paragraphs(name, node.lineno, text):  # type: ignore[attr-defined]
                yield Literal(part, is_error=in_error)
            continue
        if isinstance(node, ast.Call) and _name(node.func) in TRANSLATED:
            continue
        is_error = in_error or isinstance(node, ast.Raise) or (isinstance(node, ast.Call) and _is_error(node.func))
        waiting += [(child, is_error) for child in ast.iter_child_nodes(node)]


def _string(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)
    return None


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _is_error(function: ast.expr) -> bool:
    return ERRORS.search(_name(function)) is not None


def _is_prose(text: Text) -> bool:
    """At least three words in a row, and no SQL or source code."""
    return (
        re.search(r"[A-Za-z,']+ [A-Za-z,']+ [A-Za-z]+", text.text) is not None
        and re.search(r"\b(?:SELECT|INSERT|UPDATE|DELETE|WHERE|PRAGMA|BEGIN)\b|[{}]|;\s*$|\\[bwd]", text.text) is None
    )


def strings(belongs: Callable[[Literal], bool]) -> list[Text]:
    """The prose in strings of the four packages for which ``belongs`` is true."""
    return [
        literal.text
        for package in PACKAGES
        for literal in literals(package)
        if not literal.is_docstring and _is_prose(literal.text) and belongs(literal)
    ]


def _surface(literal: Literal) -> str:
    path = literal.text.path
    if any(part in path for part in CLI):
        return "cli"
    if path.startswith(API):
        return "api"
    if literal.is_error:
        return "errors"
    if "/models/" in path or path.endswith("/models.py"):
        return "models"
    return "games" if path.startswith("games/") else "other"


def docstrings(folder: str) -> list[Text]:
    return [literal.text for literal in literals(folder) if literal.is_docstring]


def comments(folder: str) -> list[Text]:
    """The comments of Python modules, consecutive lines as one text, and of scripts."""
    found = []
    for name, source in files([folder], "*.py"):
        found += _joined(
            (name, token.start[0], token.string.lstrip("#! "))
            for token in tokenize.generate_tokens(io.StringIO(source).readline)
            if token.type == tokenize.COMMENT and not re.match(r"#\s*(?:noqa|type:|---|pragma)", token.string)
        )
    for name, source in files([folder], "*.js"):
        lines = enumerate(source.split("\n"), 1)
        found += _joined(
            (name, number, comment[1])
            for number, line in lines
            if (comment := re.match(r"\s*(?://|/?\*+/?)(.*)", line))
        )
    return found


def _joined(lines: Iterable[tuple[str, int, str]]) -> list[Text]:
    blocks: list[tuple[str, int, list[str]]] = []
    for name, number, line in lines:
        if blocks and blocks[-1][0] == name and blocks[-1][1] + len(blocks[-1][2]) == number:
            blocks[-1][2].append(line)
        else:
            blocks.append((name, number, [line]))
    return [text for name, number, block in blocks for text in paragraphs(name, number, "\n".join(block))]


# --- Pages and emails ------------------------------------------------------------------------------------------------

_TRANSLATED_PART = re.compile(r"\{% blocktrans(?:late)?\b.*?endblocktrans(?:late)? %\}", re.DOTALL)
_INVISIBLE = re.compile(r"<(script|style|svg)\b.*?</\1>|\{% comment.*?endcomment %\}|\{#.*?#\}|<!--.*?-->", re.DOTALL)
_TAG = re.compile(r"<[^>]*>|\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)


def pages() -> list[Text]:
    """All messages of templates, Python modules and scripts, and text of templates that is not marked."""
    found = []
    for gathered in (messages.pages(), messages.scripts()):
        for name, message, _ in gathered:
            forms = message if isinstance(message, tuple) else (message,)
            found += [Text(name, 0, plain(form.replace("%%", "%"))) for form in forms]
    for name, source in files(PACKAGES, "*.html"):
        visible = _INVISIBLE.sub(" ", _TRANSLATED_PART.sub(" ", source))
        found += [Text(name, 0, plain(part)) for part in _TAG.split(visible) if re.search(r"[a-z]+ [a-z]+", part)]
    return found


def emails() -> list[Text]:
    """The templates of emails and of the messages after a redirect, which are plain text."""
    found = []
    for name, source in files(PACKAGES, "*.txt"):
        if "/templates/" in name:
            text = re.sub(r'\{% translate "([^"]*)" %\}', r"\1", source)
            found += paragraphs(name, 1, re.sub(r"\{%.*?%\}", "\n\n", text, flags=re.DOTALL))
    return found


@dataclass(frozen=True)
class Label:
    """The text of a table head, button or heading in a template."""

    path: str
    element: str
    text: str


_LABEL = re.compile(
    r"<(th|button|caption|legend|label|h[1-6])\b[^>]*>\s*"
    r'(?:\{% translate "([^"]+)" %\}|\{% blocktranslate[^%]*%\}\s*([^<{%]+)|([^<{%\s][^<{%]*))'
)


def labels() -> list[Label]:
    """The labels of all templates that start with a word."""
    found = []
    for name, source in files(PACKAGES, "*.html"):
        for element, *texts in _LABEL.findall(_INVISIBLE.sub(" ", source)):
            text = plain(" ".join(texts))
            found += [Label(name, element, text)] if text else []
    return found


def api_reference() -> list[Text]:
    """The summaries, descriptions and titles of the OpenAPI document."""
    found = []
    waiting: list[tuple[str, Any]] = [("", openapi.document())]
    while waiting:
        place, node = waiting.pop()
        if isinstance(node, dict):
            waiting += [(f"{place}/{key}", child) for key, child in node.items() if key != "example"]
        elif isinstance(node, list):
            waiting += [(f"{place}/{at}", child) for at, child in enumerate(node)]
        elif isinstance(node, str) and place.endswith(("/summary", "/description", "/title")):
            found += [Text(f"openapi{place}", part.line, part.text) for part in paragraphs("", 1, node)]
    return found


def helps() -> list[Text]:
    """The help lines of the Makefile."""
    lines = enumerate((ROOT / "Makefile").read_text(encoding="utf-8").split("\n"), 1)
    return [
        Text("Makefile", number, plain(found[1]))
        for number, line in lines
        if (found := re.search(r": .*## (.*)", line))
    ]


def markdown(*folders: str, pattern: str = "*.md") -> list[Text]:
    return [text for name, source in files(folders, pattern) for text in paragraphs(name, 1, source)]


# --- Surfaces --------------------------------------------------------------------------------------------------------

STRICT: Final[dict[str, Callable[[], list[Text]]]] = {
    "ui": pages,
    "emails": emails,
    "errors": lambda: strings(lambda literal: _surface(literal) == "errors"),
    "api": lambda: strings(lambda literal: _surface(literal) == "api"),
    "openapi": api_reference,
    "cli": lambda: [*strings(lambda literal: _surface(literal) == "cli"), *helps()],
    "games": lambda: strings(lambda literal: _surface(literal) == "games"),
    "other": lambda: strings(lambda literal: _surface(literal) == "other"),
    "decisions": lambda: markdown("docs/decisions"),
    "rules": lambda: markdown("games"),
    "public modules": lambda: [
        text for package in ("games", "bots") for text in docstrings(package) if PUBLIC.fullmatch(text.path)
    ],
}
"""The texts that users meet, and decisions: no hit of a hard rule, seldom one of a soft rule."""

SHRINKING: Final[dict[str, Callable[[], list[Text]]]] = {
    "readme": lambda: [text for text in markdown(".", pattern="*.md") if "/" not in text.path],
    "docs": lambda: [text for text in markdown("docs") if "/decisions/" not in text.path],
    "models": lambda: strings(lambda literal: _surface(literal) == "models"),
    **{f"docstrings of {folder}": (lambda folder=folder: docstrings(folder)) for folder in CODE},  # type: ignore[misc]
    **{f"comments of {folder}": (lambda folder=folder: comments(folder)) for folder in CODE},  # type: ignore[misc]
}
"""Texts with a stored number of hits that may only shrink."""

SURFACES: Final = STRICT | SHRINKING


@cache
def texts(surface: str) -> tuple[Text, ...]:
    """The texts of one surface, equal ones once."""
    return tuple({text.text: text for text in SURFACES[surface]() if not text.path.startswith(EXEMPT)}.values())
