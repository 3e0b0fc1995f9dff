#!/usr/bin/env python3
"""Reads the event on stdin, writes a reply on stdout: the command, rewritten."""
import json
import re
import sys

event = json.load(sys.stdin)
command = event["tool"]["command"]
safe = re.sub(r"\bnpm (install|i|ci)\b(?! --ignore-scripts)", r"\g<0> --ignore-scripts", command)
if safe != command:
    reply = {
        "modify": {"tool_input": {"command": safe}},
        "message": {"text": "npm runs without install scripts", "level": "info"},
    }
    print(json.dumps(reply))
