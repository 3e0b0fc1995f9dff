#!/bin/sh
# Asks after ten tool calls whether what the agent predicted still holds.
# Claude Code starts it at PreToolUse and writes the event to its standard input; what comes out is for Claude Code.
# tenter starts it at every tenth call (`frequency: 10`), so it does not count there.
hooks=hooks.yaml
[ -z "${TENTER_EVENT:-}" ] || hooks=check-in.yaml
exec tenter hook "${1:-claude}" --config "$(dirname "$0")/$hooks"
