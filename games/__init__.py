"""Game engine: rules, records, and what each player sees."""
