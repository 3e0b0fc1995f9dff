#!/usr/bin/env python3
"""A server that hooks ask: GET /rules is a text, POST /judge a judgement of an event."""
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

TOKEN = os.environ.get("JUDGE_TOKEN", "example-token")
RULES = "Rules of this house: tests before commits, and no force pushes.\n"


class Judge(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/rules":
            self.answer(200, RULES)
        else:
            self.answer(404, f"no such page: {self.path}\n")

    def do_POST(self):
        event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers["Authorization"] != f"Bearer {TOKEN}":
            return self.answer(401, "who are you?\n")
        command = event.get("tool", {}).get("input", {}).get("command", "")
        if "--force" in command.split():
            return self.answer(200, json.dumps({"deny": "the judge says: no force pushes"}))
        self.answer(204, "")  # no opinion

    def answer(self, status, text):
        body = text.encode()
        self.send_response(status)
        if body:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


port = int(sys.argv[1]) if len(sys.argv) > 1 else 8377
server = HTTPServer(("127.0.0.1", port), Judge)
print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
