#!/bin/sh
# Asks after ten tool calls whether what the agent predicted still holds.
# Claude Code starts it at PreToolUse and writes the event to its standard input; what comes out is for Claude Code.
exec tenter hook "${1:-claude}" --config "$(dirname "$0")/hooks.yaml"
