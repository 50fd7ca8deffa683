"""The public page of a ladder's accounts, its ledger as a file, and what staff correct."""
