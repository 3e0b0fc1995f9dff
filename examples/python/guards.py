"""Two hooks. `hooks.yaml` beside this file names them as `guards.no_force_push` and `guards.house_rules`."""

import shlex

from tenter import HookEvent, deny


def no_force_push(event: HookEvent):
    try:
        words = shlex.split(event.tool.command or "")
    except ValueError:
        return deny("This command has an open quotation mark.")
    if "push" in words and ("--force" in words or "-f" in words):
        return deny("Use `git push --force-with-lease`.")


def house_rules(event: HookEvent):
    if "test" in (event.prompt or "").lower():
        return "A test's name is a sentence about data."
