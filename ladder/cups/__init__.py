"""Cups: registration, rounds, results and their proof."""
