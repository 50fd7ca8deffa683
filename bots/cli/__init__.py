"""Games on one's own machine: who sits where, series of games, their table, and checking records again."""
