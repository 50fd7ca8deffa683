from __future__ import annotations

from django.contrib.auth.models import AbstractUser


class User(AbstractUser):
    """A person with an account; ours from the first migration, so that it can grow without a new table."""
