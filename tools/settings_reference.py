"""Write ``docs/reference/settings.md`` from the ``#:`` comments next to the settings in the code.

A comment describes the variable that the next line reads, or the variables that it names: ``#: NAME, NAME: effect.``
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "settings.md"
SETTINGS = "esr_platform/settings.py"
OTHERS = {
    "games/record.py": "Engine",
    "esr_platform/accounts/social.py": "Linked accounts",
    "bots/sandbox/interpreter.py": "Sandbox",
    "bots/sandbox/runtime.py": "Sandbox",
    "bots/cli/site.py": "Command line",
}
"""Other modules that read variables, and their groups on the page."""

INTRODUCTION = """\
# Settings

This page is for operators.
It lists all environment variables that Steinreich reads to configure a site, its sandbox and the command `esr`.
Libraries read a few more: the web server reads `FORWARDED_ALLOW_IPS`, and the S3 client reads `AWS_ACCESS_KEY_ID` and
`AWS_SECRET_ACCESS_KEY`.
For these, see [Client addresses](../guides/deploy.md#client-addresses) and
[Uploads in an S3 bucket](../guides/deploy.md#uploads-in-an-s3-bucket).
This page is generated from the code by `make docs`.

Set a variable before you start the site:

```console
$ ALLOWED_HOSTS=arena.example.org SITE_URL=https://arena.example.org make run
```

Separate the items of a list with commas.
Times are in seconds unless the name contains another unit.
Settings with `BYTES` in their name are plain numbers of bytes: write 1 GiB as `1073741824`.
[Limits](limits.md) explains the limits and also lists those that you cannot change.
For the settings that a public site needs, see [Deploy](../guides/deploy.md).
"""
TYPES = {
    "str": "text",
    "int": "number",
    "count": "number from 1",
    "share": "number from 0.01 to 0.99",
    "percent": "number from 0 to 100",
    "bool": "`yes` or `no`",
    "list": "list",
    "email_url": "URL",
}
_DOCUMENTED = re.compile(r"\s*#: (?:((?:[A-Z][A-Z0-9_]+(?:, )?)+): )?(.*?)(?: Default: (.*)\.)?$")
_SECTION = re.compile(r"# --- (.*?) -+$")


@dataclass(frozen=True)
class Setting:
    """An environment variable as a row of the page."""

    group: str
    name: str
    type: str
    default: str
    effect: str

    def __str__(self) -> str:
        return f"| `{self.name}` | {self.type} | {self.default} | {self.effect} |"


def settings() -> list[Setting]:
    """All settings, in the order of the code."""
    return [setting for file in (SETTINGS, *OTHERS) for setting in _settings_of(file)]


def _settings_of(file: str) -> Iterator[Setting]:
    source = (ROOT / file).read_text(encoding="utf-8")
    reads = {call.lineno: call for call in reversed(_reads(source))}
    group = OTHERS.get(file, "")
    lines = source.split("\n")
    for number, line in enumerate(lines, 1):
        section, documented = _SECTION.match(line), _DOCUMENTED.match(line)
        group = section[1] if section and file == SETTINGS else group
        if documented is None:
            continue
        names, effect, default = documented.groups()
        read = None if names else reads.get(number + 1) or reads[number + 2]
        for name in names.split(", ") if names else [ast.literal_eval(read.args[0])] if read else []:
            yield Setting(group, name, _type(name, read), default or _default(name, read), effect)


def _reads(source: str) -> list[ast.Call]:
    """The calls ``env.type("NAME", …)`` of a module."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    env_calls = [call for call in calls if re.match(r"env\.\w+$", ast.unparse(call.func)) and call.args]
    return sorted((call for call in env_calls if isinstance(call.args[0], ast.Constant)), key=lambda call: call.lineno)


def _type(name: str, read: ast.Call | None) -> str:
    if name.endswith(("_URL", "_ENDPOINT")) or name == "ESR_SITE":
        return "URL"
    if name.endswith("_DIR"):
        return "folder"
    kind = read.func.attr if read and isinstance(read.func, ast.Attribute) else "str"
    return TYPES[kind] if name != "SECURE_COOKIES" else TYPES["bool"]


def _default(name: str, read: ast.Call | None) -> str:
    given = next((word.value for word in read.keywords if word.arg == "default"), None) if read else None
    value = eval(ast.unparse(given), {"__builtins__": {}}) if given else ""  # noqa: S307 - such as 8 << 20, from our code
    if isinstance(value, bool):
        return "`yes`" if value else "`no`"
    if isinstance(value, int):
        return _size(value) if name.endswith("_BYTES") or "_BYTES_" in name else f"{value:,}"
    text = ",".join(value) if isinstance(value, list) else value
    return f"`{text}`" if text else "empty"


def _size(size: int) -> str:
    return f"{size >> 30} GiB" if size >= 1 << 30 else f"{size >> 20} MiB"


def page() -> str:
    """The text of the page: one table for each group."""
    documented = settings()
    parts = [INTRODUCTION]
    for group in dict.fromkeys(setting.group for setting in documented):
        rows = [str(setting) for setting in documented if setting.group == group]
        table = ["| setting | type | default | effect |", "|---|---|---|---|", *rows]
        parts += [f"## {group}\n", "\n".join(table) + "\n"]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
