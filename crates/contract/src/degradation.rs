//! The parts of an outcome that an agent does not support, and what tenter does instead: one row for each.

use std::fmt;

use crate::outcome::Source;
use crate::{HookId, Injection};

/// A row: the degradation with its fields, who reads its message at once (`user`, or `record` if it is only in the
/// audit trail), and the message.
macro_rules! degradations {
    ($( $(#[$doc:meta])* $name:ident { $($field:ident: $type:ty),+ } $reader:ident: $message:expr; )+) => {
        /// A part of an outcome that the agent does not support, and what was done instead.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the message of each row shows its fields")]
        pub enum Degradation {
            $( $(#[$doc])* $name { $($field: $type),+ }, )+
        }

        impl Degradation {
            /// Whether the user must know at once; the rest is in the record.
            pub fn is_for_user(&self) -> bool {
                const USER: bool = true;
                const RECORD: bool = false;
                match self { $( Self::$name { .. } => $reader, )+ }
            }
        }

        impl fmt::Display for Degradation {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self { $( Self::$name { $($field),+ } => f.write_str(&$message), )+ }
            }
        }
    };
}

degradations! {
    /// A deny where nothing can be stopped.
    CannotDeny { by: Source, reason: String } USER:
        format!("{by} denied, but this event cannot be stopped here: {reason}");
    /// A deny of a stop, after too many in a row: the agent stops.
    StopAllowed { by: Source, reason: String } USER:
        format!("{by} denied the stop too often in a row, so the agent may stop: {reason}");
    /// A deny of a result that the agent shows to the model together with the reason.
    CannotWithhold { by: Source } USER:
        format!("{by} denied the result; this agent tells the model so, but shows it the result too");
    /// The agent's run goes on; only the call is denied.
    CannotStop { by: Source, reason: String } USER:
        format!("{by} wants to stop the agent, but it cannot be stopped at this event: {reason}");
    /// A question where nothing can be stopped.
    CannotAsk { prompt: String } USER:
        format!("this event cannot be stopped here, so the question was not asked: {prompt}");
    /// An allow without effect, because the hook has no `may_allow` or the agent supports none.
    CannotAllow { by: HookId } RECORD:
        format!("{by} allowed; the agent's own permission check still applies (see `may_allow`)");
    /// A rewrite of `tool_input`, `tool_output`, `prompt` or `data` that the agent does not support. The call is denied
    /// if it can be; otherwise the original stays.
    CannotRewrite { target: &'static str, by: Vec<Source>, denied: bool } USER: {
        let hooks: Vec<String> = by.iter().map(ToString::to_string).collect();
        let then = if *denied { "so it is denied" } else { "the original stays" };
        format!("{} rewrote {target}; this agent cannot take that here, {then}", hooks.join(", "))
    };
    /// Context without a channel at this event, kept for the next event that has one.
    Deferred { by: Source, bytes: usize } RECORD:
        format!("{bytes} bytes of context from {by} are deferred to the next event that takes context");
    /// Context without a channel at this event that cannot be deferred.
    NoContextChannel { by: Source, bytes: usize } USER:
        format!("{bytes} bytes of context from {by} cannot reach the agent at this event");
    /// More context than the agent takes at once. It gets a share of each text, and the path of a file with all of it.
    Spilled { bytes: usize, path: String } RECORD:
        format!("{bytes} bytes of context are more than this agent takes at once; it got the beginnings, and the whole text is in {path}");
    /// More context than the agent takes at once, and no file could be written. The rest is lost.
    ContextCut { bytes: usize } USER:
        format!("{bytes} bytes of context are more than this agent takes at once; it got the beginnings");
    /// Context in the reason of a deny, because the agent drops it next to one.
    ContextInReason { by: Source, bytes: usize } RECORD:
        format!("{bytes} bytes of context from {by} are in the reason of the deny");
    /// A role or a place that the agent has no channel for (`role user, ephemeral`).
    OneChannel { by: Source, wanted: String } RECORD:
        format!("context from {by} was wanted as {wanted}; this agent has one channel for all of it");
    /// A message that the agent cannot show at this event.
    NoMessageChannel { by: Source, text: String } RECORD:
        format!("the agent shows no messages at this event; from {by}: {text}");
    /// An injection above the limit; nothing of it is injected.
    InjectionTooLarge { by: HookId, injection: Box<Injection>, limit: usize } USER: {
        let bytes = injection.content.len();
        format!("Context injection exceeds {limit} bytes: {bytes} bytes (from {by}); nothing of it was injected")
    };
    /// Context that the host could not keep.
    NotKept { by: Source, bytes: usize, why: String } USER:
        format!("{bytes} bytes of context from {by} could not be put into the context: {why}");
    /// An injection above the limit; the agent gets the first `kept` bytes. `missing` bytes were never read.
    Truncated { by: Source, bytes: usize, kept: usize, missing: usize, path: Option<String> } RECORD: {
        let (all, held) = amounts(*bytes, *missing);
        let place = path.as_ref().map(|path| format!(", and {held} in {path}")).unwrap_or_default();
        format!("of {all} bytes of context from {by} the agent got the first {kept}{place}")
    };
    /// An injection without a visible character; it is left out.
    Blank { by: HookId, bytes: usize } RECORD:
        format!("{bytes} bytes of context from {by} are blank, and were left out");
    /// Characters of a hook's `context`, `message`, `reason` or `question` that could be taken for something else.
    MadeSafe { by: HookId, what: &'static str, removed: usize, quoted: usize } RECORD:
        format!("{what} from {by} was made safe: {}", made_safe(*removed, *quoted));
    /// An injection that is in the agent's context already. `line` says whether a line reports that.
    Repeated { by: Source, bytes: usize, line: bool } RECORD: {
        let then = if *line { "are unchanged; a line says so" } else { "are in the context already, and were left out" };
        format!("{bytes} bytes of context from {by} {then}")
    };
    /// An injection for which the budget has no tokens left.
    OverBudget { by: Source, tokens: u64, key: &'static str, limit: u64, left: u64 } USER:
        format!("context from {by} (about {tokens} tokens) was left out: {left} of {limit} tokens are left (`{key}: {limit}`, `over_budget: enforce`)");
}

fn counted(count: usize, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

/// What was done to a text that was made safe.
fn made_safe(removed: usize, quoted: usize) -> String {
    let (hidden, places) = (counted(removed, "character"), counted(quoted, "place"));
    match (removed, quoted) {
        (0, 0) => "its line ends are plain ones".to_owned(),
        (0, _) => format!("{places} quoted"),
        (_, 0) => format!("{hidden} without a shape removed"),
        _ => format!("{hidden} without a shape removed, {places} quoted"),
    }
}

/// How long a text is of which the end may be missing, and how much of it is there.
pub(crate) fn amounts(bytes: usize, missing: usize) -> (String, String) {
    let held = bytes.saturating_sub(missing);
    match missing {
        0 => (bytes.to_string(), "the whole text is".to_owned()),
        _ => (format!("more than {held}"), format!("the first {held} are")),
    }
}
