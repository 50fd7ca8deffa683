"""What a game's documents look like, said as JSON Schema. Knows no game; each game says its own part in its folder."""
