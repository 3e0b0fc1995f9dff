//! Hooks as Claude Code has them, and those who took them over: under each event groups, in each group handlers.

use serde_json::{Value, json};
use tenter_contract::ports::{Entry, IfGone, Installed, SettingsError, Uninstalled, Wiring};
use tenter_contract::template::shell_quote;
use tenter_contract::{AgentName, EventKind, event_names};

use super::{Child, SettingsText, Step, called};

/// Where and how an agent calls us.
pub(crate) struct HookGroups {
    pub(crate) agent: AgentName,
    pub(crate) rows: &'static [Row],
    pub(crate) unit: Unit,
    /// What keeps entries from working, from the settings as they are then.
    pub(crate) warnings: fn(&str, &Value) -> Vec<String>,
}

/// An event we are called at.
pub(crate) struct Row {
    /// The agent's name for it.
    event: &'static str,
    /// How long the agent waits for us, in seconds.
    timeout: u32,
    /// What a deny would do there.
    duty: Duty,
    /// What stands in our handler besides `type`, `command` and `timeout`.
    more: &'static [(&'static str, u32)],
}

impl Row {
    /// The same, with more in the handler.
    pub(crate) const fn with(self, more: &'static [(&'static str, u32)]) -> Self {
        Self { more, ..self }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Duty {
    /// It prevents something.
    Guard,
    /// It comes too late, means something else (at the end of a turn: go on working), or gets in the way of
    /// the agent itself (before compaction).
    Watch,
}

/// A handler of ours where it stands.
pub(crate) struct Placed {
    /// The agent's name for the event.
    pub(crate) event: String,
    /// Which group of the event, and which handler of the group; from 0.
    pub(crate) place: (usize, usize),
    pub(crate) matcher: Option<Value>,
    pub(crate) handler: Value,
}

/// What the agent's `timeout` counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Seconds,
    Milliseconds,
}

pub(crate) const fn row(event: &'static str, timeout: u32, duty: Duty) -> Row {
    Row { event, timeout, duty, more: &[] }
}

const HOOKS: &str = "hooks";

impl HookGroups {
    /// The events, by our names.
    pub(crate) fn events(&self) -> Vec<EventKind> {
        self.rows.iter().filter_map(|row| event_names::find(row.event)).map(|row| row.kind.clone()).collect()
    }

    /// See `AgentInstaller`.
    pub(crate) fn install(
        &self,
        settings: Option<&str>,
        wiring: &Wiring,
    ) -> Result<Installed, SettingsError> {
        let mut edited = SettingsText::parse(settings.unwrap_or_default())?;
        if edited.value().is_none() {
            edited.begin_object();
        }
        let before = self.checked(&edited)?;
        for event in events_of(&before).filter(|event| self.rows.iter().all(|row| row.event != *event)) {
            if self.cut_event(&mut edited, event, &before)?
                && groups(&self.checked(&edited)?, event).is_empty()
            {
                edited.remove(&[Step::Key(HOOKS), Step::Key(event)])?;
            }
        }
        if self.checked(&edited)?.get(HOOKS).is_none() {
            edited.append(&[], Child::Property(HOOKS, "{}"))?;
        }
        for row in self.rows {
            self.settle(&mut edited, row, wiring)?;
        }
        let after = self.checked(&edited)?;
        if self.foreign(&before) != self.foreign(&after) || self.count(&after) != self.rows.len() {
            return Err(SettingsError::WouldDamage);
        }
        let text = edited.into_text();
        let warnings = (self.warnings)(&text, &after);
        Ok(Installed { text, warnings })
    }

    /// See `AgentInstaller`.
    pub(crate) fn uninstall(
        &self,
        settings: &str,
        before: Option<&str>,
    ) -> Result<Uninstalled, SettingsError> {
        if !self.is_installed(settings)? {
            return Ok(Uninstalled::NotInstalled);
        }
        // A text from before that cannot be read, or that has entries of ours in it, settles nothing.
        let known = before.filter(|before| matches!(self.is_installed(before), Ok(false)));
        let text = self.cut(settings, known)?;
        if known.is_some_and(|before| self.rest_after_install(before).as_ref() == Ok(&text)) {
            return Ok(Uninstalled::Restored);
        }
        let nothing_before = match (before, known) {
            (None, _) => true,
            (Some(_), Some(_)) => false,
            // Kept when we were in it already.
            (Some(before), None) => self.cut(before, None).is_ok_and(|before| is_bare(&before)),
        };
        if nothing_before && is_bare(&text) {
            return Ok(Uninstalled::NothingElse);
        }
        Ok(Uninstalled::Cut { text })
    }

    /// See `AgentInstaller`.
    pub(crate) fn entries(&self, settings: &str) -> Result<Vec<Entry>, SettingsError> {
        let settings = SettingsText::parse(settings)?;
        if settings.value().is_none() {
            return Ok(Vec::new());
        }
        let value = self.checked(&settings)?;
        let entries = events_of(&value).flat_map(|event| {
            let handlers = groups(&value, event).iter().flat_map(handlers);
            handlers.filter_map(|handler| {
                let line = line(handler)?;
                Some(Entry { event: event.to_owned(), program: called(&line, &self.agent)?, line })
            })
        });
        Ok(entries.collect())
    }

    /// Our handlers, each with the places of its group and of itself.
    pub(crate) fn placed(&self, settings: &str) -> Result<Vec<Placed>, SettingsError> {
        let settings = SettingsText::parse(settings)?;
        let value = if settings.value().is_some() { self.checked(&settings)? } else { json!({}) };
        let mut placed = Vec::new();
        for event in events_of(&value) {
            for (group_at, group) in groups(&value, event).iter().enumerate() {
                for (handler_at, handler) in handlers(group).iter().enumerate() {
                    if self.is_ours(handler) {
                        placed.push(Placed {
                            event: event.to_owned(),
                            place: (group_at, handler_at),
                            matcher: group.get("matcher").cloned(),
                            handler: handler.clone(),
                        });
                    }
                }
            }
        }
        Ok(placed)
    }

    /// See `AgentInstaller`.
    pub(crate) fn is_installed(&self, settings: &str) -> Result<bool, SettingsError> {
        let settings = SettingsText::parse(settings)?;
        Ok(settings.value().is_some() && self.count(&self.checked(&settings)?) > 0)
    }

    /// See `AgentInstaller`.
    pub(crate) fn in_the_way(&self, settings: &str) -> Result<Vec<String>, SettingsError> {
        let parsed = SettingsText::parse(settings)?;
        if parsed.value().is_none() {
            return Ok(Vec::new());
        }
        Ok((self.warnings)(settings, &self.checked(&parsed)?))
    }

    /// What would be left of a text if we were put into it and taken out again.
    fn rest_after_install(&self, before: &str) -> Result<String, SettingsError> {
        let any = Wiring { program: "/tenter".to_owned(), if_gone: IfGone::GoOn };
        self.cut(&self.install(Some(before), &any)?.text, Some(before))
    }

    /// The settings as a value, with the types we build on.
    fn checked(&self, settings: &SettingsText) -> Result<Value, SettingsError> {
        let value = settings.value().unwrap_or_default();
        let wrong = |what: String, expected| Err(SettingsError::WrongType { what, expected });
        if !value.is_object() {
            return wrong("what stands in it".to_owned(), "an object, `{ … }`");
        }
        let Some(hooks) = value.get(HOOKS) else { return Ok(value) };
        let Some(hooks) = hooks.as_object() else {
            return wrong("`hooks`".to_owned(), "an object, `{ … }`");
        };
        match hooks.iter().find(|(event, groups)| {
            !groups.is_array() && self.rows.iter().any(|row| row.event == event.as_str())
        }) {
            Some((event, _)) => wrong(format!("`hooks.{event}`"), "a list, `[ … ]`"),
            None => Ok(value),
        }
    }

    fn is_ours(&self, handler: &Value) -> bool {
        self.program(handler).is_some()
    }

    /// The program a handler calls, if it calls us.
    fn program(&self, handler: &Value) -> Option<String> {
        called(&line(handler)?, &self.agent)
    }

    /// How many entries are ours.
    fn count(&self, settings: &Value) -> usize {
        let groups = events_of(settings).flat_map(|event| groups(settings, event));
        groups.flat_map(handlers).filter(|handler| self.is_ours(handler)).count()
    }

    /// Puts our entry under an event, once and as it should be.
    fn settle(&self, settings: &mut SettingsText, row: &Row, wiring: &Wiring) -> Result<(), SettingsError> {
        let value = self.checked(settings)?;
        let group = self.entry(row, wiring);
        let groups = groups(&value, row.event);
        let concerned: Vec<usize> = (0..groups.len())
            .filter(|index| handlers(&groups[*index]).iter().any(|handler| self.is_ours(handler)))
            .collect();
        if let [index] = concerned.as_slice() {
            let found = &groups[*index];
            if *found == group {
                return Ok(());
            }
            if handlers(found).len() == 1 && takes_everything(found) {
                let path = [Step::Key(HOOKS), Step::Key(row.event), Step::Item(*index)];
                return settings.replace(&path, &written(&group));
            }
        }
        self.cut_event(settings, row.event, &value)?;
        if value.get(HOOKS).and_then(|hooks| hooks.get(row.event)).is_some() {
            settings.append(&[Step::Key(HOOKS), Step::Key(row.event)], Child::Element(&written(&group)))
        } else {
            let list = format!("[{}]", written(&group));
            settings.append(&[Step::Key(HOOKS)], Child::Property(row.event, &list))
        }
    }

    /// The group we put under an event.
    fn entry(&self, row: &Row, wiring: &Wiring) -> Value {
        let timeout = match self.unit {
            Unit::Seconds => row.timeout,
            Unit::Milliseconds => row.timeout * 1000,
        };
        let mut handler =
            json!({"type": "command", "command": self.command(row, wiring), "timeout": timeout});
        for (key, value) in row.more {
            handler[*key] = Value::from(*value);
        }
        json!({"hooks": [handler]})
    }

    /// One line that any shell a user may have takes: no braces, no functions.
    fn command(&self, row: &Row, wiring: &Wiring) -> String {
        let program = shell_quote(&wiring.program);
        let here = format!("[ -x {program} ] ||");
        let gone = match (wiring.if_gone, row.duty) {
            (IfGone::Deny, Duty::Guard) => {
                let reason = shell_quote(&format!(
                    "tenter is gone from {}: install it again, or take its entries out of the settings",
                    wiring.program
                ));
                format!("{here} echo {reason} >&2; {here} exit 2")
            }
            (IfGone::GoOn, Duty::Guard) | (IfGone::GoOn | IfGone::Deny, Duty::Watch) => {
                format!("{here} exit 0")
            }
        };
        let verb = if wiring.program.ends_with("/tenter-hook") { "" } else { "hook " };
        format!("{gone}; exec {program} {verb}{} --within {}s", self.agent, row.timeout)
    }

    /// The text without our entries. What they leave empty goes too, unless it was there before.
    fn cut(&self, settings: &str, before: Option<&str>) -> Result<String, SettingsError> {
        let mut edited = SettingsText::parse(settings)?;
        let value = self.checked(&edited)?;
        let before = before.and_then(|before| SettingsText::parse(before).ok()?.value()).unwrap_or_default();
        for event in events_of(&value) {
            let cut = self.cut_event(&mut edited, event, &value)?;
            let was_there = before.get(HOOKS).is_some_and(|hooks| hooks.get(event).is_some());
            if cut && !was_there && groups(&self.checked(&edited)?, event).is_empty() {
                edited.remove(&[Step::Key(HOOKS), Step::Key(event)])?;
            }
        }
        let after = self.checked(&edited)?;
        if before.get(HOOKS).is_none() && after.get(HOOKS) == Some(&json!({})) {
            edited.remove(&[Step::Key(HOOKS)])?;
        }
        let after = self.checked(&edited)?;
        if self.foreign(&value) != self.foreign(&after) || self.count(&after) > 0 {
            return Err(SettingsError::WouldDamage);
        }
        Ok(edited.into_text())
    }

    /// Takes our entries out of an event's list, which stands in `value` as in the text; whether there were any.
    fn cut_event(
        &self,
        settings: &mut SettingsText,
        event: &str,
        value: &Value,
    ) -> Result<bool, SettingsError> {
        let mut cut = false;
        for (index, group) in groups(value, event).iter().enumerate().rev() {
            let place = [Step::Key(HOOKS), Step::Key(event), Step::Item(index)];
            let handlers = handlers(group);
            let ours: Vec<usize> =
                (0..handlers.len()).filter(|index| self.is_ours(&handlers[*index])).collect();
            cut |= !ours.is_empty();
            if ours.len() == handlers.len() && !ours.is_empty() {
                settings.remove(&place)?;
                continue;
            }
            for handler in ours.into_iter().rev() {
                settings.remove(&[&place[..], &[Step::Key(HOOKS), Step::Item(handler)]].concat())?;
            }
        }
        Ok(cut)
    }

    /// Everything that is not ours. Empty lists do not count: they say nothing, and ours may have been in them.
    fn foreign(&self, settings: &Value) -> Value {
        let mut settings = settings.clone();
        if let Some(hooks) = settings.get_mut(HOOKS).and_then(Value::as_object_mut) {
            for groups in hooks.values_mut().filter_map(Value::as_array_mut) {
                for group in groups.iter_mut() {
                    let handlers = group.get_mut(HOOKS).and_then(Value::as_array_mut);
                    let Some(handlers) =
                        handlers.filter(|handlers| handlers.iter().any(|handler| self.is_ours(handler)))
                    else {
                        continue;
                    };
                    handlers.retain(|handler| !self.is_ours(handler));
                    if handlers.is_empty() {
                        *group = Value::Null;
                    }
                }
                groups.retain(|group| !group.is_null());
            }
            hooks.retain(|_, groups| groups.as_array().is_none_or(|groups| !groups.is_empty()));
            if hooks.is_empty() {
                settings.as_object_mut().map(|settings| settings.shift_remove(HOOKS));
            }
        }
        settings
    }
}

fn is_bare(text: &str) -> bool {
    SettingsText::parse(text).is_ok_and(|text| text.is_bare())
}

/// The events under which something stands.
fn events_of(settings: &Value) -> impl Iterator<Item = &str> {
    settings
        .get(HOOKS)
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(|hooks| hooks.keys().map(String::as_str))
}

/// The groups of an event: `{ "matcher": …, "hooks": [ … ] }`.
fn groups<'v>(settings: &'v Value, event: &str) -> &'v [Value] {
    let groups = settings.get(HOOKS).and_then(|hooks| hooks.get(event)).and_then(Value::as_array);
    groups.map_or(&[], Vec::as_slice)
}

/// What runs in a group.
fn handlers(group: &Value) -> &[Value] {
    group.get(HOOKS).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// What a handler has run, as a line for a shell.
fn line(handler: &Value) -> Option<String> {
    let command = handler.get("command").and_then(Value::as_str)?;
    Some(match handler.get("args").and_then(Value::as_array) {
        None => command.to_owned(),
        // Without a shell: the program and its arguments.
        Some(arguments) => {
            let words = arguments.iter().filter_map(Value::as_str);
            std::iter::once(command).chain(words).map(shell_quote).collect::<Vec<_>>().join(" ")
        }
    })
}

/// Whether a group has no matcher, or one that matches everything.
fn takes_everything(group: &Value) -> bool {
    group.get("matcher").is_none_or(|matcher| matcher == "" || matcher == "*")
}

/// A group on one line: a line per event is a change that can be read.
fn written(group: &Value) -> String {
    let handlers: Vec<String> = handlers(group)
        .iter()
        .map(|handler| {
            let fields = handler.as_object().into_iter().flatten();
            let fields: Vec<String> =
                fields.map(|(key, value)| format!("{}: {value}", Value::from(key.as_str()))).collect();
            format!("{{ {} }}", fields.join(", "))
        })
        .collect();
    format!("{{ \"{HOOKS}\": [{}] }}", handlers.join(", "))
}
