//! Our entries in the settings of agents that have a list of hooks under each event.

use serde_json::{Value, json};
use tenter_contract::ports::{Entry, IfGone, Installed, Scope, SettingsError, Uninstalled, Wiring};
use tenter_contract::template::shell_quote;
use tenter_contract::{AgentName, EventKind, event_names};

use super::layout::says;
use super::rows::Call;
use super::{Child, Layout, Row, SettingsText, Step, called};

/// Where and how an agent calls us.
pub(crate) struct HookGroups {
    pub(crate) agent: AgentName,
    pub(crate) rows: &'static [Row],
    pub(crate) unit: Unit,
    pub(crate) layout: Layout,
    /// What keeps entries from working, from the settings as they are then.
    pub(crate) warnings: fn(&str, &Value) -> Vec<String>,
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
        let layout = &self.layout;
        for event in layout.events(&before).filter(|event| self.rows.iter().all(|row| row.event != *event)) {
            if self.cut_event(&mut edited, event, &before)?
                && layout.groups(&self.checked(&edited)?, event).is_empty()
            {
                edited.remove(&layout.place(event))?;
            }
        }
        for (key, value) in layout.beside.iter().filter(|(key, _)| before.get(key).is_none()) {
            edited.append(&[], Child::Property(key, value))?;
        }
        if let Some(root) = layout.root.filter(|root| before.get(root).is_none()) {
            edited.append(&[], Child::Property(root, "{}"))?;
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
        let layout = &self.layout;
        let entries = layout.events(&value).flat_map(|event| {
            let handlers =
                layout.groups(&value, event).iter().flat_map(move |group| layout.handlers(event, group));
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
        for event in self.layout.events(&value) {
            for (group_at, group) in self.layout.groups(&value, event).iter().enumerate() {
                for (handler_at, handler) in self.layout.handlers(event, group).iter().enumerate() {
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
        let any = Wiring {
            program: "/tenter".to_owned(),
            if_gone: IfGone::GoOn,
            scope: Scope::User,
            installation: None,
        };
        self.cut(&self.install(Some(before), &any)?.text, Some(before))
    }

    /// The settings as a value, with the types we build on.
    fn checked(&self, settings: &SettingsText) -> Result<Value, SettingsError> {
        let value = settings.value().unwrap_or_default();
        let wrong = |what: String, expected| Err(SettingsError::WrongType { what, expected });
        if !value.is_object() {
            return wrong("what stands in it".to_owned(), "an object, `{ … }`");
        }
        let Some(hooks) = self.layout.hooks(&value) else { return Ok(value) };
        let root = self.layout.root;
        let Some(hooks) = hooks.as_object() else {
            return wrong(format!("`{}`", root.unwrap_or_default()), "an object, `{ … }`");
        };
        match hooks.iter().find(|(event, groups)| {
            !groups.is_array() && self.rows.iter().any(|row| row.event == event.as_str())
        }) {
            Some((event, _)) => {
                let above = root.map(|root| format!("{root}.")).unwrap_or_default();
                wrong(format!("`{above}{event}`"), "a list, `[ … ]`")
            }
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
        let layout = &self.layout;
        let handlers = layout.events(settings).flat_map(|event| {
            let groups = layout.groups(settings, event).iter();
            groups.flat_map(move |group| layout.handlers(event, group))
        });
        handlers.filter(|handler| self.is_ours(handler)).count()
    }

    /// Puts our entry under an event, once and as it should be.
    fn settle(&self, settings: &mut SettingsText, row: &Row, wiring: &Wiring) -> Result<(), SettingsError> {
        let value = self.checked(settings)?;
        let layout = &self.layout;
        let group = self.entry(row, wiring);
        let groups = layout.groups(&value, row.event);
        let concerned: Vec<usize> = (0..groups.len())
            .filter(|index| {
                layout.handlers(row.event, &groups[*index]).iter().any(|handler| self.is_ours(handler))
            })
            .collect();
        if let [index] = concerned.as_slice() {
            let found = &groups[*index];
            if *found == group {
                return Ok(());
            }
            if layout.handlers(row.event, found).len() == 1 && takes_everything(found) {
                let path = [&layout.place(row.event)[..], &[Step::Item(*index)]].concat();
                return settings.replace(&path, &layout.written(row.event, &group));
            }
        }
        self.cut_event(settings, row.event, &value)?;
        let list = layout.place(row.event);
        if layout.hooks(&value).is_some_and(|hooks| hooks.get(row.event).is_some()) {
            settings.append(&list, Child::Element(&layout.written(row.event, &group)))
        } else {
            let (_, hooks) = list.split_last().ok_or(SettingsError::WouldDamage)?;
            settings.append(
                hooks,
                Child::Property(row.event, &format!("[{}]", layout.written(row.event, &group))),
            )
        }
    }

    /// The group we put under an event.
    fn entry(&self, row: &Row, wiring: &Wiring) -> Value {
        let timeout = match self.unit {
            Unit::Seconds => row.timeout,
            Unit::Milliseconds => row.timeout * 1000,
        };
        let mut handler = self.layout.handler(&self.command(row, wiring), timeout);
        for (key, value) in row.more {
            handler[*key] = Value::from(*value);
        }
        self.layout.group(row.event, handler)
    }

    fn command(&self, row: &Row, wiring: &Wiring) -> String {
        let Layout { if_gone, denies, tells_event, tells_scope, .. } = self.layout;
        Call { agent: &self.agent, if_gone, denies, tells_event, tells_scope }.command(row, wiring)
    }

    /// The text without our entries. What they leave empty goes too, unless it was there before.
    fn cut(&self, settings: &str, before: Option<&str>) -> Result<String, SettingsError> {
        let mut edited = SettingsText::parse(settings)?;
        let value = self.checked(&edited)?;
        let before = before.and_then(|before| SettingsText::parse(before).ok()?.value()).unwrap_or_default();
        let layout = &self.layout;
        for event in layout.events(&value) {
            let cut = self.cut_event(&mut edited, event, &value)?;
            let was_there = layout.hooks(&before).is_some_and(|hooks| hooks.get(event).is_some());
            if cut && !was_there && layout.groups(&self.checked(&edited)?, event).is_empty() {
                edited.remove(&layout.place(event))?;
            }
        }
        let after = self.checked(&edited)?;
        let root = layout.root.filter(|root| before.get(root).is_none());
        if let Some(root) = root.filter(|root| after.get(root) == Some(&json!({}))) {
            edited.remove(&[Step::Key(root)])?;
        }
        for key in layout.not_needed(&before, &self.checked(&edited)?) {
            edited.remove(&[Step::Key(key)])?;
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
        for (index, group) in self.layout.groups(value, event).iter().enumerate().rev() {
            let place = [&self.layout.place(event)[..], &[Step::Item(index)]].concat();
            let handlers = self.layout.handlers(event, group);
            let ours: Vec<usize> =
                (0..handlers.len()).filter(|index| self.is_ours(&handlers[*index])).collect();
            cut |= !ours.is_empty();
            if ours.len() == handlers.len() && !ours.is_empty() {
                settings.remove(&place)?;
                continue;
            }
            for handler in ours.into_iter().rev() {
                settings.remove(
                    &[&place[..], &[Step::Key(super::layout::HOOKS), Step::Item(handler)]].concat(),
                )?;
            }
        }
        Ok(cut)
    }

    /// Everything that is not ours, nor needed for ours. Empty lists do not count: they say nothing, and ours may
    /// have been in them.
    fn foreign(&self, settings: &Value) -> Value {
        let mut settings = settings.clone();
        self.layout.retain(&mut settings, &|handler| !self.is_ours(handler));
        for (key, value) in self.layout.beside {
            let ours = says(&settings, key, value);
            settings.as_object_mut().filter(|_| ours).map(|settings| settings.shift_remove(*key));
        }
        settings
    }
}

fn is_bare(text: &str) -> bool {
    SettingsText::parse(text).is_ok_and(|text| text.is_bare())
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
