"""Pages of numbers: of a season, of a bot on a ladder, of all against all; and, for staff, of who feeds whom."""
