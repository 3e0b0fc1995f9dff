# What hooks of other systems read and return, in our words; and stand-ins for the modules they import.
#
# Amplifier   async def hook(event, data) -> HookResult(action="deny", reason="…")
# MassGen     def hook(event) -> HookResult(allowed=False, reason="…")
#             class Hook(PatternHook): async def execute(self, function_name, arguments, context=None) -> HookResult

import json

from tenter import _AMPLIFIER_FIELDS, _MASSGEN_FIELDS, _REPLY_FIELDS, HookEvent, HookResult

RESULT_NAMES = ("tool_output", "tool_result", "result")


def data_of(event):
    """The data of an event as Amplifier gives it: everything at the top level."""
    data = dict(event["data"])
    data.update((name, value) for name, value in event.to_dict().items() if name not in ("data", "tool"))
    tool = event.get("tool")
    if tool is not None:
        data["tool"] = dict(tool)
        if tool.get("output") is not None:
            data.update((name, tool["output"]) for name in RESULT_NAMES)
    return data


def judged(method, event):
    """Calls a MassGen hook class with the tool's name, its arguments and the context."""
    owner = getattr(method, "__self__", None)
    name, arguments = event.get("tool_name") or "", event.get("tool_input") or {}
    matches = getattr(owner, "matches", None)
    if callable(matches) and not matches(name):
        return None
    if method.__name__ != "execute":
        return method(name, arguments)
    context = data_of(event)
    context.update(hook_type=event.hook_type, tool_output=event.tool_output)
    return method(name, json.dumps(arguments, ensure_ascii=False), context)


def in_our_form(fields, event):
    """A result of another system as a reply of ours; `ValueError` if it is none."""
    fields = {name: value for name, value in fields.items() if value is not None}
    reply = {name: fields[name] for name in _REPLY_FIELDS if fields.get(name) not in (None, False)}
    verdict(fields, reply)
    injections = list(injected(fields))
    if injections:
        own = reply.get("inject", [])
        reply["inject"] = (own if isinstance(own, list) else [own]) + injections
    changes = dict(changed(fields, event))
    if changes:
        reply["modify"] = dict(reply.get("modify", {}), **changes)
    if fields.get("user_message"):
        level = fields.get("user_message_level", "info")
        reply.setdefault("message", {"text": fields["user_message"], "level": level})
    return reply


def verdict(fields, reply):
    action, decision = word(fields.get("action", "continue")), word(fields.get("decision", "allow"))
    if action not in ("continue", "deny", "modify", "inject_context", "ask_user"):
        raise ValueError("unknown action `%s`" % action)
    if decision not in ("allow", "deny", "ask"):
        raise ValueError("unknown decision `%s`" % decision)
    if fields.get("allowed", True) not in (True, False):
        raise ValueError("`allowed` must be True or False")
    if action == "deny" or decision == "deny" or fields.get("allowed") is False:
        reply.setdefault("deny", fields.get("reason") or "no reason given")
    elif action == "ask_user":
        question = {
            "prompt": fields.get("approval_prompt"),
            "options": fields.get("approval_options"),
            "timeout": fields.get("approval_timeout"),
            "default": fields.get("approval_default"),
        }
        reply.setdefault("ask", {name: value for name, value in question.items() if value is not None})
    elif decision == "ask":
        reply.setdefault("ask", {"prompt": fields["reason"]} if fields.get("reason") else True)


def injected(fields):
    items = list(fields.get("context_injections") or [])
    if not items and fields.get("context_injection"):
        items = [
            {
                "content": fields["context_injection"],
                "role": fields.get("context_injection_role"),
                "ephemeral": fields.get("ephemeral"),
                "append_to_last_tool_result": fields.get("append_to_last_tool_result"),
            }
        ]
    for item in items:
        get = item.get if isinstance(item, dict) else lambda name, item=item: getattr(item, name, None)
        one = {"content": get("content"), "role": word(get("role")), "ephemeral": get("ephemeral")}
        if get("append_to_last_tool_result"):
            one["strategy"] = "tool_result"
        yield {name: value for name, value in one.items() if value not in (None, False)}


def changed(fields, event):
    """What a result changes: the keys of `data` that differ from the event's, or the arguments."""
    tool = event.get("tool") or {}
    before = data_of(event)
    data = fields.get("data") if word(fields.get("action")) == "modify" else None
    rest = {}
    for name, value in (data or {}).items():
        if name in before and before[name] == value:
            continue
        if name == "tool_input" and isinstance(value, dict):
            yield name, replacing(tool.get("input") or {}, value)
        elif name in RESULT_NAMES:
            yield "tool_output", value
        elif name == "prompt":
            yield name, value
        else:
            rest[name] = value
    if rest:
        yield "data", rest
    arguments = fields.get("modified_args", fields.get("updated_input"))
    if isinstance(arguments, str):
        arguments = json.loads(arguments)
    if arguments is not None:
        if not isinstance(arguments, dict):
            raise ValueError("the changed arguments are no object")
        yield "tool_input", replacing(tool.get("input") or {}, arguments)


def replacing(before, after):
    """The changes by which one object becomes the other: what is gone is removed."""
    return dict({name: None for name in before if name not in after}, **after)


def word(value):
    return getattr(value, "value", value)


class AmplifierResult(HookResult):
    """`amplifier_core.HookResult`, where that is not installed."""

    _known = frozenset(_AMPLIFIER_FIELDS) | {"suppress_output"}
    _defaults = {
        "action": "continue",
        "context_injection_role": "system",
        "ephemeral": False,
        "append_to_last_tool_result": False,
        "approval_timeout": 300.0,
        "approval_default": "deny",
        "suppress_output": False,
        "user_message_level": "info",
    }


class MassGenResult(HookResult):
    """`massgen.mcp_tools.hooks.HookResult`, where that is not installed."""

    _known = frozenset(_MASSGEN_FIELDS) | {"inject"}
    _defaults = {"allowed": True, "decision": "allow"}
    _order = ("allowed", "decision", "reason", "updated_input", "inject")

    def __init__(self, *values, **fields):
        super().__init__(**dict(zip(self._order, values), **fields))
        if self.allowed is False:
            self.decision = "deny"
        if self.decision == "deny":
            self.allowed = False

    @classmethod
    def allow(cls):
        return cls()

    @classmethod
    def deny(cls, reason=None):
        return cls(allowed=False, reason=reason)

    @classmethod
    def ask(cls, reason=None):
        return cls(decision="ask", reason=reason)


AmplifierResult.__name__ = AmplifierResult.__qualname__ = "HookResult"
MassGenResult.__name__ = MassGenResult.__qualname__ = "HookResult"


class EventName(str):
    """A member of an enumeration of texts."""

    @property
    def value(self):
        return str(self)


class HookType:
    """MassGen's names of events."""

    PRE_CALL, POST_CALL = EventName("pre_call"), EventName("post_call")
    PRE_TOOL_USE, POST_TOOL_USE = EventName("PreToolUse"), EventName("PostToolUse")


class FunctionHook:
    """`massgen.mcp_tools.hooks.FunctionHook`, where that is not installed."""

    def __init__(self, name=None):
        self.name = name or type(self).__name__


class PatternHook(FunctionHook):
    """`massgen.mcp_tools.hooks.PatternHook`, where that is not installed."""

    def __init__(self, name=None, matcher="*", timeout=30.0):
        super().__init__(name)
        self.matcher, self.timeout = matcher, timeout

    def matches(self, tool_name):
        import fnmatch

        pieces = [piece.strip() for piece in (self.matcher or "*").split("|")]
        return any(fnmatch.fnmatchcase(tool_name, piece) for piece in pieces if piece)


def event_name(name):
    """Amplifier's constants: `TOOL_PRE` is `tool:pre`."""
    if name.startswith("_") or not name.isupper():
        raise AttributeError(name)
    return name.lower().replace("_", ":", 1)


class Absent:
    """Something of another system that hooks name in annotations and that is not here."""

    def __init__(self, *_, **__):
        raise RuntimeError("`%s` is not here; install the package it comes from" % type(self).__name__)


def absent(name):
    if name.startswith("_") or not name[:1].isupper():
        raise AttributeError(name)
    return type(name, (Absent,), {})


def fill(name, module):
    """Makes a stand-in of an empty module."""
    module.__getattr__ = absent
    if name.startswith("amplifier_core"):
        module.HookResult = AmplifierResult
        if name == "amplifier_core.events":
            module.__getattr__ = event_name
    elif name == "massgen.mcp_tools.hooks":
        module.HookEvent, module.HookResult, module.HookType = HookEvent, MassGenResult, HookType
        module.FunctionHook, module.PatternHook = FunctionHook, PatternHook
