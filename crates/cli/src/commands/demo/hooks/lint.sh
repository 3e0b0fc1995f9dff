#!/bin/sh
# The shell's own parser, and shellcheck where it is installed.
sh -n "$TENTER_TOOL_PATH" || exit 1
if command -v shellcheck >/dev/null 2>&1; then
    shellcheck --severity=warning --format=gcc "$TENTER_TOOL_PATH"
fi
