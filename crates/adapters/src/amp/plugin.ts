// @i-know-the-amp-plugin-api-is-wip-and-very-experimental-right-now
// Written by `tenter init amp`, and replaced by the next one: it hands Amp's events to tenter. `tenter uninstall amp`
// takes it out.
import { spawn } from "node:child_process";

const COMMANDS: Record<string, string> = {};

type Said = { deny?: string; tell?: string };

/** Asks tenter. An answer that cannot be read leaves Amp alone; exit code 2 is a deny, with its reason beside it. */
function ask(event: string, payload: Record<string, unknown>): Promise<Said> {
  return new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", COMMANDS[event]], { stdio: ["pipe", "pipe", "pipe"] });
    let out = "";
    let aside = "";
    child.stdout.on("data", (data) => (out += data));
    child.stderr.on("data", (data) => (aside += data));
    child.stdin.on("error", () => {});
    child.on("error", () => resolve({}));
    child.on("close", (code) => {
      if (code === 2) return resolve({ deny: aside.trim() || "a hook denies it" });
      try {
        resolve(out.trim() ? JSON.parse(out) : {});
      } catch {
        resolve({});
      }
    });
    child.stdin.end(JSON.stringify({ amp_event: event, cwd: process.cwd(), ...payload }));
  });
}

/** What a call is, whatever this build of Amp calls it. */
function call(event: any): Record<string, unknown> {
  return {
    session_id: event?.thread?.id ?? event?.threadID ?? event?.sessionID,
    tool_name: event?.tool?.name ?? event?.tool ?? event?.toolName ?? event?.name,
    tool_input: event?.input ?? event?.args ?? event?.arguments ?? {},
    tool_use_id: event?.toolUseID ?? event?.toolUseId ?? event?.id,
  };
}

async function tell(ctx: any, said: Said): Promise<void> {
  try {
    if (said.tell) await ctx?.ui?.notify?.(said.tell);
  } catch {
    // There is no user to notify.
  }
}

export default (amp: any) => {
  amp.on("tool.call", async (event: any, ctx: any) => {
    const said = await ask("tool.call", call(event));
    await tell(ctx, said);
    return said.deny ? { action: "reject-and-continue", message: said.deny } : { action: "allow" };
  });
  amp.on("tool.result", async (event: any, ctx: any) => {
    await tell(ctx, await ask("tool.result", { ...call(event), tool_output: event?.output ?? event?.result }));
  });
  const others = { "session.start": "session.start", "agent.start": "prompt.submit", "agent.end": "agent.end" };
  for (const [theirs, ours] of Object.entries(others)) {
    amp.on(theirs, async (event: any, ctx: any) => {
      const prompt = event?.message?.content ?? event?.prompt ?? event?.message;
      const text = typeof prompt === "string" ? { prompt } : {};
      await tell(ctx, await ask(ours, { session_id: call(event).session_id, ...text }));
    });
  }
};
