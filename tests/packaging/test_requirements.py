"""The direct dependencies in ``requirements/*.in`` and their lock files."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "requirements"
DIRECT = [
    (path.stem, line)
    for path in sorted(FOLDER.glob("*.in"))
    for line in path.read_text(encoding="utf-8").splitlines()
    if line and not line.startswith(("#", "-r"))
]
LOCKED = "\n".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("*.txt"))


def numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)]


def test_every_dependency_has_a_lower_bound_of_a_locked_version() -> None:
    for group, line in DIRECT:
        match = re.match(r"([\w.-]+)(?:\[[\w,]+\])?(?:>=|~=)([\d.]+)", line)
        assert match is not None, line
        if group == "train":  # no lock file has it
            continue
        name, bound = match.groups()
        versions = re.findall(rf"^{re.escape(name.replace('_', '-'))}==([^ ;]+)", LOCKED, re.MULTILINE | re.IGNORECASE)
        assert min(map(numbers, versions))[:2] == numbers(bound)[:2], line


def test_only_the_extra_s3_needs_django_storages() -> None:
    assert [group for group, line in DIRECT if line.startswith("django-storages")] == ["s3"]
    assert "django-storages" not in (FOLDER / "base.txt").read_text(encoding="utf-8")


def test_a_site_with_s3_has_the_versions_of_other_sites() -> None:
    base, s3 = (
        set(re.findall(r"^\S+==.*$", (FOLDER / name).read_text(encoding="utf-8"), re.MULTILINE))
        for name in ("base.txt", "base-s3.txt")
    )
    assert base < s3
