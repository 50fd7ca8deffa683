"""Pure functions: who plays next, and with whom. No database, no clock; random numbers come from the arguments."""
