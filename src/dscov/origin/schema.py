"""The fields of an operator's resource that may feed a field of the DaemonSet, by the schema that the server publishes.

OpenAPI v3 as `/openapi/v3/apis/GROUP/VERSION` has it; a field is known by its shape, not by its name alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from dscov.kube.objects import Object, listed, part, text
from dscov.origin.fields import DEEPEST, MOST, Field, Way, is_named_like

_SCHEMAS = "#/components/schemas/"
_TOLERATION = {"key", "operator", "effect"}
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
#: A step that stands for any key of a map, or for the entries of a list.
ANY_KEY, ENTRIES = "<name>", "[]"
_CHAIN = 20


class Slot(NamedTuple):
    """A place in a schema of the shape that a field has; `old` where its description calls it deprecated.

    `inner` is the field of the value that goes there, where that is not the whole of it: nodeAffinity of affinity.
    """

    way: Way
    old: bool = False
    inner: str = ""

    @property
    def is_open(self) -> bool:
        """Whether a part of the path has to be chosen by a person."""
        return ANY_KEY in self.way or ENTRIES in self.way


class _Step(NamedTuple):
    """A schema on the way, with the references that led to it and the resource's value there."""

    schema: Object
    way: Way
    refs: frozenset[str]
    value: Any


def schema_of(document: Object, group: str, version: str, kind: str) -> Object:
    """The schema of a kind; empty where the document has none."""
    for schema in part(document, "components", "schemas").values():
        for one in listed(schema, "x-kubernetes-group-version-kind"):
            if (one.get("group"), one.get("version"), one.get("kind")) == (group, version, kind):
                return part(schema)
    return {}


def slots(document: Object, schema: Object, obj: Object, field: Field) -> Iterator[Slot]:
    """The places below `spec` that have the field's shape; `obj` tells the keys of maps that have any."""
    root, refs = _resolved(document, part(schema, "properties", "spec"), frozenset())
    todo = deque([_Step(root, ("spec",), refs, part(obj, "spec"))])
    for _ in range(MOST):
        if not todo:
            return
        step = todo.popleft()
        if len(step.way) > 1 and (fit := _fit(document, step, field)):
            yield Slot(step.way, text(step.schema, "description").casefold().startswith("deprecated"), fit.strip("."))
        elif len(step.way) < DEEPEST:
            todo += _below(document, step)


def _below(document: Object, step: _Step) -> Iterator[_Step]:
    value = part(step.value)
    children = [(key, inner) for key, inner in part(step.schema, "properties").items()]
    if more := part(step.schema, "additionalProperties"):
        children += [(key, more) for key in value if key not in part(step.schema, "properties")] or [(ANY_KEY, more)]
    if items := part(step.schema, "items"):
        children.append((ENTRIES, items))
    for key, inner in children:
        schema, refs = _resolved(document, inner, step.refs)
        if schema:
            yield _Step(schema, (*step.way, key), refs, value.get(key))


def _resolved(document: Object, schema: Any, refs: frozenset[str]) -> tuple[Object, frozenset[str]]:
    """A schema without references; empty where one leads back to where it came from."""
    for _ in range(_CHAIN):
        schema = part(schema)
        sole = schema.get("allOf")
        if isinstance(sole, list) and len(sole) == 1 and "properties" not in schema:
            schema = {**schema, **part(sole[0])}
            del schema["allOf"]
        reference = text(schema, "$ref")
        if not reference:
            return schema, refs
        if reference in refs or not reference.startswith(_SCHEMAS):
            return {}, refs
        refs |= {reference}
        schema = part(document, "components", "schemas").get(reference.removeprefix(_SCHEMAS))
    return {}, refs


def _fit(document: Object, step: _Step, field: Field) -> str:
    """Empty where the schema has not the shape of the field, else "." or the part of the field that goes there."""
    schema, key = step.schema, step.way[-1]
    names = set(part(schema, "properties"))
    kind, named = text(schema, "type"), is_named_like(key, field)
    match field.name:
        case "tolerations":
            items, _ = _resolved(document, schema.get("items"), step.refs)
            shaped = _TOLERATION.issubset(part(items, "properties"))
            return "." if kind == "array" and (shaped or (named and not part(items, "properties"))) else ""
        case "nodeSelector":
            return "." if named and kind == "object" and not names else ""
        case "affinity":
            if "nodeAffinity" in names or (named and kind == "object" and not names):
                return "."
            return "nodeAffinity" if key.casefold().endswith("nodeaffinity") and _REQUIRED in names else ""
        case "updateStrategy":
            return "." if named and {"type", "rollingUpdate"} <= names else ""
    return "." if named and kind == _json_type(field) else ""


def _json_type(field: Field) -> str:
    value = field.new if field.new is not None else field.old
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, Mapping):
        return "object"
    return {str: "string", int: "integer", float: "number", list: "array"}.get(type(value), "")
