//! How agents lay out hooks in JSON settings: the place of the lists of the events, and their items.

use serde_json::{Map, Value, json};

use tenter_contract::ports::{Entry, Installed, SettingsError, Uninstalled, Wiring};

use super::{DenyIfGone, EntryFormat, HookGroups, JsonRules};
use crate::agent_spec::AgentSpec;
use tenter_json_edit::Step;

pub(crate) struct Layout {
    /// The key of the object of the events; none if that is the whole file.
    pub(crate) root: Option<&'static str>,
    pub(crate) form: Form,
    /// The key of a handler's timeout, if it has one.
    pub(crate) timeout: Option<&'static str>,
    /// Whether that counts milliseconds.
    pub(crate) milliseconds: bool,
    /// A key and a number for the handlers of these events.
    pub(crate) extra: (&'static [&'static str], &'static str, u32),
    /// Other keys that the file needs, as JSON.
    pub(crate) required: &'static [(&'static str, &'static str)],
    /// The output if the program is gone, for agents that do not take silence.
    pub(crate) if_gone: &'static str,
    /// How that is denied under `--strict`.
    pub(crate) deny_if_gone: DenyIfGone,
    /// The variable in which an entry names its event, for agents whose payloads do not.
    pub(crate) event_variable: Option<&'static str>,
    /// Whether an entry names its scope, for agents that run those of two scopes and whose calls have no id by which
    /// the second could be known.
    pub(crate) names_scope: bool,
    pub(crate) json: JsonRules,
    /// Other reasons for which the agent would not run the entries, from the text and its value.
    pub(crate) warnings: fn(&str, &Value) -> Vec<String>,
}

/// The items in the list of an event.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Groups of handlers, with a matcher each.
    Groups,
    /// Groups under these events, and handlers under the others.
    GroupsUnder(&'static [&'static str]),
    /// Handlers without a `type`.
    Flat,
}

pub(super) const HOOKS: &str = "hooks";

impl Layout {
    /// Claude Code's, which many agents took over.
    pub(crate) const CLAUDE: Self = Self {
        root: Some(HOOKS),
        form: Form::Groups,
        timeout: Some("timeout"),
        milliseconds: false,
        extra: (&[], "", 0),
        required: &[],
        if_gone: "",
        deny_if_gone: DenyIfGone::ExitCode,
        event_variable: None,
        names_scope: false,
        json: JsonRules::Strict,
        warnings: |_, _| Vec::new(),
    };

    /// Without groups.
    pub(crate) const FLAT: Self = Self { form: Form::Flat, ..Self::CLAUDE };

    pub(super) fn hooks<'v>(&self, settings: &'v Value) -> Option<&'v Value> {
        self.root.map_or(Some(settings), |root| settings.get(root))
    }

    pub(super) fn events<'v>(&self, settings: &'v Value) -> impl Iterator<Item = &'v str> {
        let events = self.hooks(settings).and_then(Value::as_object).into_iter();
        events.flat_map(|hooks| hooks.keys().map(String::as_str))
    }

    /// The groups of an event; a handler without a group counts as one.
    pub(super) fn groups<'v>(&self, settings: &'v Value, event: &str) -> &'v [Value] {
        let groups = self.hooks(settings).and_then(|hooks| hooks.get(event)).and_then(Value::as_array);
        groups.map_or(&[], Vec::as_slice)
    }

    pub(super) fn handlers<'v>(&self, event: &str, group: &'v Value) -> &'v [Value] {
        if self.has_groups(event) {
            group.get(HOOKS).and_then(Value::as_array).map_or(&[], Vec::as_slice)
        } else {
            std::slice::from_ref(group)
        }
    }

    fn has_groups(&self, event: &str) -> bool {
        match self.form {
            Form::Groups => true,
            Form::GroupsUnder(events) => events.contains(&event),
            Form::Flat => false,
        }
    }

    pub(super) fn path<'a>(&self, event: &'a str) -> Vec<Step<'a>> {
        self.root.into_iter().chain([event]).map(Step::Key).collect()
    }

    pub(super) fn handler(&self, event: &str, command: &str, seconds: u32) -> Value {
        let mut handler = Map::new();
        if self.form != Form::Flat {
            handler.insert("type".to_owned(), json!("command"));
        }
        handler.insert("command".to_owned(), json!(command));
        let timeout = if self.milliseconds { seconds * 1000 } else { seconds };
        handler.extend(self.timeout.map(|key| (key.to_owned(), json!(timeout))));
        let (events, key, value) = self.extra;
        if events.contains(&event) {
            handler.insert(key.to_owned(), json!(value));
        }
        Value::Object(handler)
    }

    /// The item for this handler in the list of an event.
    pub(super) fn group(&self, event: &str, handler: Value) -> Value {
        if self.has_groups(event) { json!({HOOKS: [handler]}) } else { handler }
    }

    /// A group on one line, so that a diff shows one line per event.
    pub(super) fn write(&self, event: &str, group: &Value) -> String {
        let handlers: Vec<String> = self.handlers(event, group).iter().map(write_handler).collect();
        let handlers = handlers.join(", ");
        if self.has_groups(event) { format!("{{ \"{HOOKS}\": [{handlers}] }}") } else { handlers }
    }

    /// Keeps only these handlers, and drops lists that become empty.
    pub(super) fn retain(&self, settings: &mut Value, keep: &dyn Fn(&Value) -> bool) {
        let hooks = match self.root {
            Some(root) => settings.get_mut(root),
            None => Some(&mut *settings),
        };
        let Some(hooks) = hooks.and_then(Value::as_object_mut) else { return };
        for (event, groups) in hooks.iter_mut() {
            let Some(groups) = groups.as_array_mut() else { continue };
            if self.has_groups(event) {
                groups.retain_mut(|group| retain_handlers(group, keep));
            } else {
                groups.retain(keep);
            }
        }
        hooks.retain(|_, groups| groups.as_array().is_none_or(|groups| !groups.is_empty()));
        if let (true, Some(root)) = (hooks.is_empty(), self.root) {
            settings.as_object_mut().map(|settings| settings.shift_remove(root));
        }
    }

    /// The required keys that we added: they were not there before and have our value. If the text from before is not
    /// known, they stay as long as there are hooks.
    pub(super) fn unneeded_keys(&self, before: &Value, after: &Value) -> Vec<&'static str> {
        let empty = self.root.is_none_or(|root| after.get(root).is_none());
        let ours = |(key, value): &&(&'static str, &'static str)| {
            let same = has_value(after, key, value);
            same && before.get(*key).is_none() && (before.is_object() || empty)
        };
        self.required.iter().filter(ours).map(|(key, _)| *key).collect()
    }
}

impl EntryFormat for Layout {
    fn install(
        &self,
        agent: &AgentSpec,
        settings: Option<&str>,
        wiring: &Wiring,
    ) -> Result<Installed, SettingsError> {
        HookGroups { agent, layout: self }.install(settings, wiring)
    }

    fn uninstall(
        &self,
        agent: &AgentSpec,
        settings: &str,
        before: Option<&str>,
    ) -> Result<Uninstalled, SettingsError> {
        HookGroups { agent, layout: self }.uninstall(settings, before)
    }

    fn entries(&self, agent: &AgentSpec, settings: &str) -> Result<Vec<Entry>, SettingsError> {
        HookGroups { agent, layout: self }.entries(settings)
    }

    fn warnings(&self, agent: &AgentSpec, settings: &str) -> Result<Vec<String>, SettingsError> {
        HookGroups { agent, layout: self }.warnings(settings)
    }
}

/// Whether a key has this value, written as JSON.
pub(super) fn has_value(settings: &Value, key: &str, value: &str) -> bool {
    serde_json::from_str::<Value>(value).is_ok_and(|value| settings.get(key) == Some(&value))
}

/// Keeps these handlers of a group; false if that leaves none of some.
fn retain_handlers(group: &mut Value, keep: &dyn Fn(&Value) -> bool) -> bool {
    let Some(handlers) = group.get_mut(HOOKS).and_then(Value::as_array_mut) else { return true };
    let all = handlers.len();
    handlers.retain(keep);
    handlers.len() == all || !handlers.is_empty()
}

fn write_handler(handler: &Value) -> String {
    let fields = handler.as_object().into_iter().flatten();
    let fields: Vec<String> =
        fields.map(|(key, value)| format!("{}: {value}", Value::from(key.as_str()))).collect();
    format!("{{ {} }}", fields.join(", "))
}
