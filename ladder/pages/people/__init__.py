"""People as everybody may see them: their bots and the matches of these."""
