"""The page on which operators see the machinery of the site, and act on it. ``ladder.operations`` has the actions."""
