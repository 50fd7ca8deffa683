"""What players say to each other at live tables, and who found that it should not stand there."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from ladder.models.matches import Match, Seat


class ChatLine(models.Model):
    """One line of a player at a table: a ``preset`` by its name, or words of their own. Staff may hide it."""

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="chat")
    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="chat")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="chat_lines")
    preset = models.CharField(max_length=20, blank=True, default="")
    text = models.CharField(max_length=300, blank=True, default="")
    created = models.DateTimeField(db_default=Now(), editable=False)
    hidden_at = models.DateTimeField(null=True, blank=True)
    hidden_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        ordering = ["match", "pk"]
        indexes = [models.Index(name="chat_line_by_person", fields=["by", "-created"])]
        constraints = [
            models.CheckConstraint(
                name="chat_line_is_a_preset_or_words",
                condition=Q(preset="") & ~Q(text="") | ~Q(preset="") & Q(text=""),
            ),
            models.CheckConstraint(
                name="chat_line_hidden_by_somebody_is_hidden",
                condition=Q(hidden_by=None) | Q(hidden_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"line {self.pk} of match {self.match_id}"


class ChatReport(models.Model):
    """Somebody at the table finds that a line should not stand there; staff decides."""

    line = models.ForeignKey(ChatLine, on_delete=models.CASCADE, related_name="reports")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="chat_reports")
    created = models.DateTimeField(db_default=Now(), editable=False)
    settled_at = models.DateTimeField(null=True, blank=True)
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(name="chat_report_open", fields=["created"], condition=Q(settled_at=None))]
        constraints = [
            models.UniqueConstraint(name="chat_report_once_a_person", fields=["line", "by"]),
            models.CheckConstraint(
                name="chat_report_settled_by_somebody_is_settled",
                condition=Q(settled_by=None) | Q(settled_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"about {self.line} by {self.by}"
