"""Pure arithmetic: what a result does to ratings. No database, no clock."""
