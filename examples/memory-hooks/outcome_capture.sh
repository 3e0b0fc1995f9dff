#!/bin/sh
# Compares what tests and builds say with what the agent predicted.
# Claude Code starts it at PostToolUse and PostToolUseFailure and writes the event to its standard input; what comes out is for Claude Code.
exec tenter hook "${1:-claude}" --config "$(dirname "$0")/hooks.yaml"
