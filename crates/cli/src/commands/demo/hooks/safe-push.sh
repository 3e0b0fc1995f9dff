#!/bin/sh
# Prints a reply that rewrites the command; quotes and backslashes in it are escaped for JSON.
command=$(printf '%s' "$1" | sed -e 's/ --force$/ --force-with-lease/' -e 's/ --force / --force-with-lease /')
escaped=$(printf '%s' "$command" | sed -e 's/[\\"]/\\&/g')
printf '{"modify": {"tool_input": {"command": "%s"}},' "$escaped"
printf ' "message": "git push --force became --force-with-lease"}\n'
