"""The search in the head of every page: bots, people, ladders, and matches by their numbers."""
