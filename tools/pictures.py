"""Take the pictures of the readme from a running site: ``make pictures PORT=8000``, with Chromium from the system."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

PICTURES = {"ladder": "/ladders/edel-stein-reich-4/", "home": "/"}
FOLDER = Path(__file__).resolve().parent.parent / "docs" / "images"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8000)
    port = parser.parse_args().port
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        print("Chromium is needed for pictures: sudo apt-get install chromium", file=sys.stderr)
        return 1
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 860}, color_scheme="light")
        for name, path in PICTURES.items():
            page.goto(f"http://localhost:{port}{path}")
            page.screenshot(path=FOLDER / f"{name}.png")
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
