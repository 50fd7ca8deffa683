"""Print the size of the code base: ``python tools/code_size.py``. There are no limits."""

from __future__ import annotations

import subprocess
from pathlib import Path

PRODUCT = ("games", "bots", "ladder", "esr_platform")
SMALL = 60


def lines(*folders: str) -> dict[Path, int]:
    """Return the number of lines of each tracked Python file in ``folders``."""
    listed = subprocess.run(["git", "ls-files", "-z", *folders], capture_output=True, text=True, check=True).stdout
    files = [Path(name) for name in listed.split("\0") if name.endswith(".py")]
    return {file: file.read_text().count("\n") for file in files if file.exists()}


def main() -> None:
    """Print the lines and modules of the product and the lines of the tests."""
    product = lines(*PRODUCT)
    modules = {file for file in product if file.name != "__init__.py" and "migrations" not in file.parts}
    small = [file for file in modules if product[file] < SMALL]
    print(f"Product: {sum(product.values()):,} lines of Python in {len(modules)} modules")
    print(f"Modules with fewer than {SMALL} lines: {len(small) / len(modules):.0%}")
    print(f"Tests: {sum(lines('tests').values()):,} lines of Python")


if __name__ == "__main__":
    main()
