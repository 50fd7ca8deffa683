"""The page about CSV files describes exactly the columns that they have."""

from __future__ import annotations

import re
from pathlib import Path

from ladder.pages import cup_exports, ladder_csv

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "csv-files.md"


def test_the_page_about_csv_files_describes_each_column_in_order() -> None:
    sections = PAGE.read_text(encoding="utf-8").split("\n## ")[1:]
    cells = [re.findall(r"^\| (`[^|]*`) \|", section, re.MULTILINE) for section in sections]
    described = [tuple(re.findall(r"`(\w+)`", " ".join(row))) for row in cells]
    assert described == [tuple(ladder_csv.COLUMNS), cup_exports.STANDINGS, cup_exports.RESULTS]
