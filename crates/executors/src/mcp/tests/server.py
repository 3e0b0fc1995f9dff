"""An MCP server for tests: plain, or rude in the way its first argument says."""
import json
import os
import signal
import subprocess
import sys
import time

MODE = sys.argv[1]


def say(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def hear():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)


def result(request, value):
    say({"jsonrpc": "2.0", "id": request["id"], "result": value})


def text(words):
    return {"content": [{"type": "text", "text": words}]}


def tool(request):
    name, arguments = request["params"]["name"], request["params"]["arguments"]
    if name == "echo":
        return result(request, text(arguments["text"]))
    if name == "environment":
        return result(request, text(os.environ.get(arguments["name"], "unset")))
    if name == "broken":
        return result(request, {**text("the disk\n is full"), "isError": True})
    if name == "answer":
        return result(request, arguments["result"])
    if name == "error":
        return say({"jsonrpc": "2.0", "id": request["id"], "error": arguments["error"]})
    if name == "asks-back":
        answers = []
        for number, method in enumerate(["ping", "sampling/createMessage", "roots/list"]):
            say({"jsonrpc": "2.0", "id": f"q{number}", "method": method, "params": {}})
            say({"jsonrpc": "2.0", "method": "notifications/progress", "params": {}})
            answers.append(hear())
        return result(request, text(json.dumps([a.get("error", {}).get("code", 0) for a in answers])))
    say({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32602, "message": f"unknown tool: {name}"}})


if MODE == "silent":
    time.sleep(60)
if MODE == "flood":
    while True:
        sys.stdout.write("x" * 65536)
if MODE == "greets":
    print("Welcome to the server!\n\n{ not json", flush=True)
if MODE == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if MODE == "leaves":
    child = subprocess.Popen(["sleep", "60"], start_new_session=True)
    with open(sys.argv[2], "w") as file:
        file.write(f"{os.getpid()}\n{child.pid}\n")

while True:
    request = hear()
    method = request["method"]
    if method == "initialize":
        if MODE == "chatter":
            while True:
                say({"jsonrpc": "2.0", "method": "notifications/message", "params": {}})
        if MODE == "pings":
            number = 0
            while True:
                number += 1
                say({"jsonrpc": "2.0", "id": number, "method": "ping"})
        version = "1999-12-31" if MODE == "old" else request["params"]["protocolVersion"]
        result(request, {"protocolVersion": version, "capabilities": {}, "serverInfo": {"name": "t", "version": "1"}})
    elif method == "notifications/initialized":
        ready = True
    elif MODE == "dies":
        sys.stderr.write("warming up\nno such database: " + os.environ.get("DB_PASSWORD", "") + "\n")
        sys.exit(3)
    elif method == "tools/call":
        assert ready
        tool(request)
    elif method == "resources/read":
        result(request, {"contents": [{"uri": request["params"]["uri"], "text": '{"deny":"' + request["params"]["uri"] + '"}'}]})
    elif method == "prompts/get":
        words = "Be " + request["params"]["arguments"]["how"]
        result(request, {"messages": [{"role": "user", "content": {"type": "text", "text": words}}]})
    if MODE == "stubborn" and method == "tools/call":
        time.sleep(60)
