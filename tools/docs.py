"""Write the reference of settings, check all links, and write static HTML: ``make docs``."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
from pathlib import Path
from posixpath import dirname, relpath
from typing import TYPE_CHECKING

from tools import settings_reference

if TYPE_CHECKING:  # Django is set up later
    from ladder.pages.components.documentation import Documentation

ROOT = Path(__file__).resolve().parent.parent
STYLES = ROOT / "esr_platform" / "static" / "esr"


def main() -> int:
    parser = argparse.ArgumentParser(prog="tools/docs.py", description=__doc__)
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "docs", help="folder (default: build/docs)")
    output: Path = parser.parse_args().output
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "esr_platform.settings")
    import django

    django.setup()
    from ladder.pages.components.documentation import Documentation

    settings_reference.PAGE.write_text(settings_reference.page(), encoding="utf-8")
    docs = Documentation(ROOT)
    faults = list(docs.faults())
    for source, fault in faults:
        print(f"{source}: {fault}", file=sys.stderr)
    print(f"Wrote {write(docs, output)} pages to {output}. Open {output / 'index.html'}.")
    return 1 if faults else 0


def write(docs: Documentation, output: Path) -> int:
    """Write all pages with their images and style sheets into ``output``; the number of pages."""
    from django.conf import settings
    from django.template.loader import render_to_string

    from ladder.pages import docs as site

    if (output / "static" / "docs.css").is_file():
        shutil.rmtree(output)  # an earlier copy
    for page in docs.by_source.values():
        file = file_of(page.slug)

        def place(kind: str, name: str, here: str = dirname(file)) -> str | None:
            if kind == "rules":
                return None
            return relpath(file_of(name) if kind == "page" else f"images/{name}", here or ".")

        context = site.context(docs, page, docs.render(page, place))
        context |= {"place": place, "static": relpath("static", dirname(file) or ".") + "/"}
        html = render_to_string("pages/docs_static.html", {**context, "SITE_NAME": settings.SITE_NAME})
        target = output / file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(html, encoding="utf-8")
    (output / "images").mkdir(exist_ok=True)
    for name in docs.images:
        shutil.copyfile(ROOT / "docs" / "images" / name, output / "images" / name)
    _copy_styles(output / "static")
    return len(docs.by_source)


def file_of(slug: str) -> str:
    """The file of a page in the static copy."""
    return f"{slug}.html" if slug else "index.html"


def _copy_styles(folder: Path) -> None:
    """Copy the icon and the style sheets with their imports."""
    waiting = ["favicon.svg", "site.css", "docs.css"]
    while waiting:
        name = waiting.pop()
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        text = (STYLES / name).read_text(encoding="utf-8")
        target.write_text(text, encoding="utf-8")
        waiting += re.findall(r'@import "([^"]+)"', text)


if __name__ == "__main__":
    sys.exit(main())
