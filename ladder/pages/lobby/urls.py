from __future__ import annotations

from django.urls import URLPattern, path

from ladder.pages.lobby import reported, tables, views

urlpatterns: list[URLPattern] = [
    path("play/", views.lobby, name="lobby"),
    path("play/now/", views.play_now, name="play_now"),
    path("play/offer/", views.offer_seats, name="offer_seats"),
    path("play/seeks/<int:seek_id>/take/", views.take_seat, name="take_seat"),
    path("play/seeks/<int:seek_id>/leave/", views.leave_seat, name="leave_seat"),
    path("play/seeks/<int:seek_id>/withdraw/", views.withdraw_seek, name="withdraw_seek"),
    path("play/links/<str:token>/", views.seek_link, name="seek_link"),
    path("play/look/", views.look, name="look"),
    path("play/stop/", views.stop_looking, name="stop_looking"),
    path("play/challenge/<slug:slug>/", views.challenge_bot, name="challenge_bot"),
    path("play/challenge/people/<str:username>/", views.challenge_person, name="challenge_person"),
    path("play/challenges/<int:challenge_id>/answer/", views.answer_challenge, name="answer_challenge"),
    path("staff/chat/", reported.reported_lines, name="reported_lines"),
    path("staff/chat/<int:line_id>/", reported.settle, name="settle_line"),
    path("play/tables/<int:match_id>/", tables.sit, name="sit"),
    path("play/tables/<int:match_id>/answer/", tables.answer, name="answer"),
    path("play/tables/<int:match_id>/act/", tables.act, name="act"),
    path("play/tables/<int:match_id>/rematch/", tables.rematch, name="rematch"),
]
