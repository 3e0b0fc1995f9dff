//! Claims and counters of a session, with the table of their spellings. A claim is a file whose name comes from its
//! spelling.

use std::fmt;

use crate::HookId;
use crate::notice::Cause;

/// Something that happens at most once per session.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
#[expect(missing_docs, reason = "the names of the fields say what they hold")]
pub enum SessionClaim {
    /// A person has switched a hook off.
    SwitchedOff(HookId),
    /// A hook with `once` has run in this period.
    HookRan { hook: HookId, period: RunPeriod },
    /// The agent continues within its turn because a hook denied the stop.
    KeptGoing,
    /// A compaction has ended, and the session has not started again yet.
    Compacted,
    /// A stop was denied this many times in a row.
    StopDenied { agent_id: Option<String>, round: usize },
    /// The user was notified of a cause.
    Notified(Cause),
    /// The model has a todo list.
    HasTodoList,
    /// Memory has noted the session.
    MemoryNoted,
    /// Memory has offered the entries of an earlier session.
    MemoryOffered,
    /// Memory has warned that outcomes cannot be captured.
    MemoryWarned,
}

/// The period in which a hook with `once` runs once.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum RunPeriod {
    /// The session's context of this number. A compaction begins the next one.
    Context(u64),
    /// The turn of this name.
    Turn(TurnId),
}

/// A turn of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum TurnId {
    /// As the agent names it.
    Agent(String),
    /// As tenter counts it.
    Counted(u64),
}

/// Something that a session counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionCounter {
    /// Turns.
    Turns,
    /// How often the context was begun anew, by a compaction or a clear.
    Contexts,
    /// Events that a hook with `every` matched.
    HookEvents(HookId),
    /// Files with context.
    ContextFiles,
    /// Tool calls since the todo list was last used.
    TodoCalls,
}

impl fmt::Display for SessionClaim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SwitchedOff(hook) => write!(f, "switched off {}", hook.address()),
            Self::HookRan { hook, period: RunPeriod::Context(0) } => write!(f, "once {}", hook.address()),
            Self::HookRan { hook, period: RunPeriod::Context(number) } => {
                write!(f, "once {} in context {number}", hook.address())
            }
            Self::HookRan { hook, period: RunPeriod::Turn(turn) } => {
                write!(f, "once {} in turn {turn}", hook.address())
            }
            Self::KeptGoing => f.write_str("kept going within its turn"),
            Self::Compacted => f.write_str("compacted, and not started again yet"),
            Self::StopDenied { agent_id, round } => {
                let who = agent_id.as_deref().map(|id| format!("{id}: ")).unwrap_or_default();
                write!(f, "{who}stop denied, time {round}")
            }
            Self::Notified(cause) => write!(f, "notified: {cause}"),
            Self::HasTodoList => f.write_str("todo list"),
            Self::MemoryNoted => f.write_str("memory: session noted"),
            Self::MemoryOffered => f.write_str("memory: earlier entries offered"),
            Self::MemoryWarned => f.write_str("memory: no outcomes"),
        }
    }
}

impl fmt::Display for TurnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agent(name) => write!(f, "the agent's {name}"),
            Self::Counted(number) => write!(f, "our {number}"),
        }
    }
}

impl fmt::Display for SessionCounter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Turns => f.write_str("turns"),
            Self::Contexts => f.write_str("contexts"),
            Self::HookEvents(hook) => write!(f, "every {}", hook.address()),
            Self::ContextFiles => f.write_str("files with context"),
            Self::TodoCalls => f.write_str("tool calls without a todo list"),
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::State(error) => write!(f, "state: {error}"),
            Self::Trail(error) => write!(f, "audit trail: {error}"),
            Self::TrailRepaired(text) => write!(f, "audit trail repaired: {text}"),
            Self::HookFiles(fingerprint) => write!(f, "hook files {fingerprint:016x}"),
            Self::StaleHookFile(text) => write!(f, "stale hook file: {text}"),
            Self::LostGuard(text) => write!(f, "lost guard: {text}"),
            Self::Budget(key) => write!(f, "budget {key}"),
            Self::Approval(text) => write!(f, "approval: {text}"),
            Self::NoSession(hook) => write!(f, "{hook} runs without a session"),
            Self::Builtin(text) => write!(f, "built-in: {text}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Layer;

    /// Two claims with one spelling would be one claim.
    #[test]
    fn spellings_are_distinct() {
        let hook = |name: &str| HookId::new(Layer::User, name);
        let ran = |period| SessionClaim::HookRan { hook: hook("lint"), period };
        let claims = [
            SessionClaim::SwitchedOff(hook("lint")),
            ran(RunPeriod::Context(0)),
            ran(RunPeriod::Context(1)),
            ran(RunPeriod::Turn(TurnId::Agent("1".to_owned()))),
            ran(RunPeriod::Turn(TurnId::Counted(1))),
            SessionClaim::KeptGoing,
            SessionClaim::Compacted,
            SessionClaim::StopDenied { agent_id: None, round: 1 },
            SessionClaim::StopDenied { agent_id: None, round: 2 },
            SessionClaim::StopDenied { agent_id: Some("a".to_owned()), round: 1 },
            SessionClaim::Notified(Cause::State("x".to_owned())),
            SessionClaim::Notified(Cause::Trail("x".to_owned())),
            SessionClaim::HasTodoList,
        ];
        let mut spellings: Vec<String> = claims.iter().map(ToString::to_string).collect();
        spellings.sort();
        spellings.dedup();
        assert_eq!(spellings.len(), claims.len());
    }
}
