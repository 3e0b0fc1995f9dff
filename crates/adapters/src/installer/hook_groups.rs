//! Our entries in JSON settings that have a list of hooks under each event.

use serde_json::{Value, json};
use tenter_contract::ports::{Entry, IfGone, Installed, Scope, SettingsError, Uninstalled, Wiring};
use tenter_contract::template::shell_quote;

use super::layout::has_value;
use super::{Layout, hook_command, tenter_program};
use crate::agent_spec::{AgentEvent, AgentSpec};
use tenter_json_edit::{Child, JsonText, Step};

/// The entries of one agent in its layout.
pub(crate) struct HookGroups<'a> {
    pub(crate) agent: &'a AgentSpec,
    pub(crate) layout: &'a Layout,
}

/// A handler of ours and its place.
pub(crate) struct PlacedHandler {
    pub(crate) event: String,
    /// Which group of the event, and which handler of the group; from 0.
    pub(crate) place: (usize, usize),
    pub(crate) matcher: Option<Value>,
    pub(crate) handler: Value,
}

impl HookGroups<'_> {
    pub(crate) fn install(
        &self,
        settings: Option<&str>,
        wiring: &Wiring,
    ) -> Result<Installed, SettingsError> {
        let mut edited = JsonText::parse(settings.unwrap_or_default())?;
        if edited.value().is_none() {
            edited.start_object();
        }
        let before = self.checked(&edited)?;
        let layout = self.layout;
        for event in layout.events(&before).filter(|event| !self.is_installed_event(event)) {
            if self.cut_event(&mut edited, event, &before)?
                && layout.groups(&self.checked(&edited)?, event).is_empty()
            {
                edited.remove(&layout.path(event))?;
            }
        }
        for (key, value) in layout.required.iter().filter(|(key, _)| before.get(key).is_none()) {
            edited.append(&[], Child::Property(key, value))?;
        }
        if let Some(root) = layout.root.filter(|root| before.get(root).is_none()) {
            edited.append(&[], Child::Property(root, "{}"))?;
        }
        for event in self.agent.installed_events() {
            self.put_entry(&mut edited, event, wiring)?;
        }
        let after = self.checked(&edited)?;
        if self.foreign(&before) != self.foreign(&after)
            || self.count(&after) != self.agent.installed_events().count()
        {
            return Err(SettingsError::WouldDamage);
        }
        let text = edited.into_text();
        let warnings = self.all_warnings(&text, &after);
        Ok(Installed { text, warnings })
    }

    pub(crate) fn uninstall(
        &self,
        settings: &str,
        before: Option<&str>,
    ) -> Result<Uninstalled, SettingsError> {
        if !self.is_installed(settings)? {
            return Ok(Uninstalled::NotInstalled);
        }
        // A text from before that cannot be read, or that has entries of ours, proves nothing.
        let known = before.filter(|before| matches!(self.is_installed(before), Ok(false)));
        let text = self.cut(settings, known)?;
        if known.is_some_and(|before| self.rest_after_install(before).as_ref() == Ok(&text)) {
            return Ok(Uninstalled::Restored);
        }
        let nothing_before = match (before, known) {
            (None, _) => true,
            (Some(_), Some(_)) => false,
            // The copy was made when tenter was installed already.
            (Some(before), None) => self.cut(before, None).is_ok_and(|before| is_bare(&before)),
        };
        if nothing_before && is_bare(&text) {
            return Ok(Uninstalled::NothingElse);
        }
        Ok(Uninstalled::Cut { text })
    }

    pub(crate) fn entries(&self, settings: &str) -> Result<Vec<Entry>, SettingsError> {
        let settings = JsonText::parse(settings)?;
        if settings.value().is_none() {
            return Ok(Vec::new());
        }
        let value = self.checked(&settings)?;
        let layout = self.layout;
        let entries = layout.events(&value).flat_map(|event| {
            let handlers =
                layout.groups(&value, event).iter().flat_map(move |group| layout.handlers(event, group));
            handlers.filter_map(|handler| {
                let line = line(handler)?;
                Some(Entry {
                    event: event.to_owned(),
                    program: tenter_program(&line, self.agent.name)?,
                    line,
                })
            })
        });
        Ok(entries.collect())
    }

    pub(crate) fn placed(&self, settings: &str) -> Result<Vec<PlacedHandler>, SettingsError> {
        let settings = JsonText::parse(settings)?;
        let value = if settings.value().is_some() { self.checked(&settings)? } else { json!({}) };
        let mut placed = Vec::new();
        for event in self.layout.events(&value) {
            for (group_at, group) in self.layout.groups(&value, event).iter().enumerate() {
                for (handler_at, handler) in self.layout.handlers(event, group).iter().enumerate() {
                    if self.is_ours(handler) {
                        placed.push(PlacedHandler {
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

    fn is_installed(&self, settings: &str) -> Result<bool, SettingsError> {
        let settings = JsonText::parse(settings)?;
        Ok(settings.value().is_some() && self.count(&self.checked(&settings)?) > 0)
    }

    pub(crate) fn warnings(&self, settings: &str) -> Result<Vec<String>, SettingsError> {
        let parsed = JsonText::parse(settings)?;
        if parsed.value().is_none() {
            return Ok(Vec::new());
        }
        Ok(self.all_warnings(settings, &self.checked(&parsed)?))
    }

    fn all_warnings(&self, text: &str, settings: &Value) -> Vec<String> {
        let json = self.layout.json.warning(self.agent.installer.title, text);
        json.into_iter().chain((self.layout.warnings)(text, settings)).collect()
    }

    fn rest_after_install(&self, before: &str) -> Result<String, SettingsError> {
        let any = Wiring {
            program: "/tenter".to_owned(),
            if_gone: IfGone::GoOn,
            scope: Scope::User,
            installation: None,
        };
        self.cut(&self.install(Some(before), &any)?.text, Some(before))
    }

    /// The settings as a value, if hooks have the expected types.
    fn checked(&self, settings: &JsonText) -> Result<Value, SettingsError> {
        let value = settings.value().unwrap_or_default();
        let wrong = |what: String, expected| Err(SettingsError::WrongType { what, expected });
        if !value.is_object() {
            return wrong("its content".to_owned(), "an object, `{ … }`");
        }
        let Some(hooks) = self.layout.hooks(&value) else { return Ok(value) };
        let root = self.layout.root;
        let Some(hooks) = hooks.as_object() else {
            return wrong(format!("`{}`", root.unwrap_or_default()), "an object, `{ … }`");
        };
        match hooks.iter().find(|(event, groups)| !groups.is_array() && self.is_installed_event(event)) {
            Some((event, _)) => {
                let above = root.map(|root| format!("{root}.")).unwrap_or_default();
                wrong(format!("`{above}{event}`"), "a list, `[ … ]`")
            }
            None => Ok(value),
        }
    }

    fn is_installed_event(&self, name: &str) -> bool {
        self.agent.installed_events().any(|event| event.name == name)
    }

    fn is_ours(&self, handler: &Value) -> bool {
        self.program(handler).is_some()
    }

    /// The program a handler calls, if it calls us.
    fn program(&self, handler: &Value) -> Option<String> {
        tenter_program(&line(handler)?, self.agent.name)
    }

    fn count(&self, settings: &Value) -> usize {
        let layout = self.layout;
        let handlers = layout.events(settings).flat_map(|event| {
            let groups = layout.groups(settings, event).iter();
            groups.flat_map(move |group| layout.handlers(event, group))
        });
        handlers.filter(|handler| self.is_ours(handler)).count()
    }

    /// Puts our entry under an event, once.
    fn put_entry(
        &self,
        settings: &mut JsonText,
        event: &AgentEvent,
        wiring: &Wiring,
    ) -> Result<(), SettingsError> {
        let value = self.checked(settings)?;
        let layout = self.layout;
        let group = self.group(event, wiring);
        let groups = layout.groups(&value, event.name);
        let ours: Vec<usize> = (0..groups.len())
            .filter(|index| {
                layout.handlers(event.name, &groups[*index]).iter().any(|handler| self.is_ours(handler))
            })
            .collect();
        if let [index] = ours.as_slice() {
            let found = &groups[*index];
            if *found == group {
                return Ok(());
            }
            if layout.handlers(event.name, found).len() == 1 && takes_everything(found) {
                let path = [&layout.path(event.name)[..], &[Step::Item(*index)]].concat();
                return settings.replace(&path, &layout.write(event.name, &group));
            }
        }
        self.cut_event(settings, event.name, &value)?;
        let list = layout.path(event.name);
        if layout.hooks(&value).is_some_and(|hooks| hooks.get(event.name).is_some()) {
            settings.append(&list, Child::Element(&layout.write(event.name, &group)))
        } else {
            let (_, hooks) = list.split_last().ok_or(SettingsError::WouldDamage)?;
            settings.append(
                hooks,
                Child::Property(event.name, &format!("[{}]", layout.write(event.name, &group))),
            )
        }
    }

    fn group(&self, event: &AgentEvent, wiring: &Wiring) -> Value {
        let command = hook_command(self.agent, self.layout, event, wiring);
        let handler = self.layout.handler(event.name, &command, event.seconds());
        self.layout.group(event.name, handler)
    }

    /// The text without our entries, and without lists that become empty, unless they were there before.
    fn cut(&self, settings: &str, before: Option<&str>) -> Result<String, SettingsError> {
        let mut edited = JsonText::parse(settings)?;
        let value = self.checked(&edited)?;
        let before = before.and_then(|before| JsonText::parse(before).ok()?.value()).unwrap_or_default();
        let layout = self.layout;
        for event in layout.events(&value) {
            let cut = self.cut_event(&mut edited, event, &value)?;
            let was_there = layout.hooks(&before).is_some_and(|hooks| hooks.get(event).is_some());
            if cut && !was_there && layout.groups(&self.checked(&edited)?, event).is_empty() {
                edited.remove(&layout.path(event))?;
            }
        }
        let after = self.checked(&edited)?;
        let root = layout.root.filter(|root| before.get(root).is_none());
        if let Some(root) = root.filter(|root| after.get(root) == Some(&json!({}))) {
            edited.remove(&[Step::Key(root)])?;
        }
        for key in layout.unneeded_keys(&before, &self.checked(&edited)?) {
            edited.remove(&[Step::Key(key)])?;
        }
        let after = self.checked(&edited)?;
        if self.foreign(&value) != self.foreign(&after) || self.count(&after) > 0 {
            return Err(SettingsError::WouldDamage);
        }
        Ok(edited.into_text())
    }

    /// Removes our entries from an event's list, which is the same in `value` as in the text; whether there were any.
    fn cut_event(&self, settings: &mut JsonText, event: &str, value: &Value) -> Result<bool, SettingsError> {
        let mut cut = false;
        for (index, group) in self.layout.groups(value, event).iter().enumerate().rev() {
            let place = [&self.layout.path(event)[..], &[Step::Item(index)]].concat();
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

    /// Everything that is not ours. Empty lists do not count: our entries may have been in them.
    fn foreign(&self, settings: &Value) -> Value {
        let mut settings = settings.clone();
        self.layout.retain(&mut settings, &|handler| !self.is_ours(handler));
        for (key, value) in self.layout.required {
            let ours = has_value(&settings, key, value);
            settings.as_object_mut().filter(|_| ours).map(|settings| settings.shift_remove(*key));
        }
        settings
    }
}

fn is_bare(text: &str) -> bool {
    JsonText::parse(text).is_ok_and(|text| text.is_bare())
}

/// The command of a handler, as a line for a shell.
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
