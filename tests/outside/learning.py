"""Learning libraries that run the programs of the page on environments. A wrong result raises an error there."""

from __future__ import annotations

import re

from tests.outside.programs import ROOT, Installation, Program
from tests.outside.site import Site

PAGE = ROOT / "docs" / "reference" / "python" / "environments.md"
ENVIRONMENTS = "gymnasium==1.4.0 pettingzoo==1.27.0 numpy==2.4.6"
TORCH = f"torch==2.13.0 {ENVIRONMENTS}"
SUCCESS = "exits with 0"

LIBRARIES = (
    Program("Stable-Baselines3", SUCCESS, pip=f"stable-baselines3==2.9.2 sb3-contrib==2.9.2 {TORCH}"),
    Program("TorchRL", SUCCESS, pip=f"torchrl==0.14.1 {TORCH}"),
    Program("SuperSuit", SUCCESS, pip=f"supersuit==3.11.0 {ENVIRONMENTS}"),
    Program("OpenSpiel", SUCCESS, pip=f"open_spiel==2.0.2 {ENVIRONMENTS}"),
)


def programs() -> dict[str, str]:
    """Return the programs on the page, by library."""
    chapter = PAGE.read_text(encoding="utf-8").partition("\n## Other libraries\n")[2].partition("\n## ")[0]
    return dict(re.findall(r"^### (\S+)\n.*?^```python\n(.*?)^```", chapter, flags=re.DOTALL | re.MULTILINE))


def result(installation: Installation, _site: Site, library: Program) -> str:
    """Run the program of a library."""
    environment = installation.install(library)
    environment["PYTHONPATH"] += f":{ROOT}"
    installation.run(["python", "-c", programs()[library.name]], environment=environment)
    return SUCCESS
