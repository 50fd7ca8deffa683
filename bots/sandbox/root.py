"""The root of a bot's world: copies in memory of its runtime and the libraries of that, and nothing else of the host.

Python and executables share a root. Every other runtime has its own root, which is made for the first bot that needs
it, so that a host without such bots has no memory in use for it. Languages with the same program share its root.

The kernel keeps what was read of files on disk, and a bot can find out which parts were read lately. Through files that
all bots share, one game could so tell the next what it has seen of the deal. Copies on a tmpfs are always in memory.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from errno import ENOSPC
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from bots.executables import LIBRARIES
from bots.languages import LANGUAGES, Language
from bots.runner.launcher import PlatformFailure
from bots.sandbox import library
from bots.sandbox.bubblewrap import DEVICES
from bots.sandbox.code import LAST_READ_S
from bots.sandbox.interpreter import OPTIONS, bots_interpreter, packages, program_of
from bots.sandbox.runtime import own_folder
from bots.unused_copies import forget_unused, made_once

LINKER_CACHE: Final = Path("/etc/ld.so.cache")
LINKS: Final = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""Folders that on most systems are links into ``/usr``; where they are, they are in a bot's root too."""

FOLDERS: Final = ("/bot", "/tmp", "/dev")  # noqa: S108

FORMAT: Final = 2
"""Increase it whenever this module makes another root of the same files, so that no worker uses an older one."""

_NOT_NEEDED: Final = {
    "test", "tests", "idlelib", "tkinter", "turtledemo", "lib2to3", "ensurepip", "site-packages", "dist-packages",
}  # fmt: skip
_LOCALE: Final = Path("/usr/lib/locale/C.utf8")
_PATIENCE_S: Final = 60
_ROOM_FOR_BOTS: Final = 128 << 20
_LINKED: Final = re.compile(r"^\t(?:\S+ => )?(/\S+) \(0x[0-9a-f]+\)$", re.MULTILINE)
_CACHED: Final = re.compile(r"^\t(\S+) \(libc6,x86-64[^)]*\) => (/\S+)$", re.MULTILINE)

Files = dict[str, Path]
"""Where a file is in a bot's root, and of which file of the host it is a copy."""


def root_folder(runtime: Path, language: Language | None = None) -> Path:
    """The root for bots in ``language``, in the runtime folder: copied once for each version of its sources.

    Without a language that has another runtime, it is that of Python and executables. Raises ``PlatformFailure`` if
    something of it cannot be found or copied.
    """
    other = language if language is not None and language.runtime is not None else None
    try:
        place = own_folder(runtime / _name(other)) / version(other)
        return made_once(place, lambda new: _fill(new / "root", other), most_bytes=0) / "root"
    except (OSError, subprocess.SubprocessError) as error:
        raise PlatformFailure(f"could not copy the root folder of bots: {error}") from error


def forget_old_roots(runtime: Path) -> None:
    """Remove all roots from which nothing was started lately, except the newest. They are copied again when needed."""
    for name in {_name(each) for each in LANGUAGES.values()}:
        forget_unused(own_folder(runtime / name), most_bytes=0)


def _name(language: Language | None) -> str:
    return "roots" if language is None or language.runtime is None else f"roots-{language.runtime.program}"


def has_holes(folder: Path) -> bool:
    """Whether a file in ``folder`` has parts that no memory is allocated for: reading them would allocate it."""
    stats = (path.lstat() for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return any(status.st_blocks * 512 < status.st_size for status in stats)


@cache
def libraries(root: Path) -> list[str]:
    """The names of the shared libraries in a root that a program can be linked to, without extensions of Python."""
    of_python = {root / str(place)[1:] for place in (bots_library(), library.PLACE, *packages())}
    libraries = (path for path in root.rglob("*.so*") if of_python.isdisjoint(path.parents))
    return sorted({path.name for path in libraries} - {LINKER_CACHE.name})


def version(language: Language | None = None) -> str:
    """A name for a root, which changes with the interpreter, all packages, the libraries, and with this module.

    Installing a library rewrites the linker's cache, and installing a package changes its folder.
    """
    made_by = (FORMAT, LIBRARIES, LINKS, FOLDERS, DEVICES, sorted(_NOT_NEEDED), str(_LOCALE), LAST_READ_S)
    digest = sha256(repr((*made_by, library.PLACE, library.version())).encode())
    sources = [bots_interpreter(), bots_library() / "os.py", *packages()]
    if language is not None:
        sources = [program_of(language), *_folders(language)]
        digest.update(repr((_name(language), language.runtime.not_needed if language.runtime else ())).encode())
    for path in (LINKER_CACHE, *sources):
        with suppress(FileNotFoundError):
            status = path.stat()
            digest.update(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\0".encode())
    return digest.hexdigest()


def _fill(root: Path, language: Language | None) -> None:
    files = _files(language)
    if language is not None:
        _require_room(root.parent, files)
    _make_folder(root)
    for name in FOLDERS:
        _make_folder(root / name[1:])
    for name in DEVICES:
        (root / name[1:]).touch(0o444)
    for name in LINKS:
        if Path(name).is_symlink():
            (root / name[1:]).symlink_to(Path(name).readlink())
    for target, source in files.items():
        copy = root / target[1:]
        _make_folder(copy.parent)
        shutil.copyfile(source, copy)
        status = source.stat()
        copy.chmod(0o755 if status.st_mode & 0o100 else 0o644)
        os.utime(copy, ns=(LAST_READ_S * 10**9, status.st_mtime_ns))  # compiled modules name this time of their sources
    if language is not None:
        return
    _compile(root)
    library.copy_into(root / library.PLACE[1:], library.PLACE)


def _require_room(folder: Path, files: Files) -> None:
    """Raise ``OSError`` if a further root would leave no room for bots: a host can do without its language."""
    needed = sum(source.stat().st_size for source in files.values()) + _ROOM_FOR_BOTS
    if shutil.disk_usage(folder).free < needed:
        raise OSError(ENOSPC, f"less than {needed >> 20} MiB are free", str(folder))


def _make_folder(folder: Path) -> None:
    if not folder.exists():
        _make_folder(folder.parent)
        folder.mkdir(mode=0o755)
        folder.chmod(0o755)


def _compile(root: Path) -> None:
    """Compile the standard library where the host has not: every start would otherwise compile what it imports."""
    standard = root / str(bots_library())[1:]
    if not any((standard / "__pycache__").glob("os.*.pyc")):
        library.compile_modules(standard, root, "/")


def _files(language: Language | None) -> Files:
    """All files of a root."""
    interpreter = bots_interpreter() if language is None else program_of(language)
    places = [bots_library(), *packages()] if language is None else _folders(language)
    not_needed = _NOT_NEEDED if language is None or language.runtime is None else language.runtime.not_needed
    own = [interpreter, *(file for place in (*places, _LOCALE) for file in _tree(place, not_needed))]
    more = library.files().values() if language is None else ()
    binaries = [interpreter, *(path for path in (*own, *more) if ".so" in path.suffixes)]
    libraries = [*_standard_libraries(), *_linked(binaries)]
    libraries += _linked(libraries)
    files = {str(path): path for path in own if path.is_file()}
    files |= {str(path.parent.resolve() / path.name): path for path in libraries}
    return {**files, str(LINKER_CACHE): LINKER_CACHE} if LINKER_CACHE.exists() else files


def _folders(language: Language) -> list[Path]:
    """The folders that contain the files of a runtime besides its program."""
    assert language.runtime is not None
    above = program_of(language).parent
    return [Path(os.path.normpath(above / folder)) for folder in language.runtime.folders]


def _tree(place: Path, not_needed: Collection[str]) -> Iterator[Path]:
    """The files that a bot can need of a folder, or the file that ``place`` is."""
    if place.is_file():
        yield place
    for above, folders, names in os.walk(place):
        folders[:] = [name for name in folders if name not in not_needed and not name.startswith("config-")]
        yield from (Path(above, name) for name in names if name not in not_needed)


@cache
def bots_library() -> Path:
    """Where the interpreter has its standard library."""
    return Path(_output_of([*_python(), "-c", "import os; print(os.path.dirname(os.__file__))"]).strip())


def _python() -> list[str]:
    return [str(bots_interpreter()), *OPTIONS]


def _standard_libraries() -> list[Path]:
    """Those of ``LIBRARIES`` that this host has; none where its C library is another one than glibc."""
    try:
        cached = _CACHED.findall(_output_of(["/sbin/ldconfig", "-p"]))
    except FileNotFoundError:
        return []
    known = {name: Path(place) for name, place in reversed(cached)}
    return [known[name] for name in LIBRARIES if name in known]


def _linked(binaries: Iterable[Path]) -> list[Path]:
    """The libraries that ``binaries`` are linked to, and the linker."""
    return [Path(place) for place in set(_LINKED.findall(_output_of(["ldd", *map(str, binaries)], check=False)))]


def _output_of(command: list[str], *, check: bool = True) -> str:
    """What a program of the host prints. Raises ``OSError`` and ``SubprocessError``."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE_S, check=check)
    return done.stdout
