"""The languages that bots are written in: one table, from which pages, documents and the check of uploads are drawn."""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Final

from bots.executables import FileFault, fault_of_executable

# --- Languages -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Runtime:
    """A program of the host that runs the entries of a language, besides the Python of bots.

    ``title`` and ``package`` (of Debian) are for messages. ``options`` are the arguments before the entry for a limit
    of memory in MiB: the runtime then reports itself when its heap is full, and computes on one core. ``version`` are
    arguments with which it prints its version as one of its programs. ``folders`` are those with its other files,
    relative to the folder that contains the program, and ``not_needed`` names what no bot can use of them.
    """

    title: str
    package: str
    program: str
    options: Callable[[int], tuple[str, ...]]
    version: tuple[str, ...]
    before_entry: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    not_needed: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Language:
    """A way to run a bot's entry, the file that is started.

    ``name`` is used in ``bot.toml``, ``title`` and ``about`` on pages. ``suffixes`` are those of an entry's name. A
    language without suffixes takes every other file, which is executed itself. ``fault`` returns why the bytes of an
    entry cannot be started, or ``None``. ``start_factor`` is how many times longer than others its bots may start.
    """

    name: str
    title: str
    about: str
    suffixes: tuple[str, ...]
    fault: Callable[[bytes], FileFault | None]
    runtime: Runtime | None = None
    start_factor: int = 1

    @property
    def is_interpreted(self) -> bool:
        """Whether an interpreter runs the entry. Otherwise the entry itself must be executable."""
        return bool(self.suffixes)

    @property
    def entry(self) -> str:
        """The default name of an entry."""
        return f"bot{self.suffixes[0]}" if self.suffixes else "bot"


# --- Files -----------------------------------------------------------------------------------------------------------


def fault_of_source(data: bytes) -> FileFault | None:
    """Return why ``data`` is not source code that can be started. The syntax is not checked.

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
        return FileFault("nul", "contains a NUL character, so it is not source code. Upload the source code")
    return None


def fault_of_jar(data: bytes) -> FileFault | None:
    """Return why ``data`` is not a jar. Only the Java runtime in the sandbox reads what it contains."""
    if not data.startswith(b"PK\x03\x04"):
        return FileFault("not_a_jar", "is not a jar. Build it with `jar --create --file bot.jar --main-class …`")
    return None


def fault_of_wasm(data: bytes) -> FileFault | None:
    """Return why ``data`` is not a module in WebAssembly. Only the runtime in the sandbox reads what it contains."""
    if not data.startswith(b"\0asm"):
        return FileFault("not_wasm", f"is not a WebAssembly module. {_BUILD_WASM}")
    if data[4:8] != b"\1\0\0\0":
        return FileFault("wasm_version", f"is a WebAssembly component or has an unknown version. {_BUILD_WASM}")
    return None


_BUILD_WASM: Final = "Build a module for WASI preview 1, with a target such as `wasm32-wasip1`"


# --- The table -------------------------------------------------------------------------------------------------------

_MOST_HEAP_MB: Final = 1 << 16
"""The largest heap of a runtime, which reserves its address space. Bots on their owner's machine have no limit."""


def _heap_mb(memory_mb: int) -> int:
    """The heap within a limit of memory. The rest is for the runtime itself, compiled code, stacks and buffers."""
    return min(memory_mb * 5 // 8, _MOST_HEAP_MB)


def _node_options(memory_mb: int) -> tuple[str, ...]:
    return (f"--max-old-space-size={_heap_mb(memory_mb)}", "--v8-pool-size=1", "--single-threaded-gc")


def _wasm_options(memory_mb: int) -> tuple[str, ...]:
    """The options of Node.js, and the pages of 64 KiB of a module's memory, which is not part of the heap.

    Without them, V8 crashes when the limit of the process keeps a memory from growing. Fast calls of WASI crash when
    they collect garbage (github.com/nodejs/node/issues/46777). One of the warnings says that WASI is experimental.
    """
    pages = _heap_mb(memory_mb) * 16
    return (*_node_options(memory_mb), f"--wasm-max-mem-pages={pages}", "--no-turbo-fast-api-calls", "--no-warnings")


def _java_options(memory_mb: int) -> tuple[str, ...]:
    heap_mb = _heap_mb(memory_mb)
    return (
        f"-Xmx{heap_mb}m", f"-Xms{min(heap_mb, 16)}m", "-Xss512k", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
        "-XX:ReservedCodeCacheSize=32m", "-XX:MaxMetaspaceSize=64m", "-XX:CompressedClassSpaceSize=32m",
        "-XX:ActiveProcessorCount=1", "-XX:-UsePerfData", "-Xshare:auto", "-XX:+ExitOnOutOfMemoryError",
        "-XX:+DisplayVMOutputToStderr", "-Xlog:disable", "-Xlog:all=warning:stderr",  # stdout is only for answers
        "-Djava.awt.headless=true", "-Dfile.encoding=UTF-8",
    )  # fmt: skip


_PYTHON: Final = Language(
    name="python",
    title="Python",
    about="A .py file that can import the standard library, the package games, and NumPy if installed.",
    suffixes=(".py",),
    fault=fault_of_source,
)
_EXECUTABLE: Final = Language(
    name="executable",
    title="Executable",
    about="Any program for Linux on x86-64 (ELF), linked statically or with glibc.",
    suffixes=(),
    fault=fault_of_executable,
)
_NODE: Final = Runtime(
    title="Node.js",
    package="nodejs",
    program="node",
    options=_node_options,
    version=("-p", "process.versions.node"),
    folders=("../share/nodejs",),
    not_needed=frozenset(["npm", "corepack"]),
)
_JAVASCRIPT: Final = Language(
    name="javascript",
    title="JavaScript",
    about="A .js, .mjs or .cjs file for Node.js, without packages other than those in the archive.",
    suffixes=(".js", ".mjs", ".cjs"),
    fault=fault_of_source,
    runtime=_NODE,
)
_JAVA: Final = Language(
    name="java",
    title="Java",
    about="A .jar file with a main class, in Java or another language of the JVM.",
    suffixes=(".jar",),
    fault=fault_of_jar,
    runtime=Runtime(
        title="a Java runtime",
        package="default-jre-headless",
        program="java",
        options=_java_options,
        version=("--version",),
        before_entry=("-jar",),
        folders=("../lib", "../conf"),
        not_needed=frozenset(["src.zip", "ct.sym", "libawt_xawt.so", "libsplashscreen.so", "libatk-wrapper.so", "jfr"]),
    ),
    start_factor=2,
)
_WASM: Final = Language(
    name="wasm",
    title="WebAssembly",
    about="A .wasm module with a function _start (WASI preview 1), which Node.js runs.",
    suffixes=(".wasm",),
    fault=fault_of_wasm,
    runtime=replace(
        _NODE,
        options=_wasm_options,
        version=("-p", "new (require('node:wasi').WASI)({ version: 'preview1' }) && process.versions.node"),
        before_entry=("--eval", Path(__file__).with_name("wasi.js").read_text(encoding="utf-8")),
    ),
)

LANGUAGES: Final[Mapping[str, Language]] = MappingProxyType(
    {each.name: each for each in (_PYTHON, _EXECUTABLE, _JAVASCRIPT, _JAVA, _WASM)}
)
"""All languages by name; the first is the default."""


def language_of(entry: str) -> Language:
    """Return the language of an entry with this file name."""
    for language in LANGUAGES.values():
        if entry.endswith(language.suffixes):
            return language
    return _EXECUTABLE
