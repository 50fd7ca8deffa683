from __future__ import annotations

from django.urls import URLPattern, path

from ladder.pages.founding import views

urlpatterns: list[URLPattern] = [
    path("ladders/<slug:slug>/table.csv", views.download_table, name="ladder_csv"),
    path("ladders/<slug:slug>/members/", views.members, name="ladder_members"),
    path("ladders/<slug:slug>/members/<int:person_id>/remove/", views.remove_member, name="remove_member"),
    path("ladders/<slug:slug>/members/link/", views.new_link, name="new_invitation"),
    path("ladders/invitations/<str:token>/", views.accept_invitation, name="accept_invitation"),
    path("staff/ladders/new/", views.new_ladder, name="new_ladder"),
]
