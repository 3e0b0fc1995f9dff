#!/usr/bin/env python3
"""A small MCP server on stdin and stdout, without a library: one tool and one resource."""
import json
import sys

RULES = "Rules of this house: tests before commits, and no force pushes."


def judge(arguments):
    if "--force" in arguments["command"].split():
        return json.dumps({"deny": "the judge says: no force pushes"})
    return ""  # no opinion


def result(method, params):
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}, "resources": {}},
            "serverInfo": {"name": "house", "version": "1"},
        }
    if method == "tools/call" and params["name"] == "judge":
        return {"content": [{"type": "text", "text": judge(params["arguments"])}]}
    if method == "resources/read" and params["uri"] == "house://rules":
        return {"contents": [{"uri": params["uri"], "text": RULES}]}
    return None


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    answer = {"jsonrpc": "2.0", "id": message["id"]}
    found = result(message["method"], message.get("params", {}))
    if found is None:
        answer["error"] = {"code": -32602, "message": "there is no such thing here"}
    else:
        answer["result"] = found
    print(json.dumps(answer), flush=True)
