"""The documentation on the site: its pages, its pictures and the search in it."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from ladder.pages.components.documentation import IMAGE_TYPES, DocPage, Documentation, documentation
from ladder.pages.components.markup import Prose
from ladder.pages.components.responses import too_many
from ladder.pages.search import Words

RESULTS: Final = 20
_HOUR: Final = 3600


@cache
def _rendered(docs: Documentation, page: DocPage) -> Prose:
    return docs.render(page, url)


def url(kind: str, name: str) -> str:
    """The path of a page, an image or the rules of a game on the site."""
    if kind == "page":
        return reverse("pages:docs_page", args=[name]) if name else reverse("pages:docs")
    return reverse("pages:docs_image" if kind == "image" else "pages:game_rules", args=[name])


@require_safe
def page(request: HttpRequest, slug: str) -> HttpResponse:
    docs = documentation()
    doc = docs.by_slug.get(slug) if docs else None
    if docs is None or doc is None:
        return render(request, "pages/docs_missing.html", {"has_docs": docs is not None}, status=404)
    return render(request, "pages/docs.html", context(docs, doc, _rendered(docs, doc)))


def context(docs: Documentation, shown: DocPage, prose: Prose) -> dict[str, Any]:
    """The context of ``pages/_docs.html``."""
    previous, following = docs.neighbors(shown)
    return {
        "menu": docs.menu,
        "page": shown,
        "markdown_url": markdown_url("page", shown.slug),
        "prose": prose,
        "contents": [heading for heading in prose.headings if heading.level <= 3],
        "previous": previous,
        "next": following,
    }


def markdown_url(kind: str, name: str) -> str:
    """The path of a page or the rules of a game in Markdown, or of an image."""
    if kind == "page":
        return reverse("pages:docs_markdown_page", args=[name]) if name else reverse("pages:docs_markdown")
    return reverse("pages:docs_image" if kind == "image" else "pages:rules_markdown", args=[name])


@require_safe
def markdown(_request: HttpRequest, slug: str) -> HttpResponse:
    """A page in Markdown, for programs that read text."""
    docs = documentation()
    doc = docs.by_slug.get(slug) if docs else None
    if docs is None or doc is None:
        raise Http404
    return as_markdown(docs.markdown(doc, markdown_url))


def as_markdown(text: str) -> HttpResponse:
    """A response with Markdown (RFC 7763). Search engines list the page with the same text instead."""
    response = HttpResponse(text, content_type="text/markdown; charset=utf-8")
    response["Cache-Control"] = f"public, max-age={_HOUR}"
    response["X-Robots-Tag"] = "noindex"
    return response


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    words, docs = Words.of(request.GET.get("q")), documentation()
    limited = too_many(request, "search") if words else None
    if limited is not None:
        return limited
    if docs is None:
        return render(request, "pages/docs_missing.html", {"has_docs": False}, status=404)
    hits = docs.search(words.text, RESULTS)
    response = render(request, "pages/docs_search.html", {"menu": docs.menu, "words": words, "hits": hits})
    response["X-Robots-Tag"] = "noindex"
    return response


@require_safe
def image(_request: HttpRequest, name: str) -> HttpResponse:
    docs = documentation()
    if docs is None or name not in docs.images:
        raise Http404
    path = docs.root / "docs" / "images" / name
    response = HttpResponse(path.read_bytes(), content_type=IMAGE_TYPES[path.suffix])
    response["Cache-Control"] = f"public, max-age={_HOUR}"
    return response
