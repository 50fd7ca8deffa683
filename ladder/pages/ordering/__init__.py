"""The pages of matches on demand: ordering them, following them, agreeing to them."""
