"""What a table is asked for: its order, its filters and a word to look for, all in the address, without a script."""
