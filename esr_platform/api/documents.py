"""Base classes and helpers for the documents of the API.

Each document is a msgspec struct. The encoder writes exactly its fields, and the OpenAPI document takes the JSON
Schema, the descriptions and the examples from the same struct. Structs also validate request bodies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from inspect import cleandoc
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, TypeVar, cast

import msgspec
from django.core.files.uploadedfile import UploadedFile
from msgspec import UNSET, Meta
from msgspec import inspect as types
from rest_framework.exceptions import ParseError, ValidationError

from esr_platform.api.parameters import SLUG, Parameter

# --- Structs ---------------------------------------------------------------------------------------------------------


class Document(msgspec.Struct, kw_only=True):
    """A response document.

    ``always`` names the fields that ``?fields=`` cannot remove.
    """

    always: ClassVar[tuple[str, ...]] = ()


class Form(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A JSON request body. Unknown fields are invalid, so that a typo is not ignored."""


Moment = Annotated[datetime, Meta(tz=True)]
Slug = Annotated[str, Meta(pattern=SLUG)]

if TYPE_CHECKING:
    File = UploadedFile[Any]
else:
    File = UploadedFile

NO_NUL: Final = "^[^\\0]*$"
"""The NUL character is the only one that PostgreSQL cannot store."""


def about(description: str, example: Any = UNSET, **limits: Any) -> Meta:
    """Describe a field. ``limits`` are arguments of ``msgspec.Meta``, for example ``ge`` and ``max_length``."""
    return Meta(description=description, examples=None if example is UNSET else [example], **limits)


def choice(values: Sequence[str], description: str, example: str | None = None) -> Meta:
    """Describe a field with one of ``values``. The default example is the first value."""
    known = {"enum": list(values)}
    return Meta(description=description, examples=[example or values[0]], extra_json_schema=known)


def text(description: str, most: int, example: str) -> Meta:
    """Describe a string in a request body, of 1 to ``most`` characters."""
    return about(description, example, min_length=1, max_length=most, pattern=NO_NUL)


# --- Schemas and examples --------------------------------------------------------------------------------------------

EXAMPLE_TIME: Final = "2026-11-22T09:30:12.481516Z"
EXAMPLE_DIGEST: Final = "9f0c5be44f3a7c5f7a1d2d3b8f1c8e0a4f2b6d7c9e1a3b5c7d9e0f1a2b3c4d5e"
_BINARY: Final = {"type": "string", "format": "binary"}
_REFERENCE: Final = "#/components/schemas/{name}"


def components(documents: Sequence[Any]) -> dict[str, dict[str, Any]]:
    """Return the JSON Schemas of ``documents`` and of all structs that they contain, by name."""
    _, schemas = msgspec.json.schema_components(documents, schema_hook=_schema, ref_template=_REFERENCE)
    for schema in schemas.values():
        schema.pop("title", None)
        schema["description"] = cleandoc(schema["description"])
    return schemas


def reference(document: type[Any]) -> dict[str, str]:
    """Return a reference to the schema of a struct."""
    return {"$ref": _REFERENCE.format(name=document.__name__)}


def example(document: Any) -> Any:
    """Return an example of a struct, built from the examples of its fields."""
    return _example(types.type_info(document))


def _schema(kind: type) -> dict[str, Any]:
    assert kind is UploadedFile
    return dict(_BINARY)


def _example(kind: types.Type) -> Any:
    match kind:
        case types.Metadata(type=inner, extra_json_schema=extra):
            examples = (extra or {}).get("examples")
            return examples[0] if examples else _example(inner)
        case types.StructType(fields=fields):
            shown = {info.encode_name: _example(info.type) for info in fields}
            return shown if kind.tag_field is None else {kind.tag_field: kind.tag, **shown}
        case types.UnionType(types=(first, *_)):
            return _example(first)
        case types.ListType(item_type=item):
            return [_example(item)]
        case types.LiteralType(values=(first, *_)):
            return first
        case types.IntType(ge=least):
            return least or 1
    return _EXAMPLES[type(kind)]


_EXAMPLES: Final[dict[type[types.Type], Any]] = {
    types.DateTimeType: EXAMPLE_TIME,
    types.BoolType: False,
    types.StrType: "",
    types.NoneType: None,
    types.DictType: {},
    types.AnyType: None,
}


# --- Bodies ----------------------------------------------------------------------------------------------------------

F = TypeVar("F", bound=msgspec.Struct)


def read_body(sent: Any, form: type[F]) -> F:
    """Validate a request body and return it as ``form``.

    Raises ``ValidationError`` with all invalid fields, and ``ParseError`` if the document is nested too deeply.
    """
    try:
        values = _whole(sent)
    except RecursionError:
        raise ParseError("The JSON document is nested too deeply. Send only documented fields.") from None
    if not isinstance(values, Mapping):
        raise ValidationError({"body": ["Must be a JSON object."]})
    wrong: dict[str, list[str]] = {}
    read: dict[str, Any] = {}
    for info in msgspec.structs.fields(form):
        if info.name in values:
            try:
                read[info.name] = msgspec.convert(values[info.name], info.type, dec_hook=_instance)
            except msgspec.ValidationError as error:
                wrong[info.name] = [" ".join([f"{error}.", *_choices(info.type)])]
        elif info.required:
            wrong[info.name] = ["This field is required."]
    if issubclass(form, Form):
        known = form.__struct_fields__
        unknown = [f"Unknown field. Known fields: {', '.join(known)}."]
        wrong |= {name: unknown for name in values if name not in known}
    if wrong:
        raise ValidationError(wrong)
    return form(**read)


def _choices(kind: Any) -> Iterator[str]:
    """Yield a sentence with the allowed values if ``kind`` lists them."""
    info = types.type_info(kind)
    while isinstance(info, types.Metadata):
        info = info.type
    if isinstance(info, types.LiteralType):
        yield f"Allowed values: {', '.join(map(str, info.values))}."


def _whole(value: Any) -> Any:
    """Return ``value`` with 20.0 replaced by 20, because JSON Schema does not distinguish them."""
    if type(value) is float and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: _whole(item) for name, item in value.items()}
    return [_whole(item) for item in value] if isinstance(value, list) else value


def _instance(kind: type[Any], value: Any) -> Any:
    if not isinstance(value, kind):
        raise ValueError("Must be a file")
    return value


# --- Operations ------------------------------------------------------------------------------------------------------

V = TypeVar("V", bound=Callable[..., Any])
Structs = type[msgspec.Struct] | tuple[type[msgspec.Struct], ...]


@dataclass(frozen=True)
class Operation:
    """The OpenAPI description of one method of a view.

    ``answers`` is the struct of the response, or a tuple of alternatives. Without it, the response is the
    ``document`` of the view, or is described by ``media_type`` and ``example``. ``body`` is the struct of the
    request, or structs by media type. ``query`` lists the parameters that the method reads itself. ``public``
    operations need no token. ``others`` contains further OpenAPI responses. ``tag`` overrides the tag of the URL.
    Without a ``description``, the docstring of the method or of the view is used.
    """

    name: str
    summary: str
    answers: Structs | None = None
    body: Structs | Mapping[str, Structs] | None = None
    statuses: tuple[int, ...] = (200,)
    query: Sequence[Parameter] = ()
    public: bool = False
    media_type: str = "application/json"
    example: Any = None
    description: str = ""
    tag: str = ""
    others: Mapping[str, Any] = field(default_factory=dict)


def operation(name: str, summary: str, answers: Structs | None = None, **more: Any) -> Callable[[V], V]:
    """Attach an ``Operation`` to a method of a view."""

    def described(method: V) -> V:
        cast("Any", method).operation = Operation(name, summary, answers, **more)
        return method

    return described
