"""Ratings over time: what is drawn, where it lies, and the same in words. Templates draw it as SVG that scales."""
