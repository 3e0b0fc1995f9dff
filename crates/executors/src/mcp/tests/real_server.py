"""A server made with the official library, version 1 or 2: one tool, one resource."""
import sys

try:
    from mcp.server import MCPServer
except ImportError:
    from mcp.server.fastmcp import FastMCP as MCPServer

server = MCPServer("house")


@server.tool()
def judge(path: str) -> str:
    """Denies everything."""
    return '{"deny": "not ' + path + '"}'


@server.resource("rules://house")
def rules() -> str:
    """The rules of the house."""
    return "Be kind."


if sys.argv[1] == "stdio":
    server.run("stdio")
else:
    import uvicorn

    uvicorn.run(server.streamable_http_app(), host="127.0.0.1", port=int(sys.argv[2]))
