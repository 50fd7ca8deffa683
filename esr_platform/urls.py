"""Root URL configuration. Each app defines the URLs of its pages."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from esr_platform import languages
from esr_platform.account_pages import views as accounts
from esr_platform.account_pages.urls import linked_accounts
from esr_platform.api import http
from esr_platform.metrics import metrics
from esr_platform.operations import views as operations

urlpatterns: list[URLPattern | URLResolver] = [
    path("account/login/", accounts.LoginView.as_view(), name="account_login"),
    path("account/", include("esr_platform.account_pages.urls")),
    path("staff/people/<str:username>/", accounts.moderate, name="moderate_person"),
    path("staff/operations/", operations.show, name="operations"),
    path("staff/operations/<slug:action>/<str:subject>/", operations.act, name="operate"),
    path("staff/roles/", accounts.roles, name="roles"),
    path("terms/", accounts.show_terms, name="terms"),
    path("account/", include("allauth.account.urls")),
    path("account/2fa/webauthn/login/", accounts.PasskeyLoginView.as_view(), name="mfa_login_webauthn"),
    path("account/2fa/", include("allauth.mfa.urls")),
    *linked_accounts(),
    path("api/v1/", include("esr_platform.api.urls")),
    path("api/worker/", include("esr_platform.api.worker.urls")),
    path("language/", languages.choose, name="language"),
    path("words/<slug:language>/<slug:version>.json", languages.document, name="words"),
    path("metrics", metrics, name="metrics"),
    path("", include("ladder.pages.urls")),
]

handler400 = http.on_400
handler404 = http.on_404
handler429 = http.on_429  # allauth calls it
handler500 = http.on_500
