"""Find the files of a program, verify them, and copy them to a place where the user of a seat can read them."""

from __future__ import annotations

import hmac
import os
import py_compile
import shutil
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from bots.house.catalogue import HERE, HOUSE
from bots.languages import Language, language_of
from bots.runner.launcher import PlatformFailure
from bots.runner.spec import HouseProgram, LocalProgram, Program, StoredProgram
from bots.sandbox.runtime import own_folder, own_secret
from bots.unused_copies import forget_unused, made_once

LAST_READ_S: Final = 2_100_000_000
"""The access time of the files of a copy: in 2036, so that ``relatime`` never records a read.

Otherwise each file would show for a day whether it was read, and all games of a bot see the same files.
"""

WRITTEN_S: Final = 946_684_800
"""The modification time of the files of a copy: in 2000, for all of them."""


@dataclass(frozen=True)
class Code:
    """A folder, the file in it to start, its arguments, and the digest of its contents (empty if unknown).

    ``compiled`` means that its modules are compiled once when it is staged, which saves some milliseconds per start.
    Only house bots are compiled; ``imports_games`` means that such a bot imports ``games``. ``shared`` are files
    outside of the folder that are copied next to ``entry`` when it is staged; code with such files runs only from a
    copy.
    """

    folder: Path
    entry: str
    args: tuple[str, ...]
    digest: str
    compiled: bool = False
    imports_games: bool = False
    shared: tuple[Path, ...] = ()

    @property
    def kind(self) -> str:
        """The kind of owner, so that an upload can never be stored in the place of a house bot."""
        if self.compiled:
            return "house"
        return "stored" if self.digest else "local"

    @property
    def language(self) -> Language:
        """The language of the file to start."""
        return language_of(self.entry)

    @property
    def imports_packages(self) -> bool:
        """Whether it can import packages that are not in the standard library: any Python except most house bots.

        Those start faster without.
        """
        return self.language.name == "python" and (self.imports_games or not self.compiled)


def code_of(program: Program) -> Code:
    """Return the code of ``program``. Raises ``PlatformFailure`` if it is missing or has the wrong digest."""
    if isinstance(program, HouseProgram):
        code = _house_code(program)
    elif isinstance(program, StoredProgram):
        code = Code(program.folder, program.entry, program.args, program.digest)
    elif isinstance(program, LocalProgram):
        code = Code(program.folder.resolve(), program.entry, program.args, "")
    else:
        raise PlatformFailure(f"cannot start a process from {program!r}")
    if not (code.folder / code.entry).is_file():
        raise PlatformFailure(f"{code.folder} does not contain {code.entry}")
    return code


def _house_code(program: HouseProgram) -> Code:
    bot = HOUSE.get(program.name)
    if bot is None:
        raise PlatformFailure(f"unknown house bot {program.name!r}; known house bots: {', '.join(HOUSE)}")
    if HERE not in bot.path.resolve().parents:
        raise PlatformFailure(f"the code of the house bot {program.name} is outside the package")
    digest = bot.digest()
    if program.digest and program.digest != digest:
        raise PlatformFailure(
            f"the installed code of the house bot {program.name} is not version {program.digest[:12]}"
        )
    return Code(bot.path, "bot.py", bot.args, digest, compiled=True, imports_games=bot.imports_games, shared=bot.shared)


def staged(code: Code, runtime: Path) -> Path:
    """Return a copy of the code's folder, one per digest, that only this user can write. Its name is secret.

    A copy never changes when it is used, so that a game cannot detect earlier games. The time of its last use is stored
    on its parent folder, which no bot sees. Raises ``PlatformFailure`` for a folder that contains anything except
    normal files and folders.
    """
    place = _place(code, runtime)
    try:
        made_once(place, lambda new: _fill(new / "bot", code), _most_bytes(runtime))
    except OSError as error:
        raise PlatformFailure(f"could not copy a bot to {place.parent}: {error}") from error
    return place / "bot"


def _place(code: Code, runtime: Path) -> Path:
    """Return the place of a copy, whose name is secret: other users of the host can read a copy if they know its name.

    Users of seats have to read the copies, and digests are public in ledgers.
    """
    contents = f"{code.kind}-{code.digest or _contents(code.folder)}"
    name = hmac.digest(own_secret(runtime / "copies.key"), contents.encode(), "sha256").hex()
    return own_folder(runtime / "copies") / name


def forget_old_copies(runtime: Path) -> None:
    """Remove copies that were not started for a week, and the least recently started ones if there are too many."""
    forget_unused(own_folder(runtime / "copies"), _most_bytes(runtime))


def _most_bytes(runtime: Path) -> float:
    """Return the maximum size of all copies: a quarter of the file system, which is the host's memory for a tmpfs."""
    return shutil.disk_usage(runtime).total / 4


def _fill(folder: Path, code: Code) -> None:
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    for source in _files(code.folder):
        _copy(source, folder / source.relative_to(code.folder))
    for source in code.shared:
        _copy(source, folder / source.name)
    if code.compiled:
        _compile(folder)
    for path in (*folder.rglob("*"), folder):
        os.utime(path, (LAST_READ_S, WRITTEN_S))


def _files(folder: Path) -> list[Path]:
    entries = []
    for path in sorted(folder.rglob("*")):
        if "__pycache__" in path.parts or (path.is_dir() and not path.is_symlink()):
            continue
        if path.is_symlink() or not path.is_file():
            raise PlatformFailure(f"{path} is neither a regular file nor a folder, which a bot folder must not contain")
        entries.append(path)
    return entries


def _contents(folder: Path) -> str:
    digest = sha256()
    for path in _files(folder):
        data = path.read_bytes()
        mode = path.stat().st_mode & 0o100
        digest.update(f"{path.relative_to(folder)}\0{len(data)}\0{mode}\0".encode())
        digest.update(data)
    return digest.hexdigest()


def _compile(folder: Path) -> None:
    """Put compiled modules next to their sources. Other versions of the interpreter ignore them."""
    kept = folder / "__pycache__"
    kept.mkdir(mode=0o755)
    kept.chmod(0o755)
    for source in folder.glob("*.py"):
        mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
        compiled = py_compile.compile(str(source), dfile=source.name, doraise=True, invalidation_mode=mode)
        Path(str(compiled)).chmod(0o644)


def _copy(source: Path, target: Path) -> None:
    for folder in reversed(target.parents):
        if not folder.exists():
            folder.mkdir(mode=0o755)
            folder.chmod(0o755)
    shutil.copyfile(source, target)
    target.chmod(0o755 if source.stat().st_mode & 0o100 else 0o644)
