"""Cups: creation, registration, rounds, results and their ledger."""
