from __future__ import annotations

from django.urls import URLPattern, path

from ladder.pages.owning import actions, registering, views

urlpatterns: list[URLPattern] = [
    path("bots/new/", views.upload, name="upload"),
    path("bots/new/remote/", registering.register, name="register_remote"),
    path("bots/mine/", views.mine, name="my_bots"),
    path("bots/starter/<slug:slug>.zip", views.starter, name="starter"),
    path("bots/<slug:slug>/upload/", views.new_version, name="new_version"),
    path("bots/<slug:slug>/declare/", registering.declare, name="declare_remote"),
    path("bots/<slug:slug>/settings/", actions.settings, name="bot_settings"),
    path("bots/<slug:slug>/ladders/", actions.choose_ladders, name="choose_ladders"),
    path("bots/<slug:slug>/put-back/", actions.put_back, name="put_back"),
    path("bots/<slug:slug>/retire/", actions.retire, name="retire"),
    path("bots/<slug:slug>/take-back/", actions.take_back, name="take_back"),
    path("bots/<slug:slug>/source/publish/", actions.publish_source, name="publish_source"),
    path("bots/<slug:slug>/source/hide/", actions.hide_source, name="hide_source"),
    path("bots/<slug:slug>/versions/<int:number>/", views.version, name="version"),
    path("bots/<slug:slug>/versions/<int:number>/activate/", actions.activate, name="activate"),
    path("bots/<slug:slug>/versions/<int:number>/source/", views.read_source, name="source"),
    path("bots/<slug:slug>/versions/<int:number>/download", views.download_source, name="download_source"),
    path("matches/<int:match_id>/seats/<int:index>/log/", views.log, name="seat_log"),
    path("matches/<int:match_id>/seats/<int:index>/log.json", views.download_log, name="seat_log_json"),
]
