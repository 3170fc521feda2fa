"""What may be asked, told to programs? An OpenAPI 3.1 description, made out of the table of views.

The schemas are those of the values that the views answer with, so a field can't be forgotten.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from shoal.config import VERSION
from shoal.model.record import schemas
from shoal.web.server.site import Done, Failed
from shoal.web.server.view import Parameter, View

_FORM = "application/x-www-form-urlencoded"
_JSON = "application/json"
_EVENTS = "text/event-stream"


def description(views: Iterable[View]) -> dict[str, Any]:
    views = list(views)
    kinds = {view.data for view in views if view.data is not None} | {Done, Failed}
    named, components = schemas(sorted(kinds, key=lambda kind: kind.__name__))
    paths: dict[str, dict[str, Any]] = {}
    for view in views:
        paths.setdefault(view.path, {})[view.method.lower()] = _operation(view, named, "")
        if view.twin:
            below = paths.setdefault(f"{view.path}.json", {})
            below[view.method.lower()] = _operation(view, named, "Json")
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Shoal",
            "version": VERSION,
            "summary": "A collection of web pages: search it, read it, watch it grow.",
        },
        "security": [{}, {"bearer": []}, {"query": []}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "query": {"type": "apiKey", "in": "query", "name": "token"},
            },
        },
    }


def _operation(view: View, named: Mapping[type, Any], suffix: str) -> dict[str, Any]:
    media_type = _JSON if suffix else view.media_type
    failed = named[Failed] if suffix else {"type": "string"}
    schema = _schema(view, named) if suffix else _whole(view, named)
    why = {_JSON if suffix else "text/html": {"schema": failed}}
    refusal = _refusal(view)
    leads = view.leads_elsewhere or (view.method == "POST" and not suffix)
    found: dict[str, Any] = {
        "operationId": _name(view) + suffix,
        "summary": view.summary,
        "responses": {
            **({"303": {"description": "Where to go on."}} if leads else {}),
            "200": {"description": "The answer.", "content": {media_type: {"schema": schema}}},
            **({"400": {"description": refusal, "content": why}} if refusal else {}),
            "default": {"description": "Why there is none, in one sentence.", "content": why},
        },
    }
    if view.method == "POST":
        found["requestBody"] = _body(view)
    elif view.parameters:
        found["parameters"] = [
            {
                "name": each.name,
                "in": "query",
                "description": each.about,
                "required": each.required,
                "schema": _value(each),
            }
            for each in view.parameters
        ]
    return found


def _refusal(view: View) -> str:
    """When a value of the right form is refused all the same; empty: never."""
    meant = [f"`{each.name}` must be {each.must_be}" for each in view.parameters if each.must_be]
    if not meant:
        return ""
    return f"Why not, in one sentence. Beyond its form {', '.join(meant)}."


def _whole(view: View, named: Mapping[type, Any]) -> object:
    """What is no JSON twin: a page, a text, events with JSON as their data, or JSON itself."""
    if view.media_type == _JSON:
        return {"type": "object"}
    if view.media_type == _EVENTS and view.data is not None:
        inside = {"contentMediaType": _JSON, "contentSchema": named[view.data]}
        return {"type": "string", "description": "Events; the data of each is JSON."} | inside
    return {"type": "string"}


def _value(each: Parameter) -> dict[str, Any]:
    """One parameter. What is not required may be sent empty, as a form does."""
    found: dict[str, Any] = {"type": each.kind}
    if each.one_of:
        found["enum"] = [*each.one_of] if each.required else ["", *each.one_of]
    if each.pattern:
        found["pattern"] = f"^({each.pattern})$" if each.required else f"^({each.pattern})?$"
    if each.kind == "string" and each.required:
        found["minLength"] = 1
    return found


def _schema(view: View, named: Mapping[type, Any]) -> object:
    if view.data is not None:
        return named[view.data]
    return named[Done] if view.method == "POST" else {"type": "object"}


def _body(view: View) -> dict[str, Any]:
    """What a browser sends; the CSRF token is of no use to a program with a bearer token."""
    fields: dict[str, Any] = {
        each.name: _value(each) | {"description": each.about} for each in view.parameters
    }
    fields["csrf"] = {"type": "string", "description": "The token that stands in every form."}
    needed = [each.name for each in view.parameters if each.required]
    schema = {"type": "object", "properties": fields} | ({"required": needed} if needed else {})
    return {"required": True, "content": {_FORM: {"schema": schema}}}


def _name(view: View) -> str:
    words = [
        w for w in view.path.replace(".", "/").replace("{", "").replace("}", "").split("/") if w
    ]
    return view.method.lower() + "".join(each.capitalize() for each in words or ["home"])
