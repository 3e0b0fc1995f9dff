"""Tells the agent at the start of a session which files have changes. A hook in Amplifier's form."""

import subprocess

from amplifier_core import HookResult


async def git_status_injector(event, data):
    status = subprocess.run(["git", "status", "--short"], capture_output=True, text=True)
    if status.returncode != 0 or not status.stdout:
        return HookResult(action="continue")
    return HookResult(
        action="inject_context",
        context_injection=f"Git status:\n{status.stdout}",
        suppress_output=True,
    )
