//! Identifies a call that may reach tenter more than once.

use serde_json::{Map, Value};
use tenter_contract::ports::CallIdentity;
use tenter_contract::{CanonicalPath, Event, Facts, OnFailure, SessionId, ToolCall};
use tenter_kernel::matching::concerns;

use crate::{ActiveHooks, OuterHook};

/// Everything that makes two requests one call. Its id is not enough: no decision may be used for another input,
/// another result, or under other hooks. A request that a hook makes is not the one that the hook was started for,
/// or both would wait for each other.
#[inline(never)]
pub(crate) fn identify(
    event: &Event,
    hooks: &ActiveHooks,
    outer: Option<&OuterHook>,
) -> Option<(SessionId, CallIdentity)> {
    let (session, tool) = (event.session.clone()?, event.tool.as_ref()?);
    tool.call_id.as_ref()?;
    let mut identity = Fields::default();
    identity.add(event.agent.as_str());
    identity.add(event.kind.as_str());
    for field in [&event.agent_id, &event.cwd, &event.project_root] {
        identity.add_option(field.as_deref());
    }
    let error = event.error.as_ref();
    identity.add_option(error.and_then(|error| error.kind.as_deref()));
    identity.add_option(error.map(|error| error.message.as_str()));
    identity.add_tool(tool);
    identity.add_facts(&event.facts);
    for hook in hooks.for_event(event) {
        // Of a hook that may match after a rewrite, its place is enough.
        identity.add(&hook.id.address());
        identity.add(&hook.source.file);
        identity.add(&hook.source.line.to_string());
        if concerns(hook, event) {
            identity.add(&hook.definition());
            let OnFailure { timeout, error, missing } = hook.on_failure;
            for policy in [timeout, error, missing] {
                identity.add(policy.as_str());
            }
        }
    }
    identity.add_option(outer.map(|hook| hook.run.as_str()));
    identity.add_option(outer.and_then(|hook| hook.session.as_deref()));
    Some((session, CallIdentity(identity.0)))
}

/// Fields, one after another and each with its length, so that no two lists of fields look alike.
#[derive(Default)]
struct Fields(String);

impl Fields {
    fn add(&mut self, field: &str) {
        self.0.push_str(&field.len().to_string());
        self.0.push(':');
        self.0.push_str(field);
    }

    fn add_option(&mut self, field: Option<&str>) {
        match field {
            Some(field) => self.add(field),
            None => self.0.push('-'),
        }
    }

    fn add_list<'t>(&mut self, fields: impl ExactSizeIterator<Item = &'t str>) {
        self.0.push_str(&fields.len().to_string());
        self.0.push('[');
        fields.for_each(|field| self.add(field));
    }

    fn add_tool(&mut self, tool: &ToolCall) {
        let json = |input: &Map<String, Value>| serde_json::to_string(input).unwrap_or_default();
        let ToolCall { name, native_name, kind, input, original_input, output, stdout, stderr, .. } = tool;
        self.add(name);
        self.add(native_name);
        self.add(kind.as_str());
        self.add(&json(input));
        self.add_option(original_input.as_ref().map(json).as_deref());
        self.add_option(output.as_ref().map(Value::to_string).as_deref());
        self.add_option(stdout.as_deref());
        self.add_option(stderr.as_deref());
        self.add_option(tool.exit_code.map(|code| code.to_string()).as_deref());
        self.add_option(tool.call_id.as_deref());
        self.add_list(tool.paths.iter().map(String::as_str));
        self.add_option(tool.command.as_deref());
        self.add_option(tool.patch_key.as_deref());
    }

    fn add_facts(&mut self, facts: &Facts) {
        let Facts { branch, variables, files, paths, folders } = facts;
        self.add_option(branch.as_deref());
        let pairs: Vec<&str> = variables.iter().flat_map(|(name, value)| [name.as_str(), value]).collect();
        self.add_list(pairs.into_iter());
        self.add_list(files.iter().map(String::as_str));
        paths.iter().chain(folders).for_each(|path| self.add_path(path));
    }

    fn add_path(&mut self, path: &CanonicalPath) {
        let CanonicalPath { written, names, aliases, unknown } = path;
        self.add(written);
        self.add_list(names.iter().map(String::as_str));
        self.add_list(aliases.iter().map(String::as_str));
        self.0.push(if *unknown { '?' } else { '.' });
    }
}
