//! A path of a tool call by every name that it has: as text, and through links.
//!
//! Conditions, grants and records compare these names, never the text of the call. The text says little: it depends
//! on the agent's folder and on the tool's, and agents read it in ways of their own ([`readings`]).
//!
//! This file does no I/O. [`CanonicalPath::by_text`] gives the names that the text alone yields; the runtime asks
//! its `FactFinder` for those behind links and other names of the same folder.

use crate::path_text::{has_more_readings, readings};
use crate::{Event, Pattern, ToolCall};

/// A path with all of its names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CanonicalPath {
    /// The path as the call writes it.
    pub written: String,
    /// Its names: absolute if the folder of the agent is known, without `.`, `..` and `//`. The first is the name by
    /// text in the agent's folder.
    pub names: Vec<String>,
    /// The same names as patterns may spell them: from the home (`~/x`), and below another project than the agent's, whose
    /// `production/**` a guard means too. A grant needs the names themselves.
    pub aliases: Vec<String>,
    /// It has more names than were followed. A condition holds for such a path, and no grant covers it.
    pub unknown: bool,
}

/// Where relative paths of a call begin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathBase {
    /// The agent's folder.
    pub cwd: Option<String>,
    /// The project root; some agents start there whatever their folder is.
    pub root: Option<String>,
    /// Working folders that the call itself names.
    pub folders: Vec<String>,
    /// The user's home, for `~`.
    pub home: Option<String>,
}

/// The paths of a call that the runtime looks up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathQuery {
    /// Where they begin.
    pub base: PathBase,
    /// The paths of the call.
    pub texts: Vec<PathText>,
    /// The globs of the conditions: what one names without wildcards may have other names.
    pub globs: Vec<String>,
}

/// A text of a call that names a file, or may.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathText {
    /// The text.
    pub text: String,
    /// How sure it is that the tool opens it.
    pub use_as: PathUse,
}

/// How a tool uses a text that may be a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathUse {
    /// It is a path.
    Path,
    /// It is a path that the agent looks up by its end if nothing lies there.
    LookedUp,
    /// It is a path if something lies there.
    IfExists,
    /// The call has more texts than are judged.
    Unknown,
}

impl PathBase {
    /// The base of an event's call, without the home.
    pub fn new(event: &Event) -> Self {
        Self {
            cwd: event.cwd.clone(),
            root: event.project_root.clone(),
            folders: event.tool.as_ref().map(ToolCall::working_folders).unwrap_or_default(),
            home: None,
        }
    }

    /// Every text under which the path may be opened, absolute where a folder is known. `..` and links are as they
    /// were: their meaning depends on what lies there.
    pub fn spellings(&self, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        for reading in readings(text) {
            if let (Some(rest), Some(home)) = (home_relative(&reading), &self.home) {
                add(&mut found, joined(home, rest));
            }
            if reading.starts_with('/') {
                add(&mut found, reading);
                continue;
            }
            let bases = self.bases();
            for base in &bases {
                add(&mut found, joined(base, &reading));
            }
            if bases.is_empty() {
                add(&mut found, reading);
            }
        }
        found
    }

    /// The folders in which a relative path may begin.
    fn bases(&self) -> Vec<String> {
        let known: Vec<&str> = [&self.cwd, &self.root].into_iter().flatten().map(String::as_str).collect();
        let mut bases = Vec::new();
        for folder in self.folders.iter().flat_map(|folder| readings(folder)) {
            match (home_relative(&folder), &self.home) {
                (Some(rest), Some(home)) => add(&mut bases, joined(home, rest)),
                _ if folder.starts_with('/') => add(&mut bases, folder),
                _ => known.iter().for_each(|base| add(&mut bases, joined(base, &folder))),
            }
        }
        for base in known {
            add(&mut bases, base.to_owned());
        }
        bases
    }
}

impl PathQuery {
    /// A query for the paths of an event's call, to compare them with these patterns.
    pub fn new<'p>(event: &Event, patterns: impl Iterator<Item = &'p Pattern>) -> Self {
        let texts = event.tool.as_ref().map(|tool| tool.path_texts(&event.agent)).unwrap_or_default();
        let mut globs = Vec::new();
        patterns.filter(|pattern| !pattern.is_regex()).for_each(|it| add(&mut globs, it.as_str().to_owned()));
        Self { base: PathBase::new(event), texts, globs }
    }

    /// The working folders of an event and its call.
    pub fn for_folders(event: &Event) -> Self {
        let base = PathBase { folders: Vec::new(), ..PathBase::new(event) };
        let own = event.tool.as_ref().map(ToolCall::working_folders).unwrap_or_default();
        let texts = event.cwd.iter().cloned().chain(own);
        let texts = texts.map(|text| PathText { text, use_as: PathUse::Path }).collect();
        Self { base, texts, globs: Vec::new() }
    }
}

impl CanonicalPath {
    /// The path by its text alone.
    pub fn by_text(written: &str, base: &PathBase) -> Self {
        let mut names = Vec::new();
        for spelling in base.spellings(written) {
            add(&mut names, normalized(&spelling));
        }
        let unknown = has_more_readings(written) || base.folders.iter().any(|it| has_more_readings(it));
        Self { written: written.to_owned(), names, aliases: Vec::new(), unknown }
    }

    /// Paths of a call that could not be looked at one by one.
    pub fn unknown() -> Self {
        Self { unknown: true, ..Self::default() }
    }

    /// The paths of an event's call: as the runtime found them, else by text.
    pub fn from_event(event: &Event) -> Vec<Self> {
        let Some(tool) = &event.tool else { return Vec::new() };
        if !event.facts.paths.is_empty() {
            return event.facts.paths.clone();
        }
        let base = PathBase::new(event);
        let texts = tool.path_texts(&event.agent).into_iter().filter(|it| it.use_as != PathUse::IfExists);
        let path = |it: PathText| match it.use_as {
            PathUse::Unknown => Self::unknown(),
            PathUse::Path | PathUse::LookedUp | PathUse::IfExists => Self::by_text(&it.text, &base),
        };
        texts.map(path).collect()
    }

    /// The working folders of an event: as the runtime found them, else by text.
    pub fn folders_from_event(event: &Event) -> Vec<Self> {
        if !event.facts.folders.is_empty() {
            return event.facts.folders.clone();
        }
        let PathQuery { base, texts, .. } = PathQuery::for_folders(event);
        texts.iter().map(|it| Self::by_text(&it.text, &base)).collect()
    }

    /// Adds a name.
    pub fn add_name(&mut self, name: &str) {
        add(&mut self.names, normalized(name));
    }

    /// Whether one of its names matches the pattern.
    pub fn matches(&self, pattern: &Pattern, root: Option<&str>) -> bool {
        self.unknown
            || pattern.matches_path(&self.written, root) && (pattern.is_regex() || self.names.is_empty())
            || self.names.iter().any(|name| pattern.matches_path(name, root))
            || self.aliases.iter().any(|name| pattern.matches_path(name, None))
            || root.is_none() && self.matches_anywhere(pattern)
    }

    /// Whether a pattern for paths below a root fits below some folder. No root is known, so it could be any.
    #[cold]
    fn matches_anywhere(&self, pattern: &Pattern) -> bool {
        let fits = |name: &String| {
            let ends = name.match_indices('/').map(|(at, _)| &name[at + 1..]);
            ends.into_iter().any(|end| pattern.matches_path(end, None))
        };
        self.names.iter().any(fits)
    }

    /// Whether all of its names match one of the patterns.
    pub fn is_within(&self, patterns: &[Pattern], root: Option<&str>) -> bool {
        let within = |name: &String| patterns.iter().any(|pattern| pattern.matches_path(name, root));
        !self.unknown && !self.names.is_empty() && self.names.iter().all(within)
    }
}

/// Resolves `.`, `..` and `//` by text.
pub fn normalized(path: &str) -> String {
    let absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if absolute => {}
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if absolute { format!("/{joined}") } else { joined }
}

/// A path below a folder.
pub fn joined(folder: &str, path: &str) -> String {
    if path.is_empty() { folder.to_owned() } else { format!("{}/{path}", folder.trim_end_matches('/')) }
}

/// The path after `~/`, `$HOME/` or `${HOME}/`.
fn home_relative(text: &str) -> Option<&str> {
    let rest = ["~", "$HOME", "${HOME}"].iter().find_map(|home| text.strip_prefix(home))?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

fn add(list: &mut Vec<String>, text: String) {
    if !list.contains(&text) {
        list.push(text);
    }
}
