"""Tutorials: the beginning of a game, played by the page with a newcomer who need not have an account."""
