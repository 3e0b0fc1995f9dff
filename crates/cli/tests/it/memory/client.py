"""The official SDK as a client of `tenter mcp`: every tool, errors, resources, prompts, two clients at once.

Called with the program to start. Says nothing if all is well.
"""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

TENTER = sys.argv[1]
ENVIRONMENT = dict(line.split("=", 1) for line in sys.argv[2:])
SERVER = StdioServerParameters(command=TENTER, args=["mcp"], env=ENVIRONMENT)


def field(value, *names):
    """A field of the SDK's, whose spelling changed between its versions."""
    return next(getattr(value, name) for name in names if hasattr(value, name))


async def call(session, tool, **arguments):
    """What a tool says, the same as text and as data."""
    result = await session.call_tool(tool, arguments)
    said = json.loads(result.content[0].text)
    assert field(result, "structuredContent", "structured_content") == said, (tool, said)
    assert field(result, "isError", "is_error") == ("error" in said), (tool, said)
    return said


async def refused(awaitable, code):
    """A request that the protocol itself refuses."""
    try:
        await awaitable
    except Exception as error:  # Its class has another name in each version of the SDK.
        assert error.error.code == code, error
    else:
        raise AssertionError(f"not refused with {code}")


def ghap(goal):
    return dict(
        domain="debugging",
        strategy="check-assumptions",
        goal=goal,
        hypothesis="The timeout is too short",
        action="Raise it to 60 s",
        prediction="The test passes",
    )


async def everything(session):
    tools = (await session.list_tools()).tools
    called = set()

    async def tool(name, **arguments):
        called.add(name)
        return await call(session, name, **arguments)

    assert (await tool("ping"))["status"] == "healthy"
    assert (await tool("start_session"))["session_id"]
    assert not (await tool("get_orphan"))["has_orphan"]
    assert (await tool("adopt_orphan"))["error"]["type"] == "not_found"
    assert (await tool("abandon_orphan", reason="old"))["error"]["type"] == "not_found"
    assert not (await tool("should_check_in"))["should_check_in"]

    started = await tool("start_ghap", **ghap("Fix the flaky login test"))
    again = await tool("start_ghap", **ghap("Another"))
    assert again["error"]["type"] == "active_ghap_exists", again
    assert (await tool("get_active_ghap"))["id"] == started["id"]
    assert (await tool("update_ghap", note="Only on Mondays"))["iteration_count"] == 1
    wrong = await tool("resolve_ghap", status="falsified", result="It still fails")
    assert wrong["error"]["type"] == "validation_error", wrong
    resolved = await tool(
        "resolve_ghap",
        status="falsified",
        result="It still fails with 60 s",
        surprise="Time does not matter",
        root_cause={"category": "test-isolation", "description": "Tests share one user"},
        lesson={"what_worked": "A user for each test", "takeaway": "Isolate before you wait"},
    )
    assert resolved["stored"] and resolved["confidence_tier"] == "silver", resolved
    assert (await tool("list_ghap_entries"))["results"][0]["id"] == started["id"]
    found = await tool("search_experiences", query="flaky login")
    assert found["results"][0]["lesson"]["takeaway"] == "Isolate before you wait", found

    memory = await tool("store_memory", content="Ann wants tabs", category="preference")
    assert (await tool("retrieve_memories", query="tabs"))["results"][0]["id"] == memory["id"]
    assert (await tool("list_memories"))["total"] == 1
    assert (await tool("delete_memory", memory_id=memory["id"]))["deleted"]
    assert (await tool("delete_memory", memory_id=memory["id"]))["error"]["type"] == "not_found"

    page = await tool("store_journal_entry", summary="Isolated the tests", working_directory="/w/shop")
    assert (await tool("list_journal_entries"))["entries"][0]["id"] == page["id"]
    assert (await tool("get_journal_entry", entry_id=page["id"]))["summary"] == "Isolated the tests"
    assert (await tool("mark_entries_reflected", entry_ids=[page["id"]]))["marked_count"] == 1

    for name in ("assemble_context", "get_context", "premortem"):
        if any(listed.name == name for listed in tools):
            given = {"domain": "debugging"} if name == "premortem" else {"query": "flaky login test"}
            said = await tool(name, **given)
            assert "Isolate before you wait" in said["markdown"] or name == "premortem", said
    assert (await tool("end_session"))["resolved"]["falsified"] == 1

    missed = {listed.name for listed in tools} - called
    assert not missed, f"no call of {missed}"
    await refused(session.call_tool("fly", {}), -32602)

    resources = {str(resource.uri) for resource in (await session.list_resources()).resources}
    assert "tenter://memory/recent" in resources, resources
    templates = await session.list_resource_templates()
    assert len(field(templates, "resourceTemplates", "resource_templates")) == 2
    for uri in [*resources, f"tenter://memory/experience/{started['id']}"]:
        json.loads((await session.read_resource(uri)).contents[0].text)
    await refused(session.read_resource("tenter://memory/nothing"), -32002)

    prompts = {prompt.name for prompt in (await session.list_prompts()).prompts}
    assert prompts == {"start-ghap", "reflect"}, prompts
    prompt = await session.get_prompt("start-ghap", {"goal": "a green build"})
    assert "a green build" in prompt.messages[0].content.text
    await refused(session.get_prompt("fly", {}), -32602)


async def two_at_once():
    """Two servers of one project: neither waits for the other, and what they try does not mix."""

    async def one(name):
        async with stdio_client(SERVER) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            own = {"session_id": name}
            for number in range(10):
                goal = f"{name} {number}"
                await call(session, "start_ghap", **ghap(goal), **own)
                assert (await call(session, "get_active_ghap", **own))["goal"] == goal
                done = await call(session, "resolve_ghap", status="confirmed", result="It came out so", **own)
                assert done["stored"], done
                await call(session, "store_memory", content=f"Fact {goal}", category="fact")

    await asyncio.gather(one("left"), one("right"))
    async with stdio_client(SERVER) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        listed = await call(session, "list_ghap_entries", limit=100, outcome="confirmed")
        assert listed["count"] == 20, listed["count"]
        assert (await call(session, "list_memories", limit=200))["total"] == 20


async def main():
    async with stdio_client(SERVER) as (read, write), ClientSession(read, write) as session:
        met = await session.initialize()
        assert field(met, "serverInfo", "server_info").name == "tenter"
        await everything(session)
    await two_at_once()


asyncio.run(main())
