"""Tournaments as pure functions: seatings, pairings, standings and ledgers. No database, no framework."""
