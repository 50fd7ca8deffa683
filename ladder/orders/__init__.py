"""Matches on demand: what people order, within what limits, and how it is played and told. Unrated, all of it."""
