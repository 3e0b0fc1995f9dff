// Plays the agent to a plugin: hands it what the steps on stdin say, and prints what it did with it.
//
// node drive.mjs PLUGIN [run]
//
// Steps: { hook, input, output } calls a hook of the plugin, { event } sends an event, { remove } deletes a file,
// { dispose } ends the plugin, { twin } loads it a second time. The result of each step is printed as one line.
import { rmSync, writeFileSync } from "node:fs"
import { text } from "node:stream/consumers"

const [, , plugin, ...words] = process.argv
process.argv = ["bun", "/agent", ...words]
const { world = {}, steps } = JSON.parse(await text(process.stdin))

const seen = []
const note = (name, answer) => async (call) => {
  seen.push({ [name]: call?.body ?? call?.path })
  return answer?.(call)
}
const client = {
  session: {
    get: async ({ path }) => ({ data: world.sessions?.[path.id] }),
    messages: async ({ path }) => ({ data: world.messages?.[path.id] ?? [] }),
    promptAsync: note("prompt", () => ({})),
  },
  mcp: { status: async () => ({ data: world.servers ?? {} }) },
  tui: { showToast: note("toast") },
  app: { log: note("log") },
  postSessionIdPermissionsPermissionId: note("permission"),
}
const input = { client, directory: "/home/user/project", worktree: "/" }
const { Tenter } = await import(plugin)
const loaded = [await Tenter(input)]

// A plugin that holds up the agent would never see this file.
if (world.sign) setTimeout(() => writeFileSync(world.sign, ""), 50)

const taken = []
for (const step of steps) {
  const result = { seen }
  try {
    if (step.remove) rmSync(step.remove)
    else if (step.twin) loaded.push(await Tenter(input))
    else if (step.dispose) await loaded.shift().dispose()
    else if (step.event) for (const hooks of loaded) await hooks.event({ event: step.event })
    else {
      const args = step.output?.args
      for (const hooks of loaded) await hooks[step.hook](step.input, step.output)
      if (args) result.same = args === step.output.args
    }
  } catch (error) {
    result.threw = error.message
  }
  if (step.output) result.output = step.output
  taken.push({ ...result, seen: seen.splice(0) })
}
process.stdout.write(`${JSON.stringify(taken)}\n`)
