//! A hook on its way from another system's table to one of ours.

use tenter_contract::{Dialect, Pattern};

use super::matchers::Translation;
use super::nodes;
use super::report::{Note, NoteKind};
use crate::event_key;
use crate::fields::{Field, Fields, has_word};
use crate::hook::hook_keys;
use crate::place::Place;
use crate::problem::{Finding, Findings, ProblemKind};
use crate::source::Format;
use crate::tree::{Key, Node, Value};

/// A converted foreign file.
pub(crate) struct Converted {
    pub(crate) dialect: Dialect,
    pub(crate) drafts: Vec<Draft>,
    /// `mcp_servers` of ours.
    pub(crate) servers: Vec<(Key, Node)>,
    /// Notes about the file as a whole.
    pub(crate) notes: Vec<Note>,
    /// What is wrong outside of single hooks.
    pub(crate) findings: Findings,
    /// Keys of the file that are about something else than hooks.
    pub(crate) other_keys: Vec<String>,
}

/// One hook, as a table with our keys.
pub(crate) struct Draft {
    pub(crate) event: String,
    pub(crate) place: Place,
    /// Its name there, or what a name is made of.
    pub(crate) name: Name,
    /// Our keys and values, without the name.
    pub(super) fields: Vec<(Key, Node)>,
    /// Their keys that mean the same here.
    pub(crate) kept: Vec<String>,
    pub(crate) notes: Vec<Note>,
    pub(crate) findings: Findings,
}

pub(crate) enum Name {
    Stated(String),
    /// `PreToolUse`: it becomes `claude-PreToolUse-1`.
    From(String),
}

impl Converted {
    pub(super) fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            drafts: Vec::new(),
            servers: Vec::new(),
            notes: Vec::new(),
            findings: Findings::default(),
            other_keys: Vec::new(),
        }
    }

    /// A new draft for the hook at a node; keys that occur twice in it make it a bad one.
    pub(super) fn draft(&self, event: &str, node: &Node) -> Draft {
        let mut findings = Findings::default();
        findings.add_repeated(node.repeated_keys());
        Draft {
            event: event.to_owned(),
            place: node.place,
            name: Name::From(event.to_owned()),
            fields: Vec::new(),
            kept: Vec::new(),
            notes: Vec::new(),
            findings,
        }
    }

    pub(super) fn note(&mut self, kind: NoteKind, place: Place, key: &str, text: impl Into<String>) {
        self.notes.push(Note { kind, key: key.to_owned(), text: text.into(), line: place.line });
    }

    /// Lists the keys of the file that are not about hooks.
    pub(super) fn note_other_keys(&mut self, root: &Node, about_hooks: &[&str]) {
        let keys = nodes::entries(root).unwrap_or_default().iter().map(|(key, _)| &key.text);
        self.other_keys = keys.filter(|key| !about_hooks.contains(&key.as_str())).cloned().collect();
    }

    /// The lists of hooks below `hooks`, by event. Both of two equal keys are read, in addition to the error.
    pub(super) fn events<'a>(&mut self, hooks: &'a Node) -> Vec<(&'a Key, &'a Node)> {
        let Some(entries) = nodes::entries(hooks) else {
            if hooks.value != Value::Null {
                let kind = ProblemKind::HooksWithoutEvents { found: hooks.describe() };
                self.findings.add(hooks.place, kind);
            }
            return Vec::new();
        };
        self.findings.add_repeated(crate::tree::repeated_in(entries));
        entries.iter().map(|(key, node)| (key, node)).collect()
    }

    /// The hooks of an event; what is no list is reported.
    pub(super) fn list<'a>(&mut self, event: &Key, node: &'a Node) -> &'a [Node] {
        match nodes::items(node) {
            Some(items) => items,
            None if node.value == Value::Null => &[],
            None => {
                let kind = ProblemKind::HooksNotListed { event: event.text.clone(), found: node.describe() };
                self.findings.add(node.place, kind);
                &[]
            }
        }
    }

    /// The keys of a hook; what is no table is reported.
    pub(super) fn fields<'a>(&mut self, node: &'a Node) -> Option<Fields<'a>> {
        let fields = Fields::from_hook(node);
        if fields.is_none() {
            self.findings.add(node.place, ProblemKind::HookNotTable { found: node.describe() });
        }
        fields
    }
}

impl Draft {
    pub(super) fn put(&mut self, key: &str, node: Node) {
        self.fields.retain(|(known, _)| known.text != key);
        let place = node.place;
        self.fields.push((Key { text: key.to_owned(), place }, node));
    }

    pub(super) fn put_text(&mut self, key: &str, place: Place, text: impl Into<String>) {
        self.put(key, nodes::text(place, text));
    }

    /// Takes the value of one of their keys over under a key of ours.
    pub(super) fn take(&mut self, fields: &Fields<'_>, theirs: &str, ours: &str) {
        if let Some(field) = fields.get(theirs) {
            self.put(ours, field.node.clone());
            self.kept.push(theirs.to_owned());
        }
    }

    /// Sets one of our variables for the hook's program.
    pub(super) fn set_variable(&mut self, place: Place, name: &str, value: &str) {
        let value = nodes::text(place, value);
        match self.fields.iter_mut().find(|(key, _)| key.text == "env") {
            Some((_, Node { value: Value::Table(entries), .. })) => {
                entries.push((Key { text: name.to_owned(), place }, value));
            }
            Some(_) => {}
            None => self.put("env", nodes::table(place, [(name, value)])),
        }
    }

    /// Sets a key of ours that a later version may know. Until then the report says that it is not kept.
    pub(super) fn put_when_known(&mut self, (theirs, ours): (&str, &str), node: Node, until_then: &str) {
        if hook_keys().contains(&ours) {
            self.put(ours, node);
            self.kept.push(theirs.to_owned());
        } else {
            self.lost(node.place, theirs, format!("not kept yet: {until_then}"));
        }
    }

    /// A key of theirs that means something a little different here.
    pub(super) fn changed(&mut self, place: Place, key: &str, text: impl Into<String>) {
        self.notes.push(Note {
            kind: NoteKind::Changed,
            key: key.to_owned(),
            text: text.into(),
            line: place.line,
        });
    }

    /// A key of theirs that means nothing here; the hook runs without it.
    pub(super) fn lost(&mut self, place: Place, key: &str, text: impl Into<String>) {
        let text = text.into();
        self.findings.add(place, ProblemKind::NotKept { key: key.to_owned(), why: text.clone() });
        self.notes.push(Note { kind: NoteKind::Lost, key: key.to_owned(), text, line: place.line });
    }

    pub(super) fn refuse(&mut self, place: Place, what: impl Into<String>, instead: impl Into<String>) {
        let (what, instead) = (what.into(), instead.into());
        let kind = ProblemKind::HookNotKept { what: what.clone(), instead: instead.clone() };
        self.findings.add(place, kind);
        let text = format!("{what}; {instead}");
        self.notes.push(Note { kind: NoteKind::Lost, key: "the hook".to_owned(), text, line: place.line });
    }

    /// Sets the translated matcher.
    pub(super) fn matched(&mut self, place: Place, theirs: &str, translation: Translation) {
        match translation {
            Translation::Everything => self.kept.push("matcher".to_owned()),
            Translation::Matcher(ours) => {
                self.kept.push("matcher".to_owned());
                self.put_text("matcher", place, ours);
            }
            Translation::Translated(ours) => {
                let text = format!("is `{ours}` here: tools of this kind under every agent");
                self.changed(place, "matcher", text);
                self.put_text("matcher", place, ours);
            }
            Translation::Unknowable => {
                let why = format!(
                    "`{theirs}` has look-around or a back-reference that tenter cannot follow, so the hook is asked about every tool; only `^(?!…)` at the beginning is followed"
                );
                self.lost(place, "matcher", why);
            }
            Translation::Nothing => self.refuse(
                place,
                format!("its matcher `{theirs}` matches nothing"),
                "name the tools it is for, or write `*`",
            ),
        }
    }

    /// Whether the matcher that was set matches a tool of that name.
    pub(super) fn matches_tool(&self, tool: &str) -> bool {
        let matcher = self.fields.iter().find(|(key, _)| key.text == "matcher");
        let Some(text) = matcher.and_then(|(_, node)| nodes::as_text(node)) else { return true };
        let matches = |piece: &str| Pattern::parse(piece).is_ok_and(|pattern| pattern.matches(tool));
        if text.starts_with('/') { matches(text) } else { text.split('|').any(matches) }
    }

    /// Names every key that is not in this list of words.
    pub(super) fn report_unknown_keys(&mut self, fields: &Fields<'_>, known: &str) {
        for (key, field) in fields.all().filter(|(key, _)| !has_word(known, key)) {
            self.lost(field.key_place, key, "no such key is known there, so it means nothing here either");
        }
    }

    /// The value of one of their keys, as a number that is not negative.
    pub(super) fn number(&mut self, field: &Field<'_>) -> Option<f64> {
        let number = match field.node.value {
            #[expect(clippy::cast_precision_loss, reason = "milliseconds and bytes of a hook are small")]
            Value::Int(number) => number as f64,
            Value::Float(number) => number,
            Value::Null | Value::Bool(_) | Value::Text(_) | Value::List(_) | Value::Table(_) => {
                self.findings.push(field.wrong_type(crate::problem::Expected::WholeNumber));
                return None;
            }
        };
        Some(number.max(0.0))
    }

    /// A timeout, under our key and with its unit: also one that is long.
    pub(super) fn timeout(&mut self, fields: &Fields<'_>, key: &str, unit: &str) {
        let Some(field) = fields.get(key) else { return };
        if let Some(number) = self.number(&field) {
            self.put_text("timeout", field.node.place, format!("{number}{unit}"));
            self.kept.push(key.to_owned());
        }
    }

    /// A finding of a reader of values.
    pub(super) fn keep<T>(&mut self, read: Result<T, Finding>) -> Option<T> {
        self.findings.keep(read)
    }

    /// Refuses a hook at an event that does not exist: it would wait for ever.
    pub(super) fn check_event(&mut self) {
        if let Err(kind) = event_key::event(&self.event, 1)
            && !self.findings.have_errors()
        {
            let (place, what) = (self.place, format!("there is no event `{}`", self.event));
            self.refuse(place, what, kind.hint(Format::Json));
        }
    }

    /// Makes paths whole that are relative to the file, for a hook file that will lie elsewhere.
    pub(super) fn rebase(&mut self, folder: &str) {
        let place = self.place;
        let mut module_path = None;
        for (key, node) in &mut self.fields {
            match (key.text.as_str(), &mut node.value) {
                ("script", Value::Text(path)) if !path.starts_with(['/', '~']) => {
                    *path = format!("{}/{path}", folder.trim_end_matches('/'));
                }
                ("python", Value::Text(_)) => module_path = Some(folder),
                _ => {}
            }
        }
        if let Some(folder) = module_path {
            self.set_variable(place, "PYTHONPATH", folder);
            self.changed(place, "handler", format!("its module is looked for in `{folder}`"));
        }
    }

    /// The whole table, as a hook file of ours would have it.
    pub(crate) fn node(&self, name: &str, dialect: Dialect) -> Node {
        let place = self.place;
        let key = |text: &str| Key { text: text.to_owned(), place };
        let mut entries = vec![(key("name"), nodes::text(place, name))];
        entries.extend(self.fields.iter().cloned());
        entries.push((key("dialect"), nodes::text(place, dialect.as_str())));
        Node { value: Value::Table(entries), place }
    }
}
