#!/bin/sh
# Gives up what the session has not resolved, and stores what waits.
# Claude Code starts it at SessionEnd and writes the event to its standard input; what comes out is for Claude Code.
exec tenter hook "${1:-claude}" --config "$(dirname "$0")/hooks.yaml"
