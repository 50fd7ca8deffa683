"""Looking at a page as people do: on a phone and on a desk, by day and by night, and with axe for those who hear it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Locator, Page

ARTEFACTS = Path(os.environ.get("TEST_ARTEFACTS", "test-artefacts"))
"""Where the screenshots of all pages go."""

Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
PHONE, DESK = (360, 780), (1280, 800)
BETWEEN = ((768, 1024), (1920, 1080))
"""Sizes at which a page must fit, too."""

THUMB = 44
"""CSS pixels that whatever is touched is high on a phone (look at WCAG 2.5.5)."""

WIDTH = "() => document.documentElement.scrollWidth"
SMALL = """(least) => [...document.querySelectorAll('nav a, button, .button, .skip, main input, main select')]
    .filter((e) => e.checkVisibility() && !e.closest('.contents, .meta, .caption, [data-dense]'))
    .filter((e) => !['checkbox', 'radio', 'hidden', 'range'].includes(e.type))
    .filter((e) => e.getBoundingClientRect().right > 1 && e.getBoundingClientRect().bottom > 1)
    .filter((e) => e.getBoundingClientRect().height < least).map((e) => e.outerHTML)"""
AXE = """(values) => axe.run(document, {
        resultTypes: ['violations'], preload: false, ...(values && {runOnly: {type: 'rule', values}})
    })
    .then((found) => found.violations.map((it) =>
        `${it.id}: ${it.help}: ${it.nodes.slice(0, 3).map((node) => node.html.slice(0, 300)).join(' | ')}`))"""
"""What axe finds. It does not load the style sheets again: it takes imports in them for files next to the page."""
RULES = {"light": None, "dark": ["color-contrast", "link-in-text-block"]}
"""What axe looks for: everything, but by night only what the colours decide."""


@dataclass
class Looker:
    """Opens pages and writes down what is wrong with each of them.

    A page is loaded once, and then looked at in both themes at two sizes: is it wider than its window, is anything too
    small for a thumb, what does axe say. A picture of each is kept. The fixture fails the test for any fault.
    """

    page: Page
    kind: str
    faults: list[str] = field(default_factory=list)
    _opened: int = 0

    def open(self, *addresses: str) -> None:
        """Load one address after the other, and look at each."""
        for address in addresses:
            self.page.goto(address)
            self._opened += 1
            self.look(f"{self._opened:02}-{_named(address)}")

    def look(self, name: str) -> None:
        """Look at the page as it is now."""
        ARTEFACTS.mkdir(exist_ok=True)
        self.page.wait_for_load_state()
        self.page.evaluate(AXE_SCRIPT)
        for width, height in BETWEEN:
            self._resize(width, height)
            self._note(name, f"at {width}", self._too_wide(width))
        for width, height in (PHONE, DESK):
            self._resize(width, height)
            self._note(name, f"at {width}", self._too_wide(width))
            if width == PHONE[0]:
                self._note(name, "too small for a thumb", self.page.evaluate(SMALL, THUMB))
            for scheme in SCHEMES:
                self.page.emulate_media(color_scheme=scheme)
                self._note(name, f"{scheme} at {width}", self.page.evaluate(AXE, RULES[scheme]))
                picture = f"{self.kind}-{name}-{width}-{scheme}.png"
                self.page.screenshot(path=ARTEFACTS / picture, full_page=True)

    def _resize(self, width: int, height: int) -> None:
        self.page.set_viewport_size({"width": width, "height": height})

    def _too_wide(self, width: int) -> list[str]:
        pixels: int = self.page.evaluate(WIDTH)
        return [f"{pixels} px wide"] if pixels > width else []

    def _note(self, name: str, where: str, faults: Iterable[Any]) -> None:
        self.faults += [f"{name}, {where}: {fault}" for fault in faults]


def press(button: Locator) -> None:
    """Click a button or link that loads a page, and wait for that page."""
    with button.page.expect_navigation():
        button.click()


def _named(address: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", address.strip("/")) or "home"
