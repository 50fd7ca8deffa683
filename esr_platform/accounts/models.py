from __future__ import annotations

from django.contrib.auth.models import AbstractUser


class User(AbstractUser):
    """A person with an account. Ours from the first migration, so that accounts can grow without replacing the table."""
