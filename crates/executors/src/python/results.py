# What a hook returned becomes a text: a reply in our form, or the reason why it is none. The second file of the
# worker; see `modules.py`.

import json


class Garbled(Exception):
    """A result that is no reply. A deny in it counts all the same, so it goes along."""

    def __init__(self, why, result):
        super().__init__(why)
        self.result = result

    def to_bytes(self):
        why = str(self).replace("\0", " ").encode("utf-8", "replace")
        try:
            return why + b"\0" + evidence(self.result)
        except Exception:
            return why


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
        raise Garbled("it returned a value of type `%s`; return a dict, a HookResult, a text or None" % kind, result)
    foreign = ("action", "allowed", "updated_input", "modified_args", "context_injection", "user_message")
    if any(name in fields for name in foreign) or fields.get("decision") in ("allow", "deny", "ask"):
        try:
            fields = module("tenter.origins").in_our_form(fields, event)
        except ValueError as problem:
            raise Garbled(str(problem), result) from None
    try:
        return json.dumps(fields, ensure_ascii=False, allow_nan=False, default=plain)
    except Exception as problem:
        raise Garbled("what it returned cannot be written as JSON: %s" % one_line(problem), fields) from None


def evidence(result):
    """A result as a program would have printed it."""
    if isinstance(result, (bytes, bytearray, memoryview)):
        return bytes(result)
    return json.dumps(writable(result)).encode("utf-8", "replace")


def writable(value, around=()):
    """A value in which `True` takes the place of everything that cannot be written."""
    if hasattr(type(value), "__members__"):
        value = value.value
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (bytes, bytearray)):
        return value.decode("utf-8", "replace")
    if len(around) > 8 or id(value) in around:
        return True
    around += (id(value),)
    try:
        fields = dict(value) if hasattr(value, "keys") else fields_of(value)
        if fields is not None:
            return {str(name): writable(one, around) for name, one in fields.items()}
        # What has a length comes to its end.
        return [writable(one, around) for one in value] if hasattr(value, "__len__") else True
    except Exception:
        return True


VERDICTS = ("allowed", "action", "decision", "deny", "ask")


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
    if fields and not isinstance(result, type) and any(name in fields for name in VERDICTS):
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
