"""The event that a Python hook of tenter receives and the replies it can return.

    from tenter import deny

    def check(event):
        if "--force" in (event.tool.command or ""):
            return deny("Use `git push --force-with-lease`.")

tenter includes this file, so hooks run without an installation. Install it where you write hooks
(`pip install ./python`), for your editor and your tests.

Python 3.8 or later, standard library only.
"""

__all__ = ["HookEvent", "HookResult", "allow", "ask", "deny", "inject", "message", "modify"]

_TOOL_FIELDS = frozenset(
    "name native_name kind input original_input output stdout stderr exit_code call_id path paths command".split()
)
_EVENT_FIELDS = frozenset(
    "v event session_id parent_id orchestrator_id agent agent_id agent_type timestamp cwd project_root turn "
    "turn_count source status reason duration_ms prompt files message error tool data raw hook_event_name "
    "tool_name tool_input tool_response tool_use_id".split()
)
_REPLY_FIELDS = ("allow", "ask", "deny", "inject", "modify", "message", "suppress_output")
_AMPLIFIER_FIELDS = (
    "action data reason context_injection context_injection_role ephemeral append_to_last_tool_result "
    "context_injections approval_prompt approval_options approval_timeout approval_default "
    "user_message user_message_level user_message_source"
).split()
_MASSGEN_FIELDS = (
    "allowed decision reason updated_input modified_args metadata hook_errors hook_name hook_type "
    "execution_time_ms executed_hooks"
).split()


class _Fields(dict):
    """A JSON object whose fields are attributes too. A known field that is absent is `None`."""

    _known = frozenset()

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            if name in self._known:
                return None
            raise AttributeError(name) from None


class _Tool(_Fields):
    _known = _TOOL_FIELDS


class _Error(_Fields):
    _known = frozenset(("type", "message"))


class HookEvent(_Fields):
    """An event: `event.prompt` and `event["prompt"]`, `event.tool.name`, `event.tool.input["command"]`.

    The fields are those that a program reads on its standard input; `tenter schema event` prints them.
    """

    _known = _EVENT_FIELDS

    def __init__(self, *args, **fields):
        super().__init__(*args, **fields)
        if isinstance(self.get("tool"), dict):
            self["tool"] = _Tool(self["tool"])
        if isinstance(self.get("error"), dict):
            self["error"] = _Error(self["error"])
        self.setdefault("data", {})

    @property
    def hook_type(self):
        """The event by Claude Code's name: `PreToolUse`."""
        return self.get("hook_event_name")

    @property
    def tool_output(self):
        """The output of the tool, as text."""
        output = (self.get("tool") or {}).get("output")
        if output is None or isinstance(output, str):
            return output
        import json

        return json.dumps(output, ensure_ascii=False)

    def to_dict(self):
        """The event as plain objects."""
        return {key: dict(value) if isinstance(value, _Fields) else value for key, value in self.items()}

    def to_json(self):
        """The event as JSON."""
        import json

        return json.dumps(self, ensure_ascii=False)


class HookResult:
    """A reply with any fields: `HookResult(deny="no", message="read-only branch")`.

    Fields: `allow`, `ask`, `deny`, `inject`, `modify`, `message`, `suppress_output`, as `tenter schema reply`
    prints them. The fields of Amplifier (`action`, `context_injection`, …) and MassGen (`allowed`, `decision`, …)
    are accepted as well.
    """

    _known = frozenset(_REPLY_FIELDS) | frozenset(_AMPLIFIER_FIELDS) | frozenset(_MASSGEN_FIELDS)
    _defaults = {}

    def __init__(self, **fields):
        for name in fields:
            if name not in self._known:
                raise TypeError("a HookResult has no field `%s`%s" % (name, _similar(name, self._known)))
        self.__dict__.update(self._defaults)
        self.__dict__.update(fields)

    def __getattr__(self, name):
        if name in type(self)._known:
            return None
        raise AttributeError(name)

    def __eq__(self, other):
        return type(self) is type(other) and self.__dict__ == other.__dict__

    __hash__ = None

    def __repr__(self):
        fields = ", ".join("%s=%r" % item for item in self.__dict__.items())
        return "%s(%s)" % (type(self).__name__, fields)

    def to_dict(self):
        """The fields that were set."""
        return dict(self.__dict__)


def allow(reason=None):
    """Allow the call."""
    return HookResult(allow=reason or True)


def deny(reason):
    """Deny the call; the agent reads the reason."""
    return HookResult(deny=str(reason))


def ask(prompt, options=None, timeout=None, default=None):
    """Ask a person; without an answer `default` counts, which is `deny` unless set."""
    question = {"prompt": prompt, "options": options, "timeout": timeout, "default": default}
    return HookResult(ask={key: value for key, value in question.items() if value is not None})


def inject(content, role=None, strategy=None, ephemeral=None):
    """Text for the agent's context."""
    text = {"content": content, "role": role, "strategy": strategy, "ephemeral": ephemeral}
    return HookResult(inject={key: value for key, value in text.items() if value is not None})


def modify(tool_input=None, tool_output=None, prompt=None, data=None):
    """Changes to the event, merged key by key; a value of `None` inside removes a key."""
    changes = {"tool_input": tool_input, "tool_output": tool_output, "prompt": prompt, "data": data}
    return HookResult(modify={key: value for key, value in changes.items() if value is not None})


def message(text, level="info"):
    """Show a message to the user."""
    return HookResult(message={"text": text, "level": level})


def _similar(word, words):
    import difflib

    found = difflib.get_close_matches(word, words, 1)
    return "; did you mean `%s`?" % found[0] if found else ""
