//! Decides whether a user runs this command, or an agent.
//!
//! Commands that change trust, guards, approvals or the installation need a person. On Linux that is decided by
//! processes, not by variables: no ancestor is an agent or a hook, and while an agent runs, the command needs a
//! terminal that no agent opened. Elsewhere ancestors cannot be examined; there a terminal and the absence of tenter's
//! own variable count.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use tenter_shell::contains_word;
use tenter_store::agents::RunningAgent;
use tenter_store::process::{ProcessStat, ancestry};
use tenter_store::{AgentProcess, RunningAgents, StateFolder};

use crate::places::Places;

/// Why a command does not count as run by a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoPerson {
    /// A hook started it.
    Hook,
    /// An agent started it.
    Agent(String),
    /// An agent runs, and the command has no terminal.
    NoTerminal(String),
    /// An agent runs, and the agent may have opened the terminal.
    AgentsTerminal(String),
}

impl fmt::Display for NoPerson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hook => f.write_str("a hook started it"),
            Self::Agent(agent) => write!(f, "{agent} started it"),
            Self::NoTerminal(agent) => write!(f, "{agent} is running, and this command has no terminal"),
            Self::AgentsTerminal(agent) => {
                write!(f, "{agent} is running and may have opened this terminal")
            }
        }
    }
}

/// The variable that tenter sets for hooks.
const HOOK_RUN: &str = "TENTER_RUN";

/// Commands of `tenter` that run hooks or a model's tools.
const RUNNERS: &str = "hook chat emit mcp";

/// Programs of agents in a terminal. Editors are not listed: their terminals are a person's too.
const AGENTS: &str = "claude codex gemini opencode copilot cursor-agent kilo amp droid goose crush qwen auggie kimi \
    cline kiro-cli q agy devin";

/// Programs that open terminals for people and run without one themselves.
const TERMINALS: &str = "tmux screen zellij sshd sshd-session login gnome-terminal- ptyxis-agent kgx konsole kitty \
    alacritty wezterm-gui wezterm-mux-ser foot ghostty xterm urxvt rxvt st terminator tilix \
    xfce4-terminal mosh-server code cursor windsurf";

/// Checks that a person runs this command.
pub fn check(places: &Places) -> Result<(), NoPerson> {
    if std::env::var_os(HOOK_RUN).is_some() {
        return Err(NoPerson::Hook);
    }
    let state = places.state_folder.as_deref();
    let running = state.map(|state| RunningAgents::new(&StateFolder::new(state.to_owned())).all());
    let running = running.unwrap_or_default();
    let ancestry = ancestry();
    if ancestry.is_empty() {
        return without_ancestry(&running);
    }
    examine(&ancestry, &running, &Machine { state })
}

/// Whether this agent sent the event that this process handles: it started the process itself, by the line that `tenter
/// init` wrote. A command that the agent runs can start tenter too.
pub(crate) fn is_sent_by(agent: &AgentProcess) -> bool {
    if ancestry().is_empty() {
        return true;
    }
    let (above, between) = AgentProcess::above_with_between();
    let machine = Machine { state: None };
    above.is_some_and(|above| above.is_at_or_above(agent))
        && between.iter().all(|id| is_entry(&machine.arguments(*id)))
}

/// The agent above this process that did not send the event itself: a command that it runs started tenter.
pub(crate) fn relaying_agent(places: &Places) -> Option<String> {
    let (above, between) = AgentProcess::above_with_between();
    let machine = Machine { state: places.state_folder.as_deref() };
    let ancestry = ancestry();
    let sender = above.as_ref().and_then(|above| ancestry.iter().position(|(id, seen)| above.is(*id, seen)));
    let is_foreign = |id: &u32| !is_entry(&machine.arguments(*id));
    let mut is_relayed = between.iter().any(is_foreign);
    let start = sender.unwrap_or(1);
    ancestry.get(start..).unwrap_or_default().iter().enumerate().find_map(|(place, (id, seen))| {
        let arguments = machine.arguments(*id);
        let named = agent_program(seen, &arguments)
            .filter(|_| machine.shares_state(machine.variables(*id).as_deref()));
        // A person's program may start an agent; of a shell below an agent, the agent is the person.
        is_relayed |= place > 0 && named.is_none() && is_shell(seen);
        named.filter(|_| is_relayed)
    })
}

fn is_shell(seen: &ProcessStat) -> bool {
    matches!(seen.name.as_str(), "sh" | "bash" | "dash" | "zsh" | "ash" | "ksh" | "fish")
}

/// Whether a shell between an agent and tenter runs an entry and nothing else.
fn is_entry(arguments: &[String]) -> bool {
    let is_option = |word: &&String| word.starts_with('-') && word.ends_with('c');
    let line = arguments.iter().skip_while(|word| !is_option(word)).nth(1);
    line.is_some_and(|line| !line.contains(['<', '(', '`']) && tenter_adapters::is_call(line))
}

/// What is asked about a process besides its place in the tree.
trait Facts {
    fn arguments(&self, id: u32) -> Vec<String>;
    fn variables(&self, id: u32) -> Option<Vec<(String, String)>>;
    /// Whether an agent with these variables works with the tenter that this command changes.
    fn shares_state(&self, variables: Option<&[(String, String)]>) -> bool;
}

fn examine(
    ancestry: &[(u32, ProcessStat)],
    running: &[RunningAgent],
    facts: &dyn Facts,
) -> Result<(), NoPerson> {
    for (id, seen) in ancestry.iter().skip(1) {
        if let Some(agent) = running.iter().find(|agent| agent.process.is(*id, seen)) {
            return Err(NoPerson::Agent(agent.agent.clone()));
        }
        let arguments = facts.arguments(*id);
        if runs_hooks(&arguments) {
            return Err(NoPerson::Hook);
        }
        let variables = facts.variables(*id);
        let tagged = variables.iter().flatten().any(|(name, _)| name == HOOK_RUN);
        if tagged {
            return Err(NoPerson::Hook);
        }
        if let Some(agent) = agent_program(seen, &arguments)
            && facts.shares_state(variables.as_deref())
        {
            return Err(NoPerson::Agent(agent));
        }
    }
    let Some(agent) = running.first() else { return Ok(()) };
    let no_terminal = || NoPerson::NoTerminal(agent.agent.clone());
    let Some((_, own)) = ancestry.first().filter(|(_, own)| own.terminal != 0) else {
        return Err(no_terminal());
    };
    // A process that an agent left behind has lost its parent, and with it the leader of its session.
    let leader = ancestry.iter().position(|(id, _)| *id == own.session).ok_or_else(no_terminal)?;
    let Some((holder_id, holder)) = ancestry.get(leader + 1) else { return Ok(()) };
    let is_starter = |id: u32, seen: &ProcessStat| id == 1 || seen.name == "systemd";
    let later = |began: u64| running.iter().any(|agent| agent.process.began().is_none_or(|at| began >= at));
    let agents = if is_starter(*holder_id, holder) {
        // `systemd-run --pty`: the terminal belongs to its caller.
        later(ancestry[leader].1.began)
    } else {
        let orphan = ancestry.get(leader + 2).is_none_or(|(id, seen)| is_starter(*id, seen));
        let known = holder.name == "tmux: server" || contains_word(TERMINALS, &holder.name);
        let marked = facts.variables(*holder_id).iter().flatten().any(|(name, _)| is_agents_variable(name));
        holder.terminal == 0 && orphan && later(holder.began) && (!known || marked)
    };
    if agents { Err(NoPerson::AgentsTerminal(agent.agent.clone())) } else { Ok(()) }
}

/// Where the system does not show ancestors.
fn without_ancestry(running: &[RunningAgent]) -> Result<(), NoPerson> {
    match running.first() {
        Some(agent) if fs::File::open("/dev/tty").is_err() => Err(NoPerson::NoTerminal(agent.agent.clone())),
        Some(_) | None => Ok(()),
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn runs_hooks(arguments: &[String]) -> bool {
    let mut words = arguments.iter().map(String::as_str);
    match words.next().map(file_name) {
        Some("tenter-hook") => true,
        Some("tenter") => {
            words.find(|word| !word.starts_with('-')).is_some_and(|word| contains_word(RUNNERS, word))
        }
        Some(_) | None => false,
    }
}

/// The agent that a process is by its name, or by the script that an interpreter runs.
fn agent_program(seen: &ProcessStat, arguments: &[String]) -> Option<String> {
    let named = arguments.iter().take(2).map(|word| file_name(word)).chain([seen.name.as_str()]);
    let known = |name: &str| contains_word(AGENTS, name.trim_end_matches(".js"));
    named.into_iter().find(|name| known(name)).map(|name| name.trim_end_matches(".js").to_owned())
}

/// Variables that agents set for the commands they run.
fn is_agents_variable(name: &str) -> bool {
    matches!(name, "CLAUDECODE" | "GEMINI_CLI" | "QWEN_CODE" | "OPENCODE" | "CURSOR_AGENT" | HOOK_RUN)
        || ["CLAUDE_CODE_", "CODEX_SANDBOX"].iter().any(|start| name.starts_with(start))
}

struct Machine<'a> {
    state: Option<&'a Path>,
}

impl Facts for Machine<'_> {
    fn arguments(&self, id: u32) -> Vec<String> {
        let bytes = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        bytes.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
    }

    fn variables(&self, id: u32) -> Option<Vec<(String, String)>> {
        let bytes = fs::read(format!("/proc/{id}/environ")).ok()?;
        let texts = bytes.split(|byte| *byte == 0).map(String::from_utf8_lossy);
        Some(
            texts
                .filter_map(|text| text.split_once('=').map(|(a, b)| (a.to_owned(), b.to_owned())))
                .collect(),
        )
    }

    fn shares_state(&self, variables: Option<&[(String, String)]>) -> bool {
        let (Some(variables), Some(ours)) = (variables, self.state) else { return true };
        let value = |name: &str| variables.iter().find(|(known, _)| known == name).map(|(_, value)| value);
        let folder = value("XDG_STATE_HOME").filter(|value| value.starts_with('/'));
        let folder = folder.map(PathBuf::from);
        let home = || value("HOME").map(|home| Path::new(home).join(".local/state"));
        let theirs = folder.or_else(home).map(|folder| folder.join("tenter"));
        theirs.is_none_or(|theirs| theirs == ours || same_folder(&theirs, ours))
    }
}

fn same_folder(one: &Path, other: &Path) -> bool {
    matches!((fs::canonicalize(one), fs::canonicalize(other)), (Ok(one), Ok(other)) if one == other)
}

#[cfg(test)]
mod tests;
