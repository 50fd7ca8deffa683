"""Casual live games that somebody proposes: remote bots are asked, and the game begins once all have accepted."""
