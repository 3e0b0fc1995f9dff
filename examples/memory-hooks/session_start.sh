#!/bin/sh
# Begins a session of the memory, offers what one before left unresolved, gives lessons and work.
# Claude Code starts it at SessionStart and writes the event to its standard input; what comes out is for Claude Code.
exec tenter hook "${1:-claude}" --config "$(dirname "$0")/hooks.yaml"
