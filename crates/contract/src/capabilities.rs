//! The capabilities of an agent at one event.

use serde_json::{Map, Value};

use crate::file_patch;

/// Whether a feature is supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// It is supported.
    Yes,
    /// It is not supported, or not reliably.
    No,
}

impl Support {
    /// True for [`Support::Yes`].
    pub fn possible(self) -> bool {
        self == Self::Yes
    }
}

/// Which questions an agent puts to its user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskUser {
    /// Any, with options and a default: an embedder, our own agent.
    Anything,
    /// Plain allow-or-deny questions.
    Plainly,
    /// None.
    Never,
}

/// How an agent takes a rewritten tool result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RewriteOutput {
    /// In any shape.
    Freely,
    /// Only in the shape of the original: the same type and, for an object, all of its keys. Another shape
    /// is ignored by the agent, and the model would see the original.
    SameShape,
    /// Not at all.
    Never,
}

impl RewriteOutput {
    /// Whether this result can take the place of that one.
    pub fn takes(self, new: &Value, original: Option<&Value>) -> bool {
        match (self, new, original) {
            (Self::Freely, _, _) | (Self::SameShape, _, None) => true,
            (Self::Never, _, _) => false,
            (Self::SameShape, Value::Object(new), Some(Value::Object(old))) => {
                old.keys().all(|key| new.contains_key(key))
            }
            (Self::SameShape, new, Some(old)) => std::mem::discriminant(new) == std::mem::discriminant(old),
        }
    }
}

/// How an agent takes a rewritten input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RewriteInput {
    /// With any verdict.
    Freely,
    /// Only together with a permission, so only when a hook may give one.
    OnlyWithAllow,
    /// Key by key over the original: what a hook removed would be there again.
    MergedOver,
    /// Another patch of the same files under this key, and nothing else. With other files it would be another
    /// call: the tool's name and its paths come from them.
    SamePatch(&'static str),
    /// Other values of the same type under these keys; whatever else a hook changed or removed would be as it was.
    Only(&'static [&'static str]),
    /// Not at all.
    Never,
}

impl RewriteInput {
    /// The keys in which the agent would not take the new input: it would keep what the new input does not have, or
    /// run an input that no hook has judged.
    pub fn kept<'a>(self, original: &'a Map<String, Value>, new: &'a Map<String, Value>) -> Vec<&'a str> {
        match self {
            Self::MergedOver => {
                original.keys().filter(|key| !new.contains_key(*key)).map(String::as_str).collect()
            }
            Self::SamePatch(patch) => {
                let files = |input: &'a Map<String, Value>| {
                    Some(file_patch::files(input.get(patch)?.as_str()?).collect::<Vec<_>>())
                };
                let other_files = files(new).is_none() || files(new) != files(original);
                // Keys that follow from the patch are part of it.
                let says = new.get(patch).and_then(Value::as_str).map(file_patch::one_change);
                let says = says.unwrap_or_default();
                let others = new.iter().filter(|(key, value)| {
                    let known = [original.get(key.as_str()), says.get(key.as_str())];
                    key.as_str() != patch && !known.contains(&Some(value))
                });
                let others = others.map(|(key, _)| key.as_str());
                others.chain(other_files.then_some(patch)).collect()
            }
            Self::Only(keys) => {
                let removed = original.keys().filter(|key| !new.contains_key(*key));
                let kind = std::mem::discriminant::<Value>;
                let changed = new.iter().filter(|(key, value)| match original.get(key.as_str()) {
                    Some(old) if keys.contains(&key.as_str()) => kind(old) != kind(value),
                    old => old != Some(value),
                });
                removed.chain(changed.map(|(key, _)| key)).map(String::as_str).collect()
            }
            Self::Freely | Self::OnlyWithAllow | Self::Never => Vec::new(),
        }
    }
}

/// How injected text gets to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextChannel {
    /// A field of the response, with any verdict.
    Always,
    /// A field of the answer that is lost when the answer denies.
    UnlessDenied,
    /// The response is the text itself; it can have nothing else.
    WholeAnswer,
    /// None at this event.
    None,
}

/// What happens if hooks deny the stop of an agent again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopLoop {
    /// The host handles it, or a stop cannot be denied here.
    Theirs,
    /// It stops after this many denied stops in a row.
    EndsAfter(usize),
    /// It has no limit of its own, so tenter stops after [`StopLoop::ROUNDS`].
    NeverEnds {
        /// A stop was denied before in the same turn.
        again: bool,
    },
    /// The host has reached its own limit: the agent may stop.
    Spent,
}

impl StopLoop {
    /// How often in a row a stop can be denied, if the agent has no limit of its own.
    pub const ROUNDS: usize = 8;
}

/// The capabilities of an agent at one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// A deny. At `orchestrator:complete`: keeping the agent going.
    pub block: Support,
    /// How that ends.
    pub stop_loop: StopLoop,
    /// A deny at `tool:post` keeps the result from the model.
    pub withhold: Support,
    /// The end of the agent's run, with a deny.
    pub stop: Support,
    /// A question that the agent puts to its user.
    pub ask: AskUser,
    /// A permission.
    pub allow: Support,
    /// A changed tool input.
    pub rewrite_input: RewriteInput,
    /// A changed tool result.
    pub rewrite_output: RewriteOutput,
    /// A changed prompt.
    pub rewrite_prompt: Support,
    /// Changed data of an embedder's event.
    pub rewrite_data: Support,
    /// Injected text.
    pub context: ContextChannel,
    /// How much of it at once, in characters as UTF-16 counts them; `None` if no limit is known.
    pub context_limit: Option<usize>,
    /// Injected text that has no channel here waits for the session's next event that has one. Not at an
    /// event after which there is none.
    pub later: Support,
    /// The role a hook asked for.
    pub role: Support,
    /// Text for the user.
    pub message: Support,
}

impl Capabilities {
    /// Everything is supported: a program that embeds tenter, tenter's own agent.
    pub const EVERYTHING: Self = Self {
        block: Support::Yes,
        stop_loop: StopLoop::Theirs,
        withhold: Support::Yes,
        stop: Support::Yes,
        ask: AskUser::Anything,
        allow: Support::Yes,
        rewrite_input: RewriteInput::Freely,
        rewrite_output: RewriteOutput::Freely,
        rewrite_prompt: Support::Yes,
        rewrite_data: Support::Yes,
        context: ContextChannel::Always,
        context_limit: None,
        later: Support::Yes,
        role: Support::Yes,
        message: Support::Yes,
    };

    /// An event that can only be observed.
    pub const NOTHING: Self = Self {
        block: Support::No,
        stop_loop: StopLoop::Theirs,
        withhold: Support::No,
        stop: Support::No,
        ask: AskUser::Never,
        allow: Support::No,
        rewrite_input: RewriteInput::Never,
        rewrite_output: RewriteOutput::Never,
        rewrite_prompt: Support::No,
        rewrite_data: Support::No,
        context: ContextChannel::None,
        context_limit: None,
        later: Support::Yes,
        role: Support::No,
        message: Support::No,
    };
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn merging_agents_keep_removed_keys() {
        let object = |value: Value| value.as_object().cloned().unwrap();
        let original = object(json!({"command": "ls", "description": "lists"}));
        for (capability, new, expected) in [
            (RewriteInput::MergedOver, json!({"command": "ls -a"}), vec!["description"]),
            (RewriteInput::MergedOver, json!({"command": "ls -a", "description": null}), vec![]),
            (RewriteInput::MergedOver, json!({}), vec!["command", "description"]),
            (RewriteInput::Only(&["command"]), json!({"command": "ls -a", "description": "lists"}), vec![]),
            (RewriteInput::Only(&["command"]), json!({"command": "ls -a"}), vec!["description"]),
            (
                RewriteInput::Only(&["command"]),
                json!({"command": ["ls"], "description": "all", "cwd": "/"}),
                vec!["command", "description", "cwd"],
            ),
            (RewriteInput::Freely, json!({}), vec![]),
            (RewriteInput::OnlyWithAllow, json!({}), vec![]),
            (RewriteInput::Never, json!({}), vec![]),
        ] {
            assert_eq!(capability.kept(&original, &object(new.clone())), expected, "{capability:?} {new}");
        }
    }

    #[test]
    fn patch_rewrite_keeps_the_same_files() {
        let object = |value: Value| value.as_object().cloned().unwrap();
        let original = object(json!({"command": "*** Add File: a\n+x", "file_path": "a"}));
        for (new, expected) in [
            (json!({"command": "*** Add File: a\n+y", "file_path": "a"}), vec![]),
            (json!({"command": "*** Add File: a\n+y"}), vec![]),
            (json!({"command": "*** Add File: b\n+x", "file_path": "a"}), vec!["command"]),
            (json!({"command": "*** Update File: a\n+x", "file_path": "a"}), vec!["command"]),
            (json!({"command": 7, "file_path": "a"}), vec!["command"]),
            (json!({"command": "*** Add File: a\n+x", "file_path": "b"}), vec!["file_path"]),
            (json!({"command": "*** Add File: a\n+x", "content": "y"}), vec!["content"]),
            (json!({}), vec!["command"]),
        ] {
            let new = object(new);
            let capability = RewriteInput::SamePatch("command");
            assert_eq!(capability.kept(&original, &new), expected, "{new:?}");
        }
    }
}
