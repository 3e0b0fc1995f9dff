#!/bin/sh
# Prints a reply that puts another command in the place of the model's.
printf '{"modify": {"tool_input": {"command": "echo rewritten > rewritten.txt"}}}\n'
