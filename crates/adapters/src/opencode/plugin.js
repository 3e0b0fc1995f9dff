import { spawn } from "node:child_process"

const WIRING = {}

/** Where a deny prevents something, so that with `--strict` a tenter that cannot be asked is one too. */
const GUARDS = ["tool.execute.before", "chat.message"]
/** How much longer than tenter itself we wait for it, in milliseconds. */
const GRACE = 5000
/** Marks our own texts, so that no hook sees them as a prompt of the user. */
const OURS = "tenter"

/** What a hook has denied: the only thing that is ever thrown. The agent hands the message to the model. */
class Denied extends Error {}

/** Why tenter could not be asked. */
class Failure extends Error {}

const asFailure = (error) =>
  error instanceof Failure ? error : new Failure(`tenter's plugin has failed: ${error?.message ?? error}`)

export const Tenter = async ({ client, directory, worktree }) => {
  // The same plugin in the user's folder and in the project's is one: a second would start tenter twice. It waits, and
  // takes over when the first is gone.
  const twins = (globalThis[Symbol.for("tenter.plugins")] ??= new Map())
  // The user's has the id of the installation among its words, and the project's does not.
  const [key, self] = [JSON.stringify([WIRING.agent, WIRING.program, WIRING.strict, directory]), {}]
  const isFirst = () => {
    if (!twins.has(key)) twins.set(key, self)
    return twins.get(key) === self
  }

  // A run of one prompt ends with it: no user sees a notice on a screen, and nothing can follow.
  const oneShot =
    ["run", "github"].includes(process.argv[2]) && !process.argv.some((word) => ["-i", "--interactive"].includes(word))
  const sessions = new Map()
  const running = new Map()
  const servers = new Map()
  const complained = new Set()
  let queue = Promise.resolve()

  /** Shows something to the user, without waiting for it. The screen is the agent's, so it shows it itself. */
  const tell = (text, variant) => {
    if (oneShot) {
      process.stderr.write(`${text}\n`)
      return
    }
    quietly(() => client.tui.showToast({ body: { title: "tenter", message: text, variant, duration: 10000 } }))
  }

  /** Puts a line into the agent's own log. */
  const log = (level, message) => {
    quietly(() => client.app.log({ body: { service: "tenter", level, message } }))
  }

  /** Says once what keeps tenter from being asked, and what becomes of it. */
  const complain = (failure) => {
    log("error", failure.message)
    if (complained.has(failure.message)) return
    complained.add(failure.message)
    const then = WIRING.strict ? "tools and prompts are denied" : "hooks do not run"
    tell(`tenter: error: ${failure.message}; ${then} (\`tenter doctor\` says more)`, "error")
  }

  /** What is known of a session. A session whose start was missed is looked up. */
  const known = (id) => {
    if (!sessions.has(id)) sessions.set(id, lookUp(id))
    return sessions.get(id)
  }

  const lookUp = async (id) => {
    const info = await quietly(() => client.session.get({ path: { id } }))
    const parent = info?.data?.parentID
    const messages = await quietly(() => client.session.messages({ path: { id }, query: { limit: 1 } }))
    const source = messages?.data?.length === 0 ? "startup" : "resume"
    return { id, parent, root: await rootOf(id, parent), source }
  }

  const rootOf = async (id, parent) => (parent ? (await known(parent)).root : id)

  /** The MCP server of a tool, which the agent calls `server_tool`. */
  const serverOf = async (tool) => {
    if (!tool.includes("_") || servers.has(tool)) return servers.get(tool)
    const status = await quietly(() => client.mcp.status())
    const prefix = (name) => `${name.replace(/[^a-zA-Z0-9_-]/g, "_")}_`
    const candidates = Object.keys(status?.data ?? {}).filter((name) => tool.startsWith(prefix(name)))
    const [longest] = candidates.sort((a, b) => b.length - a.length)
    if (status?.data) servers.set(tool, longest)
    return longest
  }

  /** Asks tenter about one event. A failure is the caller's affair. */
  const ask = async (event, session, fields) => {
    const payload = {
      plugin: WIRING.agent,
      hook_event_name: event,
      session_id: session.root,
      agent_id: session.parent ? session.id : undefined,
      agent_type: session.parent ? session.agent : undefined,
      cwd: directory,
      project_root: worktree && worktree !== "/" ? worktree : directory,
      attended: oneShot ? false : undefined,
      ...fields,
    }
    const { answer, notes } = await call(WIRING.within[event], payload)
    if (notes) log("info", notes)
    if (answer.systemMessage) tell(answer.systemMessage, "warning")
    return answer
  }

  /** The same for events that cannot be denied: a failure is reported, and there is no answer. */
  const inform = async (event, session, fields) => {
    try {
      return await ask(event, session, fields)
    } catch (error) {
      complain(asFailure(error))
      return {}
    }
  }

  /** A hook of the agent that waits for us. Nothing is thrown but a deny. */
  const hook = (event, body) => async (input, output) => {
    try {
      if (isFirst()) await body(input, output)
    } catch (error) {
      if (error instanceof Denied) throw error
      const failure = asFailure(error)
      complain(failure)
      if (WIRING.strict && GUARDS.includes(event)) {
        throw new Denied(`${failure.message}; what no hook has judged is denied here (\`--strict\`)`)
      }
    }
  }

  /** Events that the agent only reports are handled in order. Only `dispose` waits for them. */
  const later = (body) => {
    queue = queue.then(() => quietly(body))
  }

  /** The first prompt of a session is when it begins for tenter: only there its context has a place. */
  const begin = async (session) => {
    if (session.begun) return
    session.begun = true
    const answer = await inform("session.created", session, { source: session.source })
    session.opening = answer.additionalContext
  }

  const prompted = async (input, output) => {
    const session = await known(input.sessionID)
    const { message, parts } = output
    session.agent = message.agent
    session.model = message.model
    const own = parts.filter((part) => part.type === "text" && !part.synthetic)
    // Our own words, and what the agent writes to itself, are no prompt of the user.
    if (parts.some((part) => part.metadata?.[OURS]) || parts.every((part) => part.synthetic)) {
      session.turn = true
      return
    }
    const prompt = own.map((part) => part.text).join("\n\n")
    if (session.parent) {
      const answer = await inform("subagent.created", session, { prompt })
      addText(parts, message, answer.additionalContext)
      return
    }
    await begin(session)
    const files = parts.filter((part) => part.type === "file").map((part) => part.source?.path ?? part.filename)
    const answer = await ask("chat.message", session, { prompt, files: files.filter(Boolean), turn: message.id })
    if (answer.decision === "deny") {
      // The agent tells its user only that something went wrong.
      tell(`tenter: ${answer.reason}`, "error")
      throw new Denied(answer.reason)
    }
    if (typeof answer.prompt === "string") {
      const [first, ...rest] = own
      rest.forEach((part) => parts.splice(parts.indexOf(part), 1))
      if (first) first.text = answer.prompt
      else addText(parts, message, answer.prompt, { synthetic: false })
    }
    addText(parts, message, [session.opening, answer.additionalContext].filter(Boolean).join("\n\n"))
    session.opening = undefined
    session.turn = true
    session.again = false
  }

  const called = async (input, output) => {
    const session = await known(input.sessionID)
    const { tool, callID } = input
    const answer = await ask("tool.execute.before", session, {
      tool,
      mcp_server: await serverOf(tool),
      call_id: callID,
      args: output.args,
    })
    if (answer.decision === "deny") throw new Denied(answer.reason)
    if (answer.args) {
      // The agent keeps its own object, and does not look at another one.
      if (!isObject(output.args)) throw new Denied("a hook rewrites the input of this call, which has none")
      Object.keys(output.args).forEach((key) => delete output.args[key])
      Object.entries(answer.args).forEach(([key, value]) => setOwn(output.args, key, value))
    }
    running.set(callID, { tool, args: output.args })
  }

  const returned = async (input, output) => {
    const session = await known(input.sessionID)
    const { tool, callID, args } = input
    running.delete(callID)
    const fields = { tool, mcp_server: await serverOf(tool), call_id: callID, args }
    if (!output) return void (await inform("tool.execute.failed", session, { ...fields, error: "it gave no result" }))
    const text = typeof output.output === "string"
    const answer = await ask("tool.execute.after", session, {
      ...fields,
      output: text ? output.output : { content: output.content, structuredContent: output.structuredContent },
      exit_code: output.metadata?.exit,
    })
    if (answer.decision === "deny") replaceResult(output, answer.reason)
    else if (answer.output !== undefined) replaceResult(output, answer.output)
    if (!answer.additionalContext) return
    if (text) output.output += `\n\n${answer.additionalContext}`
    // Of a long result of an MCP server the end is cut off.
    else (output.content ??= []).unshift({ type: "text", text: answer.additionalContext })
  }

  /** The turn is over. Where the agent lives on, a hook may send it on with a prompt of ours. */
  const idle = async (id) => {
    const session = await known(id)
    if (session.parent) return void (await inform("subagent.idle", session, {}))
    if (!session.turn) return
    session.turn = false
    const answer = await inform("session.idle", session, { again: session.again })
    if (answer.decision !== "continue") return
    session.again = true
    const { providerID, modelID, variant } = session.model ?? {}
    const sent = await quietly(() =>
      client.session.promptAsync({
        path: { id },
        body: {
          agent: session.agent,
          model: modelID ? { providerID, modelID } : undefined,
          variant,
          parts: [{ type: "text", text: answer.reason, metadata: { [OURS]: true } }],
        },
      }),
    )
    if (!sent || sent.error) tell("tenter: error: a hook wants the agent to go on, and that failed", "error")
  }

  /** The turn has ended in an error, so nothing is asked when the session is idle. An interruption is the user's. */
  const failed = async ({ sessionID, error }) => {
    if (!sessionID) return
    const session = await known(sessionID)
    session.turn = false
    if (error?.name === "MessageAbortedError") return
    await inform("session.error", session, { error: error?.data?.message ?? error?.name, error_kind: error?.name })
  }

  const toolFailed = async (part) => {
    const { tool, args } = running.get(part.callID) ?? {}
    if (!running.delete(part.callID)) return
    const fields = { tool, mcp_server: await serverOf(tool), call_id: part.callID, args, error: part.state.error }
    await inform("tool.execute.failed", await known(part.sessionID), fields)
  }

  /** The agent asks its user at the same time: an allow comes in time or is not needed, a deny might come too late. */
  const permission = async (asked) => {
    const { tool = asked.permission, args = { patterns: asked.patterns } } = running.get(asked.tool?.callID) ?? {}
    const answer = await inform("permission.asked", await known(asked.sessionID), {
      tool,
      mcp_server: await serverOf(tool),
      call_id: asked.tool?.callID,
      args,
    })
    if (answer.decision !== "allow") return
    await client.postSessionIdPermissionsPermissionId({
      path: { id: asked.sessionID, permissionID: asked.id },
      body: { response: "once" },
    })
  }

  const compacted = async (id) => {
    const session = await known(id)
    await inform("session.compacted", session, {})
    if (!session.parent) await inform("session.created", session, { source: "compact" })
  }

  const end = async (session, reason) => {
    if (session.begun && !session.parent) await inform("session.deleted", session, { reason })
  }

  const reported = {
    "session.created": ({ info }) => {
      if (sessions.has(info.id)) return
      const { id, parentID: parent } = info
      sessions.set(id, rootOf(id, parent).then((root) => ({ id, parent, root, source: "startup" })))
    },
    "session.idle": ({ sessionID }) => later(() => idle(sessionID)),
    "session.error": (properties) => later(() => failed(properties)),
    "session.compacted": ({ sessionID }) => later(() => compacted(sessionID)),
    "session.deleted": ({ info }) => {
      const session = sessions.get(info.id)
      sessions.delete(info.id)
      if (session) later(async () => end(await session, "deleted"))
    },
    "permission.asked": (asked) => quietly(() => permission(asked)),
    "message.part.updated": ({ part }) => {
      if (part.type === "tool" && part.state?.status === "error") later(() => toolFailed(part))
    },
  }

  return {
    "chat.message": hook("chat.message", prompted),
    "tool.execute.before": hook("tool.execute.before", called),
    "tool.execute.after": hook("tool.execute.after", returned),
    "experimental.session.compacting": hook("experimental.session.compacting", async ({ sessionID }, output) => {
      const answer = await inform("experimental.session.compacting", await known(sessionID), {})
      if (answer.additionalContext) output.context.push(answer.additionalContext)
    }),
    event: async ({ event }) => {
      if (!Object.hasOwn(reported, event.type ?? "") || !isFirst()) return
      await quietly(() => reported[event.type](event.properties))
    },
    dispose: async () => {
      if (twins.get(key) === self) twins.delete(key)
      // A user who quits does not wait; a run of one prompt has nothing else to wait for.
      await (oneShot ? queue : Promise.race([queue, new Promise((done) => setTimeout(done, GRACE).unref?.())]))
      const all = await Promise.all(sessions.values())
      await Promise.all(all.map((session) => quietly(() => end(session, "exit"))))
    },
  }
}

/** Starts tenter, hands it the payload and reads its answer. The agent goes on meanwhile. */
const call = (seconds, payload) =>
  new Promise((resolve, reject) => {
    const words = [...WIRING.words, "--within", `${seconds}s`]
    const child = spawn(WIRING.program, words, { stdio: ["pipe", "pipe", "pipe"] })
    const out = []
    const notes = []
    let timer
    const fail = (why) => {
      clearTimeout(timer)
      reject(new Failure(why))
    }
    const ended = (code, signal) => {
      clearTimeout(timer)
      if (code !== 0) return fail(`tenter has failed (${signal ?? `exit code ${code}`})`)
      const answer = read(Buffer.concat(out).toString("utf8"))
      if (!answer) return fail("tenter has answered something that is no answer")
      resolve({ answer, notes: Buffer.concat(notes).toString("utf8").trim() })
    }
    timer = setTimeout(() => {
      child.kill("SIGKILL")
      fail(`tenter took more than ${seconds} seconds`)
    }, seconds * 1000 + GRACE)
    child.stdout.on("data", (chunk) => out.push(chunk))
    child.stderr.on("data", (chunk) => notes.push(chunk))
    // A tenter that ends before it has read everything is known by its answer.
    child.stdin.on("error", () => {})
    child.on("error", (error) => {
      const gone = error.code === "ENOENT"
      fail(gone ? `tenter is gone from ${WIRING.program}` : `tenter cannot be started: ${error.message}`)
    })
    child.on("close", ended)
    // What a hook has left behind may hold the pipes open: the answer was written before tenter ended.
    child.on("exit", (code, signal) => {
      clearTimeout(timer)
      timer = setTimeout(() => ended(code, signal), GRACE / 10)
    })
    child.stdin.end(JSON.stringify(payload))
  })

/** An answer is one object; nothing at all is silence. */
const read = (text) => {
  if (text.trim() === "") return {}
  try {
    const answer = JSON.parse(text)
    return isObject(answer) ? answer : undefined
  } catch {
    return undefined
  }
}

/** Adds a text to a message. It stands after all others, in its order and in that of the ids. */
const addText = (parts, message, text, more = { synthetic: true }) => {
  if (!text) return
  const last = parts.map((part) => part.id ?? "").sort().at(-1)
  const time = last?.startsWith("prt_") ? last.slice(4, 16) : (BigInt(Date.now()) * 4096n).toString(16).slice(-12)
  const id = `prt_${time}zz${Math.random().toString(36).slice(2, 14).padEnd(12, "0")}`
  parts.push({ id, sessionID: message.sessionID, messageID: message.id, type: "text", text, ...more })
}

/** Puts another result in the place of one: what came with it, such as an image, goes too. */
const replaceResult = (output, result) => {
  const said = typeof result === "string" ? result : undefined
  if (typeof output.output === "string") {
    output.output = said ?? (typeof result?.output === "string" ? result.output : JSON.stringify(result))
    if (typeof output.metadata?.output === "string") output.metadata.output = output.output
    if (output.attachments) output.attachments = []
    return
  }
  delete output.structuredContent
  output.content = Array.isArray(result?.content) ? result.content : [{ type: "text", text: said ?? JSON.stringify(result) }]
}

/** Sets a key of an object, `__proto__` like any other. */
const setOwn = (object, key, value) =>
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value)

/** Does something whose failure changes nothing. */
const quietly = async (body) => {
  try {
    return await body()
  } catch {
    return undefined
  }
}
