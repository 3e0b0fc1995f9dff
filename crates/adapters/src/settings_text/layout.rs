//! How agents lay out hooks in their settings: where the lists of the events stand, and what stands in them.

use serde_json::{Map, Value, json};

use super::Step;
use super::rows::Denies;

/// One way of laying out.
pub(crate) struct Layout {
    /// The key under which the events stand; none if they stand at the top.
    pub(crate) root: Option<&'static str>,
    pub(crate) form: Form,
    /// The key of the time a handler may take, if there is one.
    pub(crate) timeout: Option<&'static str>,
    /// What must stand beside the hooks for the file to count, as JSON.
    pub(crate) beside: &'static [(&'static str, &'static str)],
    /// What is printed if the program is gone, for agents that do not take silence.
    pub(crate) if_gone: &'static str,
    /// What denies if it is gone and must be missed.
    pub(crate) denies: Denies,
    /// The variable in which an entry tells its event, for agents whose payloads do not.
    pub(crate) tells_event: Option<&'static str>,
    /// Whether an entry tells its scope, for agents that run those of two scopes beside each other and whose calls have
    /// no id by which the second could be known.
    pub(crate) tells_scope: bool,
}

/// What stands in the list of an event.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Groups, with a matcher each, and handlers in each group.
    Groups,
    /// Groups under these events, and handlers under the others.
    GroupsUnder(&'static [&'static str]),
    /// Handlers, which need not say that they are commands.
    Flat,
}

pub(super) const HOOKS: &str = "hooks";

impl Layout {
    /// As Claude Code has them, and those who took them over.
    pub(crate) const CLAUDE: Self = Self {
        root: Some(HOOKS),
        form: Form::Groups,
        timeout: Some("timeout"),
        beside: &[],
        if_gone: "",
        denies: Denies::ByExitCode,
        tells_event: None,
        tells_scope: false,
    };

    /// Without groups.
    pub(crate) const FLAT: Self = Self { form: Form::Flat, ..Self::CLAUDE };

    /// The object of the events.
    pub(super) fn hooks<'v>(&self, settings: &'v Value) -> Option<&'v Value> {
        self.root.map_or(Some(settings), |root| settings.get(root))
    }

    /// The events under which something stands.
    pub(super) fn events<'v>(&self, settings: &'v Value) -> impl Iterator<Item = &'v str> {
        let events = self.hooks(settings).and_then(Value::as_object).into_iter();
        events.flat_map(|hooks| hooks.keys().map(String::as_str))
    }

    /// What stands under an event: groups, or handlers that are groups of their own.
    pub(super) fn groups<'v>(&self, settings: &'v Value, event: &str) -> &'v [Value] {
        let groups = self.hooks(settings).and_then(|hooks| hooks.get(event)).and_then(Value::as_array);
        groups.map_or(&[], Vec::as_slice)
    }

    /// What runs in a group of an event.
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

    /// Where the list of an event stands.
    pub(super) fn place<'a>(&self, event: &'a str) -> Vec<Step<'a>> {
        self.root.into_iter().chain([event]).map(Step::Key).collect()
    }

    /// A handler of ours.
    pub(super) fn handler(&self, command: &str, timeout: u32) -> Value {
        let mut handler = Map::new();
        if self.form != Form::Flat {
            handler.insert("type".to_owned(), json!("command"));
        }
        handler.insert("command".to_owned(), json!(command));
        handler.extend(self.timeout.map(|key| (key.to_owned(), json!(timeout))));
        Value::Object(handler)
    }

    /// What stands in the list of an event for this handler.
    pub(super) fn group(&self, event: &str, handler: Value) -> Value {
        if self.has_groups(event) { json!({HOOKS: [handler]}) } else { handler }
    }

    /// A group on one line: a line per event is a change that can be read.
    pub(super) fn written(&self, event: &str, group: &Value) -> String {
        let handlers: Vec<String> = self.handlers(event, group).iter().map(handler_on_a_line).collect();
        let handlers = handlers.join(", ");
        if self.has_groups(event) { format!("{{ \"{HOOKS}\": [{handlers}] }}") } else { handlers }
    }

    /// Leaves only these handlers, and nothing of what others leave empty.
    pub(super) fn retain(&self, settings: &mut Value, keep: &dyn Fn(&Value) -> bool) {
        let hooks = match self.root {
            Some(root) => settings.get_mut(root),
            None => Some(&mut *settings),
        };
        let Some(hooks) = hooks.and_then(Value::as_object_mut) else { return };
        for (event, groups) in hooks.iter_mut() {
            let Some(groups) = groups.as_array_mut() else { continue };
            if self.has_groups(event) {
                groups.retain_mut(|group| leaves_something(group, keep));
            } else {
                groups.retain(keep);
            }
        }
        hooks.retain(|_, groups| groups.as_array().is_none_or(|groups| !groups.is_empty()));
        if let (true, Some(root)) = (hooks.is_empty(), self.root) {
            settings.as_object_mut().map(|settings| settings.shift_remove(root));
        }
    }

    /// The keys that stand beside the hooks for our sake: they were not there before, and say what we say. Where
    /// nothing is known of before, they are needed as long as there are hooks.
    pub(super) fn not_needed(&self, before: &Value, after: &Value) -> Vec<&'static str> {
        let empty = self.root.is_none_or(|root| after.get(root).is_none());
        let ours = |(key, value): &&(&'static str, &'static str)| {
            let said = says(after, key, value);
            said && before.get(*key).is_none() && (before.is_object() || empty)
        };
        self.beside.iter().filter(ours).map(|(key, _)| *key).collect()
    }
}

/// Whether this value, written as JSON, stands under a key.
pub(super) fn says(settings: &Value, key: &str, value: &str) -> bool {
    serde_json::from_str::<Value>(value).is_ok_and(|value| settings.get(key) == Some(&value))
}

/// Takes handlers out of a group; whether it still says something, or never was about what is kept.
fn leaves_something(group: &mut Value, keep: &dyn Fn(&Value) -> bool) -> bool {
    let Some(handlers) = group.get_mut(HOOKS).and_then(Value::as_array_mut) else { return true };
    let all = handlers.len();
    handlers.retain(keep);
    handlers.len() == all || !handlers.is_empty()
}

fn handler_on_a_line(handler: &Value) -> String {
    let fields = handler.as_object().into_iter().flatten();
    let fields: Vec<String> =
        fields.map(|(key, value)| format!("{}: {value}", Value::from(key.as_str()))).collect();
    format!("{{ {} }}", fields.join(", "))
}
