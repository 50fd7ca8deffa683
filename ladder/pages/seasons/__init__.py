"""The pages of a ladder's seasons: their tables and keys, and the check of every deal."""
