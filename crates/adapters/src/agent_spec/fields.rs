//! Reading the fields of a payload by their names.

use std::time::Duration;

use serde_json::{Map, Value};

/// The keys of each field, in the order in which they count. A key that begins with `/` is a path into the payload.
pub(crate) struct FieldNames {
    pub(crate) session: &'static [&'static str],
    pub(crate) cwd: &'static [&'static str],
    /// The project, where no environment variable names it.
    pub(crate) project_root: &'static [&'static str],
    pub(crate) agent_id: &'static [&'static str],
    pub(crate) agent_type: &'static [&'static str],
    pub(crate) turn: &'static [&'static str],
    pub(crate) source: &'static [&'static str],
    pub(crate) status: &'static [&'static str],
    pub(crate) reason: &'static [&'static str],
    pub(crate) duration: &'static [&'static str],
    pub(crate) prompt: &'static [&'static str],
    pub(crate) message: &'static [&'static str],
    pub(crate) file: &'static [&'static str],
    pub(crate) tool_name: &'static [&'static str],
    pub(crate) tool_input: &'static [&'static str],
    pub(crate) tool_output: &'static [&'static str],
    pub(crate) call_id: &'static [&'static str],
    /// The key under which the agent nests the fields of an event, if it does.
    pub(crate) nested_under: Option<&'static str>,
}

impl FieldNames {
    pub(crate) const NONE: Self = Self {
        session: &[],
        cwd: &[],
        project_root: &[],
        agent_id: &[],
        agent_type: &[],
        turn: &[],
        source: &[],
        status: &[],
        reason: &[],
        duration: &[],
        prompt: &[],
        message: &[],
        file: &[],
        tool_name: &[],
        tool_input: &[],
        tool_output: &[],
        call_id: &[],
        nested_under: None,
    };

    /// The names that Claude Code introduced and most agents share.
    pub(crate) const CLAUDE: Self = Self {
        session: &["session_id"],
        cwd: &["cwd"],
        agent_id: &["agent_id"],
        agent_type: &["agent_type"],
        source: &["source", "trigger", "notification_type"],
        reason: &["reason"],
        prompt: &["prompt"],
        tool_name: &["tool_name"],
        tool_input: &["tool_input"],
        tool_output: &["tool_response"],
        call_id: &["tool_use_id"],
        ..Self::NONE
    };

    /// Every name that the agents known from documents use. No two of them mean different things by one name.
    pub(crate) const DOCUMENTED: Self = Self {
        session: &["session_id", "conversation_id", "conversationId", "trajectory_id"],
        cwd: &["cwd", "working_dir", "/workspace_roots/0", "/workspacePaths/0"],
        project_root: &["/workspace_roots/0", "/workspacePaths/0"],
        agent_id: &["agent_id", "subagent_id"],
        agent_type: &["agent_type", "subagent_type", "agent_name", "task_name"],
        turn: &["generation_id", "execution_id"],
        status: &["status", "final_status", "agent_stop_cause", "terminationReason"],
        duration: &["duration_ms", "duration", "session_duration_ms"],
        prompt: &["prompt", "user_prompt", "task"],
        message: &["message", "notification_message", "body", "text", "response", "summary", "task_result"],
        tool_output: &["tool_response", "tool_output", "output", "result_json", "mcp_result", "tool_result"],
        call_id: &["tool_use_id", "tool_call_id"],
        ..Self::CLAUDE
    };
}

/// A payload and its nested part. A field of an unexpected type counts as absent: a derived reader would refuse the
/// whole payload for it, and no guard would see the call.
pub(crate) struct Payload<'a> {
    pub(crate) top: &'a Map<String, Value>,
    pub(crate) nested: Option<&'a Map<String, Value>>,
}

impl<'a> Payload<'a> {
    fn find<T>(&self, keys: &[&str], read: impl Fn(&'a Value) -> Option<T>) -> Option<T> {
        let inside = |map: &'a Map<String, Value>| keys.iter().find_map(|key| read(get(map, key)?));
        inside(self.top).or_else(|| self.nested.and_then(inside))
    }

    pub(crate) fn value(&self, keys: &[&str]) -> Option<&'a Value> {
        self.find(keys, Some)
    }

    pub(crate) fn text(&self, keys: &[&str]) -> Option<&'a str> {
        self.find(keys, Value::as_str)
    }

    pub(crate) fn word(&self, keys: &[&str]) -> Option<&'a str> {
        self.find(keys, |value| value.as_str().filter(|word| !word.is_empty()))
    }

    pub(crate) fn flag(&self, key: &str) -> Option<bool> {
        self.top.get(key).and_then(Value::as_bool)
    }

    /// Whole milliseconds of a number that may have a fraction.
    pub(super) fn milliseconds(&self, keys: &[&str]) -> Option<u64> {
        let value = self.value(keys)?;
        value.as_u64().or_else(|| {
            let duration = Duration::try_from_secs_f64(value.as_f64()? / 1000.0).ok()?;
            u64::try_from(duration.as_millis()).ok()
        })
    }
}

fn get<'a>(map: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    match key.strip_prefix('/').and_then(|path| path.split_once('/')) {
        None => map.get(key),
        Some((first, _)) => map.get(first)?.pointer(&key[first.len() + 1..]),
    }
}
