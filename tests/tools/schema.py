# SPDX-License-Identifier: GPL-3.0-or-later
"""A validator for the part of JSON Schema (draft 7) that the project's schemas use.

A keyword that it does not know is an error, so that a schema cannot ask for what nobody checks.
"""

import re

ANNOTATIONS = {"$schema", "$id", "title", "description", "definitions"}

TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "boolean": lambda v: isinstance(v, bool),
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "null": lambda v: v is None,
}


def resolve(root, reference):
    node = root
    for part in reference.removeprefix("#/").split("/"):
        node = node[part]
    return node


def check_type(value, wanted):
    wanted = [wanted] if isinstance(wanted, str) else wanted
    return any(TYPES[name](value) for name in wanted)


def check_properties(value, schema, root, path):
    known = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    for name, member in value.items():
        where = f"{path}.{name}"
        if name in known:
            yield from errors(member, known[name], root, where)
        elif others is False:
            yield f"{where}: not allowed"
        elif others is not True:
            yield from errors(member, others, root, where)


def check_keyword(key, wanted, value, schema, root, path):
    if key == "$ref":
        yield from errors(value, resolve(root, wanted), root, path)
    elif key == "type" and not check_type(value, wanted):
        yield f"{path}: {value!r} is no {wanted}"
    elif key == "const" and value != wanted:
        yield f"{path}: {value!r} is not {wanted!r}"
    elif key == "enum" and value not in wanted:
        yield f"{path}: {value!r} is none of {wanted}"
    elif key == "oneOf":
        matching = sum(not list(errors(value, option, root, path)) for option in wanted)
        if matching != 1:
            yield f"{path}: matches {matching} of the alternatives"
            for option in wanted:
                yield from errors(value, option, root, path)
    elif key == "minimum" and TYPES["number"](value) and value < wanted:
        yield f"{path}: {value} is less than {wanted}"
    elif key == "maximum" and TYPES["number"](value) and value > wanted:
        yield f"{path}: {value} is more than {wanted}"
    elif key == "pattern" and isinstance(value, str) and not re.search(wanted, value):
        yield f"{path}: {value!r} does not match {wanted}"
    elif key == "required" and isinstance(value, dict):
        yield from (f"{path}: lacks {name}" for name in wanted if name not in value)
    elif key == "items" and isinstance(value, list):
        for index, item in enumerate(value):
            yield from errors(item, wanted, root, f"{path}[{index}]")
    elif key == "minItems" and isinstance(value, list) and len(value) < wanted:
        yield f"{path}: fewer than {wanted} items"
    elif key == "maxItems" and isinstance(value, list) and len(value) > wanted:
        yield f"{path}: more than {wanted} items"
    elif key == "properties" and isinstance(value, dict):
        yield from check_properties(value, schema, root, path)


KNOWN = {"$ref", "type", "const", "enum", "oneOf", "minimum", "maximum", "pattern", "required", "items", "minItems",
         "maxItems", "properties", "additionalProperties"}


def errors(value, schema, root, path="$"):
    """All that is wrong with `value` under `schema`, as texts."""
    for key, wanted in schema.items():
        if key in ANNOTATIONS:
            continue
        if key not in KNOWN:
            raise ValueError(f"schema keyword {key!r} is not known to the validator")
        yield from check_keyword(key, wanted, value, schema, root, path)
