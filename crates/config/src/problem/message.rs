//! The message of each problem: what is wrong. A hook's name is added behind it, so messages end in a way
//! that takes "in hook …".

use std::fmt;

use tenter_contract::TemplateError;

use super::ProblemKind;
use crate::hook::Senseless;

impl fmt::Display for ProblemKind {
    #[expect(clippy::too_many_lines, reason = "one line per kind of problem; a table would hide none of it")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { detail, .. } => write!(f, "the file is not read: {detail}"),
            Self::EmptyFile => f.write_str("the file is empty"),
            Self::WrongVersion { found } => write!(f, "the file is not read: its version is {found}"),
            Self::UnknownTopLevelKey { key, .. } => write!(f, "unknown key `{key}` at the top level"),
            Self::UnknownEvent { spelling, hooks, .. } => {
                write!(f, "unknown event `{spelling}`{}", lost(*hooks))
            }
            Self::HooksWithoutEvents { found } => {
                write!(f, "no hook is read: `hooks` is {found} but must be a table of events")
            }
            Self::HooksNotListed { event, found } => {
                write!(f, "the hooks of `{event}` are not read: they are {found} but must be a list")
            }
            Self::DeskRefused { layer } => {
                write!(
                    f,
                    "`approvals` is not for the {} layer: whoever answers questions decides",
                    layer.as_str()
                )
            }
            Self::FolderWithoutDesk => f.write_str("`approvals.folder` is only for the desk `file`"),
            Self::DenyThatGrants => f.write_str("an option called `Deny` cannot grant anything"),
            Self::DuplicateKey { key, .. } => write!(f, "key `{key}` stands twice"),
            Self::HookNotTable { found } => write!(f, "a hook is {found} but must be a table"),
            Self::WrongType { key, expected, found } => {
                write!(f, "`{key}` is {found} but must be {expected}")
            }
            Self::UnknownKey { key, .. } => write!(f, "unknown key `{key}`"),
            Self::UnknownOption { key, builtin, .. } => write!(f, "`{builtin}` has no setting `{key}`"),
            Self::OutOfRange { key, found, .. } => write!(f, "`{key}` cannot be `{found}`"),
            Self::MissingKey { key: "name" } => f.write_str("a hook has no `name`"),
            Self::MissingKey { key } => write!(f, "no `{key}`"),
            Self::NoHandler => f.write_str("nothing to do"),
            Self::SeveralHandlers { handlers } => write!(f, "more than one handler ({})", listed(handlers)),
            Self::BadName { name } if name.is_empty() => f.write_str("a hook has an empty `name`"),
            Self::BadName { name } => write!(f, "`{name}` cannot be the name of a hook"),
            Self::NeverAsked { event } => {
                write!(f, "`{event}` is only recorded and never runs anything")
            }
            Self::DuplicateName { .. } => f.write_str("the name is already taken"),
            Self::BadValue { key, found, .. } | Self::BadSize { key, found, .. } => {
                write!(f, "`{key}` cannot be {found}")
            }
            Self::EmptyValue { key } => write!(f, "`{key}` is empty"),
            Self::BadDuration { key, reason } => write!(f, "`{key}` {reason}"),
            Self::BadVariable { name } if name.is_empty() => {
                f.write_str("an environment variable has no name")
            }
            Self::BadVariable { name } => write!(f, "`{name}` cannot be an environment variable"),
            Self::BadPattern { key, detail } => {
                write!(f, "`{key}` is no regular expression that can be used ({detail})")
            }
            Self::WaitsForNobody { name, .. } => {
                write!(f, "`after` names `{name}`, which is no hook of the same event and file,")
            }
            Self::WaitsForLater { name, own, other } => {
                write!(f, "`after` names `{name}`, whose priority {other} is later than the priority {own}")
            }
            Self::WaitsForItself { name } => write!(f, "`after` makes `{name}` wait for itself"),
            Self::PathNotRegex { key } => write!(f, "`{key}` cannot be a regular expression"),
            Self::BadMatcher { reason } => write!(f, "`matcher` {reason}"),
            Self::BadTemplate { key, error } => match error {
                TemplateError::Unknown { name, .. } => {
                    write!(f, "unknown placeholder `{{{name}}}` in `{key}`")
                }
                TemplateError::Unquotable { name, inside } => {
                    write!(f, "`{{{name}}}` stands inside {inside} in `{key}`")
                }
            },
            Self::BadRun { .. } => f.write_str("`run` has no prefix that says what is run"),
            Self::BadUrl { key, found } => write!(f, "`{key}` cannot be the address `{found}`"),
            Self::BadHeader { name } => write!(f, "`{name}` cannot be a header"),
            Self::UnknownServer { name, .. } => write!(f, "unknown MCP server `{name}`"),
            Self::BadFunction { found } => write!(f, "`{found}` is no function of a Python module"),
            Self::UnknownBuiltin { name, .. } => write!(f, "unknown built-in `{name}`"),
            Self::Powerless { handler, event, .. } => write!(f, "`{handler}` has no meaning at `{event}`"),
            Self::NotInBackground { key, why } => {
                let why = match why {
                    Senseless::Verdict => "the agent has gone on before anything could be stopped",
                    Senseless::Text => "it says what stands in the file, and takes no time",
                    Senseless::Company => "nobody waits for the hook anyway",
                };
                write!(f, "`{key}` has no meaning beside `background` ({why})")
            }
            Self::WaitsForBackground { name } => {
                write!(f, "`after` names `{name}`, which runs in the background and is waited for by nobody,")
            }
            Self::MayAllowRefused { layer } => {
                write!(f, "`may_allow` is not allowed in the {} layer", layer.as_str())
            }
            Self::ExampleMissed { example } => {
                write!(f, "the example `{example}` should match but does not")
            }
            Self::ExampleHit { example } => {
                write!(f, "the example `{example}` should be ignored but matches")
            }
            Self::ExamplesUncheckable => f.write_str("`examples` cannot be checked"),
            Self::SuspiciousMatcher { piece, suspicion } => {
                write!(f, "the matcher `{piece}` {suspicion}")
            }
            Self::SuspiciousCondition { key, pattern } => {
                write!(f, "`{pattern}` under `{key}` looks like a regular expression but is read as a glob")
            }
            Self::SuspiciousAgent { found, .. } => write!(f, "no agent is called `{found}`"),
            Self::AssistantRole => f.write_str("`role: assistant` speaks in the agent's own name"),
            Self::OutsideProject { path, .. } => write!(f, "`{path}` leaves the project root"),
            Self::NotKept { key, .. } => write!(f, "`{key}` is not kept"),
            Self::HookNotKept { what, .. } => write!(f, "a hook is off: {what}"),
        }
    }
}

fn lost(hooks: usize) -> String {
    match hooks {
        0 => String::new(),
        1 => ": the hook under it is off".to_owned(),
        many => format!(": the {many} hooks under it are off"),
    }
}

/// `` `a`, `b` and `c` ``.
pub(super) fn listed(words: &[&str]) -> String {
    joined(words, "and")
}

/// `` `a`, `b` or `c` ``.
pub(super) fn either(words: &[&str]) -> String {
    joined(words, "or")
}

fn joined(words: &[&str], conjunction: &str) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} {conjunction} {last}", before.join(", ")),
        None => String::new(),
    }
}
