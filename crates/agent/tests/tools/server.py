"""An MCP server for tests: over its stdin and stdout, or over HTTP; plain, or rude in the way its argument says."""
import json
import os
import subprocess
import sys
import time

MODE = sys.argv[1]
CALLS = 0


def text(words):
    return {"content": [{"type": "text", "text": words}]}


def tool(name, **more):
    return {"name": name, "description": f"Does {name}.", "inputSchema": {"type": "object"}, **more}


PAGES = {
    None: ([tool("count"), tool("echo", annotations={"readOnlyHint": True})], "2"),
    "2": ([tool("strange name!"), tool("fails"), tool("dies"), tool("hangs"), tool("floods"), tool("long")], None),
}


def call(name, arguments):
    global CALLS
    CALLS += 1
    if name == "count":
        return text(f"call {CALLS}")
    if name == "echo":
        return text(json.dumps(arguments, sort_keys=True))
    if name == "strange name!":
        return text(os.environ.get(arguments.get("variable", "TOKEN"), "unset"))
    if name == "fails":
        return {**text("the disk is full"), "isError": True}
    if name == "dies":
        print("out of memory", file=sys.stderr, flush=True)
        os._exit(3)
    if name == "hangs":
        time.sleep(300)
    if name == "floods":
        while True:
            sys.stdout.write("x" * 65536)
    if name == "long":
        return text("".join(f"line {number}\n" for number in range(20000)))


def answer(request):
    """The answer to a message, if it is a question."""
    method, params = request.get("method"), request.get("params", {})
    if "id" not in request:
        return None
    if method == "initialize":
        result = {"protocolVersion": params["protocolVersion"], "capabilities": {}, "serverInfo": {}}
    elif method == "tools/list":
        tools, cursor = PAGES[params.get("cursor")]
        if MODE == "odd":
            tools, cursor = [{}, tool("a" * 80), tool("x y"), tool("x_y"), tool("big", inputSchema={"a": "x" * 70000})], None
        if MODE == "endless":
            cursor = "2"
        result = {"tools": tools, **({"nextCursor": cursor} if cursor else {})}
    else:
        result = call(params["name"], params["arguments"])
    return {"jsonrpc": "2.0", "id": request["id"], "result": result}


def stdio():
    if MODE == "dead":
        sys.exit("no database")
    if MODE == "silent":
        time.sleep(300)
    if MODE == "leaves":
        child = subprocess.Popen(["sleep", "300"], start_new_session=True)
        with open(sys.argv[2], "w") as file:
            file.write(f"{os.getpid()}\n{child.pid}\n")
    for line in sys.stdin:
        said = answer(json.loads(line))
        if said is not None:
            print(json.dumps(said), flush=True)


def http():
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            begins = request.get("method") == "initialize"
            if not begins and self.headers.get("mcp-session-id") != "s1":
                return self.send_error(404)
            said = answer(request)
            body = b"" if said is None else json.dumps(said).encode()
            self.send_response(200 if said else 202)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            if begins:
                self.send_header("mcp-session-id", "s1")
            self.end_headers()
            self.wfile.write(body)

        def do_DELETE(self):
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()


http() if MODE == "http" else stdio()
