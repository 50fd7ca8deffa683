"""URLs of worker hosts."""

from __future__ import annotations

from django.urls import URLPattern, path, register_converter

from esr_platform.api.worker import views
from ladder.worker_hosts.work import KINDS


class KindConverter:
    """The name of a kind of work."""

    regex = "|".join(KINDS)

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(KindConverter, "kind")

app_name = "worker"

urlpatterns: list[URLPattern] = [
    path("work", views.Work.as_view(), name="work"),
    path("leases/<kind:kind>/<int:row>/<uuid:lease>/renew", views.Renewal.as_view(), name="renew"),
    path("leases/<kind:kind>/<int:row>/<uuid:lease>/code", views.Code.as_view(), name="code"),
    path("leases/<kind:kind>/<int:row>/<uuid:lease>/result", views.BroughtResult.as_view(), name="result"),
    path("leases/<kind:kind>/<int:row>/<uuid:lease>/give-up", views.GivenUp.as_view(), name="give_up"),
]
