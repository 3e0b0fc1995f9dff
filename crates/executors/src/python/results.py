# What a hook returned becomes a text: a reply in our form, or the reason why it is none. The second file of the
# worker; see `modules.py`.

import json


class Garbled(Exception):
    """A result that is no reply."""


def one_line(problem):
    try:
        text = " ".join(str(problem).split())[:300]
    except Exception:
        text = ""
    name = type(problem).__name__
    return "%s: %s" % (name, text) if text else name


def awaited(result):
    import asyncio

    async def wait():
        return await result

    return asyncio.run(wait())


def as_json(result, event):
    """A dict, a dataclass, a pydantic model or a `HookResult` in our form."""
    fields = fields_of(result)
    if fields is None:
        kind = type(result).__qualname__
        raise Garbled("it returned a value of type `%s`; return a dict, a HookResult, a text or None" % kind)
    foreign = ("action", "allowed", "updated_input", "modified_args", "context_injection", "user_message")
    if any(name in fields for name in foreign) or fields.get("decision") in ("allow", "deny", "ask"):
        try:
            fields = module("tenter.origins").in_our_form(fields, event)
        except ValueError as problem:
            raise Garbled(str(problem)) from None
    try:
        return json.dumps(fields, ensure_ascii=False, allow_nan=False, default=plain)
    except Exception as problem:
        if any(fields.get(name) for name in STOPS):
            # What stands beside a deny must not hide it.
            return json.dumps({name: shallow(fields[name]) for name in STOPS if name in fields})
        raise Garbled("what it returned cannot be written as JSON: %s" % one_line(problem)) from None


STOPS = ("deny", "ask", "decision", "reason", "hookSpecificOutput", "permissionDecision")


def shallow(value, depth=3):
    """A value without what cannot be written."""
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, dict) and depth:
        return {name: shallow(one, depth - 1) for name, one in value.items() if isinstance(name, str)}
    return True


def fields_of(result):
    if isinstance(result, dict):
        return result
    if hasattr(type(result), "__dataclass_fields__"):
        return {name: getattr(result, name, None) for name in type(result).__dataclass_fields__}
    for name in ("model_dump", "_asdict", "dict", "to_dict"):
        method = getattr(result, name, None)
        if callable(method) and not isinstance(result, type):
            fields = method()
            return fields if isinstance(fields, dict) else None
    # A result of another system in a plain class.
    fields = getattr(result, "__dict__", None)
    if fields and not isinstance(result, type) and any(name in fields for name in ("allowed", "action", "decision")):
        return dict(fields)
    return None


def plain(value):
    """What JSON has no word for."""
    fields = fields_of(value)
    if fields is not None:
        return fields
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    for name in ("isoformat", "__fspath__"):
        if hasattr(value, name):
            return getattr(value, name)()
    if hasattr(value, "value") and hasattr(type(value), "__members__"):
        return value.value
    raise TypeError("a value of type `%s`" % type(value).__qualname__)
