"""How a bot plays on a ladder: its versions' strength, its results by opponent and seat, what it does."""
