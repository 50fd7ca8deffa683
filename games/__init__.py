"""Game engine: rules, records, and what each player sees."""

__version__ = "0.1.0"
"""The version of this package and of the whole distribution."""
