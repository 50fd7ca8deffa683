from __future__ import annotations

import re
from pathlib import Path

import pytest

import esr_platform

STATIC = Path(esr_platform.__file__).parent / "static/esr"
TOKENS = "".join(sheet.read_text() for sheet in [STATIC / "tokens.css", *sorted(STATIC.glob("drawings/*.css"))])
COLOURS = dict(re.findall(r"--([A-Za-z0-9-]+): light-dark\((#[0-9a-f]{6}, #[0-9a-f]{6})\)", TOKENS))
THEMES = ("light", "dark")
SURFACES = ("paper", "sheet", "board", "cell")
TEXT = ("ink", "ink2", "accent", "alarm")
DRAWN = ("edge", "coin", "seat-1", "seat-2", "seat-3", "seat-4", "seat-5")


def colour(name: str, theme: str) -> str:
    return COLOURS[name].split(", ")[THEMES.index(theme)]


def luminance(value: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    channels = [int(value[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", THEMES)
def test_text_can_be_read_on_every_surface(theme: str) -> None:
    for text in TEXT:
        for surface in SURFACES:
            assert contrast(colour(text, theme), colour(surface, theme)) >= 4.5, (text, surface)
    assert contrast(colour("on-accent", theme), colour("accent", theme)) >= 4.5
    assert contrast(colour("ink", theme), colour("accent-soft", theme)) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
def test_controls_and_marks_stand_out_from_every_surface(theme: str) -> None:
    for drawn in DRAWN:
        for surface in SURFACES:
            assert contrast(colour(drawn, theme), colour(surface, theme)) >= 3, (drawn, surface)


def test_gems_stand_out_by_their_line_in_light_and_by_their_tone_in_the_dark() -> None:
    for gem in ("red", "yellow", "green", "blue"):
        for surface in SURFACES:
            assert contrast(colour(f"{gem}-line", "light"), colour(surface, "light")) >= 3, (gem, surface)
            assert contrast(colour(gem, "dark"), colour(surface, "dark")) >= 3, (gem, surface)


@pytest.mark.parametrize("theme", THEMES)
def test_the_figures_of_a_bottle_can_be_read_on_its_label(theme: str) -> None:
    (text,) = re.findall(r"--wine-text: (#[0-9a-f]{6});", TOKENS)
    assert contrast(text, colour("wine-label", theme)) >= 7


@pytest.mark.parametrize("theme", THEMES)
def test_no_two_wines_have_one_colour(theme: str) -> None:
    wines = [colour(f"wine-{letter}", theme) for letter in "YRGOBSP"]
    assert len(set(wines)) == len(wines)
