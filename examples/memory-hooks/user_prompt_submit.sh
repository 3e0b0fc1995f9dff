#!/bin/sh
# Recalls what earlier sessions learned about what the prompt asks for.
# Claude Code starts it at UserPromptSubmit and writes the event to its standard input; what comes out is for Claude Code.
exec tenter hook "${1:-claude}" --config "$(dirname "$0")/hooks.yaml"
