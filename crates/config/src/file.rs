//! A whole hook file: its version, and the hooks of each event.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;

use tenter_contract::{ApproverName, Dialect, EventKind, HookId, HookSpec, Override, agent_names};

use crate::approvals;
use crate::context;
use crate::dialects::{self, Converted, Draft};
use crate::event_key;
use crate::fields::{Field, Fields};
use crate::guard_detection;
use crate::hook::{Entry, ReadHook, Servers, read_hook};
use crate::imports::{self, ImportRequest};
use crate::limits::{self, LimitSetting};
use crate::order::{self, Ordered};
use crate::place::Place;
use crate::problem::{Finding, Findings, Problem, ProblemKind, Severity};
use crate::read::read;
use crate::source::SourceText;
use crate::suggest;
use crate::tree::{Key, Node, Value, repeated_in};
use crate::values;

/// What came of a hook file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Loaded {
    /// The hooks that can run, in the order of the file.
    pub hooks: Vec<HookSpec>,
    /// Which inherited hooks an agent does without.
    pub overrides: Vec<Override>,
    /// The hooks that are switched off with `enabled: false`. They are not checked further: switching off is
    /// what we advise for hooks that this version cannot run.
    pub disabled: Vec<HookId>,
    /// The approver it names, if this is a file that may.
    pub approver: Option<ApproverName>,
    /// Variables that projects may use, if this is the user's own file.
    pub project_variables: Vec<String>,
    /// How much hooks may inject, as far as this file has a say.
    pub limits: Vec<LimitSetting>,
    /// All that is wrong, in the order of the file.
    pub problems: Vec<Problem>,
    /// Files of other systems that it wants to be read next to it.
    pub imports: Vec<ImportRequest>,
    /// Whose form the file has.
    pub dialect: Dialect,
    /// Whether the file is refused as a whole, so that none of its hooks loads.
    pub refused: bool,
    /// The events of hooks that are written as guards and do not load. Where the event itself is not known, it is
    /// `tool:pre`.
    pub lost_guards: Vec<EventKind>,
}

impl Loaded {
    /// Whether something that the file asks for is off because of a mistake in it.
    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(|problem| problem.severity() == Severity::Error)
    }
}

const TOP_LEVEL: &str = "version hooks agents context limits approvals mcp_servers project_variables imports";

/// `hooks:` with nothing behind it.
const NOTHING: Node = Node { value: Value::Null, place: Place::START };

/// Reads a hook file: one of ours, or one of a system whose form it has. One bad hook disables that hook; a file
/// that cannot be read, or whose version is not known, is refused as a whole. Whatever is off is listed in
/// [`Loaded::problems`].
pub fn load(source: &SourceText<'_>) -> Loaded {
    FileLoader::new(source).load_with(|file| file.read(None))
}

/// Reads a file of another system, whose form it must have.
pub fn load_as(source: &SourceText<'_>, from: Dialect) -> Loaded {
    FileLoader::new(source).load_with(|file| file.read(Some(from)))
}

/// Reads what was made of a file of another system.
pub(crate) fn load_converted(source: &SourceText<'_>, converted: &Converted) -> Loaded {
    FileLoader::new(source).load_with(|file| {
        file.foreign(converted);
        Ok(())
    })
}

/// Whether a file says the version that ours have.
pub(crate) fn is_ours(root: &Node) -> bool {
    let Value::Table(entries) = &root.value else { return false };
    entries.iter().any(|(key, node)| key.text == "version" && node.value == Value::Int(1))
}

pub(crate) fn event_of(draft: &Draft) -> Result<EventKind, ProblemKind> {
    event_key::event(&draft.event, 1)
}

/// A finding, with all that a reader needs to find it again.
pub(crate) fn problem(source: &SourceText<'_>, finding: Finding, hook: Option<&str>) -> Problem {
    Problem {
        kind: finding.kind,
        file: source.name.to_owned(),
        format: source.format,
        place: finding.place,
        hook: hook.map(str::to_owned),
    }
}

struct FileLoader<'a> {
    source: &'a SourceText<'a>,
    loaded: Loaded,
    /// The MCP servers its hooks may name.
    servers: Servers,
    /// The names given so far, and their lines.
    names: HashMap<String, u32>,
    /// Where hooks say what they wait for.
    waiting: HashMap<String, Place>,
}

impl<'a> FileLoader<'a> {
    fn new(source: &'a SourceText<'a>) -> Self {
        Self {
            source,
            loaded: Loaded::default(),
            servers: Servers::default(),
            names: HashMap::new(),
            waiting: HashMap::new(),
        }
    }

    fn load_with(mut self, reading: impl FnOnce(&mut Self) -> Result<(), Finding>) -> Loaded {
        if let Err(refusal) = reading(&mut self) {
            self.loaded.refused = true;
            self.report(refusal, None);
        }
        self.put_in_order();
        self.loaded.problems.sort_by_key(|problem| problem.place);
        self.loaded
    }

    /// An error here is one that refuses the file.
    fn read(&mut self, from: Option<Dialect>) -> Result<(), Finding> {
        let root = read(self.source.format, self.source.text)?;
        let recognised =
            if is_ours(&root) { None } else { from.or_else(|| dialects::recognise(&root, self.source)) };
        let Some(dialect) = recognised.or(from) else { return self.ours(&root) };
        let converted = recognised.and_then(|dialect| dialects::convert(dialect, &root, self.source));
        let converted = converted.ok_or_else(|| {
            let detail = format!("it does not have the form of {}", dialect.title());
            let advice = "leave `from` out, and the form is recognised; or name the system it is from";
            self.refusal(root.place, detail, advice)
        })?;
        self.foreign(&converted);
        Ok(())
    }

    /// Hooks of another system, in our words.
    fn foreign(&mut self, converted: &Converted) {
        self.loaded.dialect = converted.dialect;
        for finding in converted.findings.all() {
            self.report(finding.clone(), None);
        }
        if let Some((key, _)) = converted.servers.first() {
            let node = Node { value: Value::Table(converted.servers.clone()), place: key.place };
            let key = Key { text: "mcp_servers".to_owned(), place: key.place };
            self.servers(&[(key, node)]);
        }
        for draft in &converted.drafts {
            let name = draft.name.as_str();
            let findings = draft.findings.all().iter().cloned();
            let bad = draft.findings.have_errors();
            let mut hook = match event_of(draft) {
                Ok(event) if !bad => {
                    read_hook(&draft.node(name, converted.dialect), &event, &self.servers, self.source)
                }
                // What is refused anyway needs no second reason.
                Ok(_) | Err(_) => {
                    ReadHook { name: Some(name.to_owned()), entry: Entry::Bad, findings: Vec::new() }
                }
            };
            hook.findings.extend(findings);
            if matches!(hook.entry, Entry::Bad) {
                let event = event_of(draft).unwrap_or(EventKind::ToolPre);
                self.note_lost_guard(&draft.node(name, converted.dialect), &event);
            }
            self.hook(hook, draft.place);
        }
    }

    fn ours(&mut self, root: &Node) -> Result<(), Finding> {
        let entries = match &root.value {
            Value::Table(entries) => entries.as_slice(),
            Value::Null => &[],
            Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Text(_) | Value::List(_) => {
                let detail = format!("it is {} but must be a table", root.describe());
                return Err(self.refusal(root.place, detail, "begin with `version`, then `hooks`"));
            }
        };
        if entries.is_empty() {
            return Err(Finding::at(root.place, ProblemKind::EmptyFile));
        }
        if let Some((key, first)) = repeated_in(entries).first() {
            let detail = format!("the key `{}` occurs twice, first in line {}", key.text, first.line);
            return Err(self.refusal(key.place, detail, "keep one of the two"));
        }
        check_version(entries)?;
        self.servers(entries);
        for (key, value) in entries {
            self.top_level(key, value);
        }
        Ok(())
    }

    fn top_level(&mut self, key: &Key, value: &Node) {
        let (name, layer) = (key.text.as_str(), self.source.layer);
        match name {
            "hooks" => self.hooks(value, None),
            "agents" => self.agents(value),
            "context" => self.context(key, value),
            "project_variables" => {
                let names = self.section(key, value, |field, findings| findings.keep(values::texts(field)));
                self.loaded.project_variables =
                    names.unwrap_or_default().into_iter().map(str::to_owned).collect();
            }
            "approvals" => {
                let read = |field: &Field<'_>, findings: &mut _| approvals::read(field, layer, findings);
                self.loaded.approver = self.section(key, value, read);
            }
            "imports" => {
                let read = |field: &Field<'_>, findings: &mut _| imports::read(field, layer, findings);
                self.loaded.imports = self.section(key, value, read);
            }
            "limits" => self.loaded.limits = self.section(key, value, limits::read),
            "version" | "mcp_servers" => {}
            _ => {
                self.note_lost_guard(value, &EventKind::ToolPre);
                let suggestion = suggest::nearest(name, TOP_LEVEL.split(' '));
                let kind = ProblemKind::UnknownTopLevelKey { key: key.text.clone(), suggestion };
                self.report(Finding::at(key.place, kind), None);
            }
        }
    }

    /// Reads a section at the top level, and reports its problems.
    fn section<'n, T>(
        &mut self,
        key: &Key,
        node: &'n Node,
        read: impl FnOnce(&Field<'n>, &mut Findings) -> T,
    ) -> T {
        let field = Field { path: key.text.clone(), key_place: key.place, node };
        let mut findings = Findings::default();
        let value = read(&field, &mut findings);
        self.report_all(findings);
        value
    }

    /// Read before the hooks, wherever it is in the file.
    fn servers(&mut self, entries: &[(Key, Node)]) {
        let Some((key, node)) = entries.iter().find(|(key, _)| key.text == "mcp_servers") else { return };
        self.servers = self.section(key, node, Servers::read);
    }

    /// A section for each agent, with hooks of its own.
    fn agents(&mut self, agents: &Node) {
        let mut findings = Findings::default();
        let field = |key: &Key, node| Field { path: key.text.clone(), key_place: key.place, node };
        let top = Key { text: "agents".to_owned(), place: agents.place };
        let sections = findings.keep(Fields::from_field(&field(&top, agents), "agents"));
        if sections.is_none() {
            self.note_lost_guard(agents, &EventKind::ToolPre);
        }
        if let Some(sections) = sections {
            for (agent, section) in sections.all() {
                let fields = findings.keep(Fields::from_field(&section, "agents"));
                if fields.as_ref().is_none_or(|fields| fields.get("hooks").is_none()) {
                    self.note_lost_guard(section.node, &EventKind::ToolPre);
                }
                let Some(fields) = fields else { continue };
                if let Some(known) = agent_names::meant_by(agent) {
                    let found = agent.to_owned();
                    findings.add(section.key_place, ProblemKind::SuspiciousAgent { found, known });
                }
                fields.check("hooks", &mut findings);
                if let Some(hooks) = fields.get("hooks") {
                    self.hooks(hooks.node, Some(agent));
                }
            }
        }
        self.report_all(findings);
    }

    /// Files for the context, which are a hook.
    fn context(&mut self, key: &Key, node: &Node) {
        let field = Field { path: key.text.clone(), key_place: key.place, node };
        let mut findings = Findings::default();
        let hook = context::read(&field, self.source, &mut findings);
        let entry = hook.map_or(Entry::Bad, |hook| Entry::Ready(Box::new(hook)));
        let named = matches!(entry, Entry::Ready(_)) || findings.have_errors();
        let name = named.then(|| context::NAME.to_owned());
        self.hook(ReadHook { name, entry, findings: findings.into_sorted() }, key.place);
    }

    fn hooks(&mut self, hooks: &Node, section: Option<&str>) {
        match &hooks.value {
            Value::Table(events) => {
                // Both lists are loaded in spite of the error: two guards under one event are two guards.
                let mut findings = Findings::default();
                findings.add_repeated(repeated_in(events));
                self.report_all(findings);
                for (key, list) in events {
                    self.event(key, list, section);
                }
            }
            // `hooks:` with all of its entries commented out.
            Value::Null => {}
            Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Text(_) | Value::List(_) => {
                let kind = ProblemKind::HooksWithoutEvents { found: hooks.describe() };
                self.report(Finding::at(hooks.place, kind), None);
            }
        }
    }

    fn event(&mut self, key: &Key, list: &Node, section: Option<&str>) {
        let (list, replaces) = match section {
            Some(_) => self.list_or_override(list),
            None => (list, false),
        };
        let hooks = match &list.value {
            Value::List(hooks) => hooks.as_slice(),
            Value::Null => &[],
            Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Text(_) | Value::Table(_) => {
                let kind = ProblemKind::HooksNotListed { event: key.text.clone(), found: list.describe() };
                self.note_lost_guard(list, &event_key::event(&key.text, 1).unwrap_or(EventKind::ToolPre));
                return self.report(Finding::at(list.place, kind), None);
            }
        };
        let event = match event_key::event(&key.text, hooks.len()) {
            Ok(event) => event,
            Err(kind) => {
                self.note_lost_guard(list, &EventKind::ToolPre);
                return self.report(Finding::at(key.place, kind), None);
            }
        };
        if let (true, Some(section)) = (replaces, section) {
            let (layer, section) = (self.source.layer, section.to_owned());
            self.loaded.overrides.push(Override { layer, section, event: event.clone() });
        }
        for node in hooks {
            let mut read = read_hook(node, &event, &self.servers, self.source);
            if let Entry::Ready(hook) = &mut read.entry {
                if let Some(after) = Fields::from_hook(node).and_then(|fields| fields.get("after")) {
                    self.waiting.insert(hook.id.name.clone(), after.node.place);
                }
                hook.section = section.map(str::to_owned);
            }
            if matches!(read.entry, Entry::Bad) {
                self.note_lost_guard(node, &event);
            }
            self.hook(read, node.place);
        }
    }

    fn note_lost_guard(&mut self, node: &Node, event: &EventKind) {
        if guard_detection::looks_like_guard(node, event) && !self.loaded.lost_guards.contains(event) {
            self.loaded.lost_guards.push(event.clone());
        }
    }

    /// In a section: a list, or `{ override: true, hooks: [ … ] }`.
    fn list_or_override<'n>(&mut self, node: &'n Node) -> (&'n Node, bool) {
        let Value::Table(_) = node.value else { return (node, false) };
        let Some(fields) = Fields::from_hook(node) else { return (node, false) };
        let mut findings = Findings::default();
        fields.check("override hooks", &mut findings);
        let replaces = fields.read("override", &mut findings, values::switch).unwrap_or(false);
        self.report_all(findings);
        (fields.get("hooks").map_or(&NOTHING, |field| field.node), replaces)
    }

    fn hook(&mut self, read: ReadHook, place: Place) {
        let ReadHook { name, entry, findings } = read;
        for finding in findings {
            self.report(finding, name.as_deref());
        }
        // A bad hook keeps its name too, so that a second one cannot take its place unnoticed.
        if let Some(name) = name {
            match self.names.entry(name.clone()) {
                Slot::Vacant(free) => {
                    free.insert(place.line);
                }
                Slot::Occupied(taken) => {
                    if let Entry::Ready(hook) = &entry
                        && hook.is_guard()
                    {
                        self.loaded.lost_guards.push(hook.event.clone());
                    }
                    let kind = ProblemKind::DuplicateName { first_line: *taken.get() };
                    return self.report(Finding::at(place, kind), Some(&name));
                }
            }
        }
        match entry {
            Entry::Ready(hook) => self.loaded.hooks.push(*hook),
            Entry::Disabled(id) => self.loaded.disabled.push(id),
            Entry::Bad => {}
        }
    }

    /// Hooks that wait are behind those they wait for; one that cannot is off.
    fn put_in_order(&mut self) {
        if self.waiting.is_empty() {
            return;
        }
        let guards = self.loaded.hooks.iter().filter(|hook| hook.is_guard());
        let guards: Vec<(String, EventKind)> =
            guards.map(|hook| (hook.id.name.clone(), hook.event.clone())).collect();
        let Ordered { hooks, refused } = order::ordered(std::mem::take(&mut self.loaded.hooks), &self.names);
        self.loaded.hooks = hooks;
        let is_lost = |name: &String| refused.iter().any(|(refused, _)| refused == name);
        let lost = guards.into_iter().filter(|(name, _)| is_lost(name)).map(|(_, event)| event);
        self.loaded.lost_guards.extend(lost);
        for (name, kind) in refused {
            let place = self.waiting.get(&name).copied().unwrap_or(Place::START);
            self.report(Finding::at(place, kind), Some(&name));
        }
    }

    fn refusal(&self, place: Place, detail: String, advice: &'static str) -> Finding {
        let kind = ProblemKind::Syntax { format: self.source.format, detail, advice: Some(advice) };
        Finding::at(place, kind)
    }

    fn report_all(&mut self, findings: Findings) {
        for finding in findings.into_sorted() {
            self.report(finding, None);
        }
    }

    fn report(&mut self, finding: Finding, hook: Option<&str>) {
        self.loaded.problems.push(problem(self.source, finding, hook));
    }
}

/// A missing version means 1.
fn check_version(entries: &[(Key, Node)]) -> Result<(), Finding> {
    match entries.iter().find(|(key, _)| key.text == "version") {
        Some((_, version)) if version.value != Value::Int(1) => {
            Err(Finding::at(version.place, ProblemKind::WrongVersion { found: version.describe() }))
        }
        Some(_) | None => Ok(()),
    }
}
