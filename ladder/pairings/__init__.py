"""Pure functions: who plays next, and with whom. No database, no clock, no randomness but the generator given."""
