"""Two bots side by side, and the form to choose them."""
