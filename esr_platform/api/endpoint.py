"""The base class of all endpoints."""

from __future__ import annotations

from rest_framework.views import APIView


class Endpoint(APIView):
    """An ``APIView`` without OPTIONS. Its ``Allow`` header lists exactly the methods that it has."""

    http_method_names = [name for name in APIView.http_method_names if name != "options"]
