"""How people find a game: seats that somebody offers, quick pairing, rematches, a game against the house at once."""
