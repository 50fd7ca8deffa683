"""Verify stored games by re-executing them, and stored deals by recomputing them from the season keys."""
