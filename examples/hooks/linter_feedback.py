"""Checks a Python file after it was written, and shows the agent what is wrong in the same turn.

A hook in Amplifier's form. It uses ruff if it is installed, and Python's own compiler if not.
"""

import shutil
import subprocess
import sys

from amplifier_core import HookResult


async def linter_feedback(event, data):
    path = (data.get("tool_input") or {}).get("file_path") or ""
    if not path.endswith(".py"):
        return HookResult(action="continue")
    ruff = shutil.which("ruff")
    command = [ruff, "check", "--output-format", "concise", path] if ruff else [sys.executable, "-m", "py_compile", path]
    check = subprocess.run(command, capture_output=True, text=True)
    if check.returncode == 0:
        return HookResult(action="continue")
    return HookResult(
        action="inject_context",
        context_injection=f"Linter errors in {path}:\n{check.stdout or check.stderr}",
        user_message="Found linting issues",
        user_message_level="warning",
        suppress_output=True,
    )
