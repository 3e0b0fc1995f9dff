//! What is asked of the memory, and what it answers.

#![expect(missing_docs, reason = "fields are named as in the tools")]

use serde::{Deserialize, Serialize};
use tenter_contract::Timestamp;
use tenter_ghap::{Domain, Entry, Status};

use crate::Project;
use crate::words::{Axis, MemoryCategory, SearchMode};

/// Whose experiences and memories count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Those of this project, and those of no project in particular.
    Project(Project),
    /// All.
    Everywhere,
}

/// Which experiences are wanted.
#[derive(Clone, Debug)]
pub struct ExperienceQuery {
    pub text: String,
    pub axis: Axis,
    pub domain: Option<Domain>,
    pub outcome: Option<Status>,
    pub limit: usize,
    pub mode: SearchMode,
    pub scope: Scope,
    /// Only what is worth showing without a query.
    pub unasked: bool,
}

impl ExperienceQuery {
    /// The full axis, by both means, ten at most.
    pub fn new(text: impl Into<String>, scope: Scope) -> Self {
        Self {
            text: text.into(),
            axis: Axis::Full,
            domain: None,
            outcome: None,
            limit: 10,
            mode: SearchMode::Hybrid,
            scope,
            unasked: false,
        }
    }
}

/// A resolved or abandoned entry, as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Experience {
    pub entry: Entry,
    /// The experience that took its place, if one has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
}

/// How well something fits a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Fit {
    /// How much it is about what was asked, comparable between questions; a floor is laid on this one.
    pub relevance: f32,
    /// The relevance, weighted by tier or importance and by age. Results come in this order.
    pub score: f32,
    pub cosine: Option<f32>,
    pub bm25: Option<f32>,
    /// What its relevance must reach, among as many texts as it was chosen from.
    pub floor: f32,
    /// Whether it has every word of the question that says something: enough for a query with a word or two.
    pub has_all_words: bool,
}

impl Fit {
    /// Whether it is worth showing without a query.
    pub fn is_relevant(&self) -> bool {
        self.relevance >= self.floor
    }
}

/// An experience that was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExperienceHit {
    pub entry: Entry,
    pub axis: Axis,
    pub fit: Fit,
}

/// Which entries are listed, latest first.
#[derive(Clone, Debug)]
pub struct EntryFilter {
    pub limit: usize,
    pub domain: Option<Domain>,
    pub outcome: Option<Status>,
    pub since: Option<Timestamp>,
    pub session: Option<String>,
    pub scope: Scope,
}

impl EntryFilter {
    /// The latest twenty.
    pub fn new(scope: Scope) -> Self {
        Self { limit: 20, domain: None, outcome: None, since: None, session: None, scope }
    }
}

/// Something to remember.
#[derive(Clone, Debug)]
pub struct NewMemory {
    pub content: String,
    pub category: Option<MemoryCategory>,
    /// From 0 to 1; by default what it was, and 0.5 if it is new.
    pub importance: Option<f64>,
    pub tags: Vec<String>,
    pub project: Option<Project>,
}

/// Something that is remembered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryItem {
    pub id: String,
    pub content: String,
    pub category: MemoryCategory,
    /// From 0 to 1.
    pub importance: f64,
    #[serde(default)]
    pub tags: Vec<String>,
    #[serde(with = "tenter_ghap::moment")]
    pub created_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The memory that took its place, if one has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
}

/// The project of what waits for a person's yes begins so; behind it is the project that it shall have, and nothing
/// if that is every one. No folder and no origin has such a name, so nothing of it is recalled.
pub(crate) const PENDING: &str = "pending:";

pub(crate) fn is_pending(project: &str) -> bool {
    project.starts_with(PENDING)
}

/// From which importance on every session is reported of a memory.
pub(crate) const IMPORTANT: f64 = 0.8;
pub(crate) const USUAL: f64 = 0.5;

impl MemoryItem {
    /// Whether it waits for a person's yes: until then no session is reported of it.
    pub fn is_pending(&self) -> bool {
        self.project.as_deref().is_some_and(is_pending)
    }

    /// Whether every session is reported at its start; all others are recalled when a prompt is about them. Preferences are,
    /// unless a user made little of them, and so is what is important.
    pub fn is_shown_at_start(&self) -> bool {
        let least = if self.category == MemoryCategory::Preference { USUAL } else { IMPORTANT };
        self.importance >= least && self.superseded_by.is_none()
    }
}

/// Which memories are wanted, best first.
#[derive(Clone, Debug)]
pub struct MemoryQuery {
    pub text: String,
    pub limit: usize,
    pub category: Option<MemoryCategory>,
    pub min_importance: f64,
    pub mode: SearchMode,
    pub scope: Scope,
    /// Only what is worth showing without a query.
    pub unasked: bool,
}

impl MemoryQuery {
    /// Ten at most, by both means.
    pub fn new(text: impl Into<String>, scope: Scope) -> Self {
        Self {
            text: text.into(),
            limit: 10,
            category: None,
            min_importance: 0.0,
            mode: SearchMode::Hybrid,
            scope,
            unasked: false,
        }
    }
}

/// A memory that was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MemoryHit {
    pub memory: MemoryItem,
    pub fit: Fit,
}

/// Which memories are listed, latest first.
#[derive(Clone, Debug)]
pub struct MemoryFilter {
    pub category: Option<MemoryCategory>,
    pub tags: Vec<String>,
    /// Only those that every session is reported of at its start.
    pub shown_at_start: bool,
    pub limit: usize,
    pub offset: usize,
    pub scope: Scope,
}

impl MemoryFilter {
    /// The latest fifty.
    pub fn new(scope: Scope) -> Self {
        Self { category: None, tags: Vec::new(), shown_at_start: false, limit: 50, offset: 0, scope }
    }
}

/// A page of the journal, before it is written.
#[derive(Clone, Debug, Default)]
pub struct NewJournalEntry {
    pub summary: String,
    pub working_directory: Option<String>,
    pub friction_points: Vec<String>,
    pub next_steps: Vec<String>,
    /// The session log, if a user wants to check it later.
    pub session_log: Option<String>,
    pub session: Option<String>,
    pub project: Option<Project>,
}

/// A page of the journal: what a session did, for those who come after it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalEntry {
    pub id: String,
    #[serde(with = "tenter_ghap::moment")]
    pub created_at: Timestamp,
    pub summary: String,
    #[serde(default)]
    pub working_directory: Option<String>,
    /// The last part of where.
    #[serde(default)]
    pub project_name: Option<String>,
    #[serde(default)]
    pub friction_points: Vec<String>,
    #[serde(default)]
    pub next_steps: Vec<String>,
    #[serde(default)]
    pub session_id: Option<String>,
    #[serde(default)]
    pub project: Option<String>,
    #[serde(default, with = "crate::types::maybe_moment")]
    pub reflected_at: Option<Timestamp>,
    #[serde(default)]
    pub memories_created: u32,
    /// The session log; returned only if it is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_log: Option<String>,
}

/// Which pages are listed, latest first.
#[derive(Clone, Debug)]
pub struct JournalFilter {
    pub unreflected_only: bool,
    pub working_directory: Option<String>,
    /// Only those of folders of this name.
    pub project_name: Option<String>,
    pub limit: usize,
    pub scope: Scope,
}

impl JournalFilter {
    /// The latest fifty.
    pub fn new(scope: Scope) -> Self {
        Self { unreflected_only: false, working_directory: None, project_name: None, limit: 50, scope }
    }
}

/// Where an entry went when it was done with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreStatus {
    /// Into the store.
    Stored,
    /// Into `waiting.jsonl`, because the store cannot be used; the next that can takes it up.
    Waiting {
        /// Why, and what to do about it: to be shown to the user.
        why: String,
    },
}

/// An entry that was resolved or abandoned.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    pub entry: Entry,
    pub store_status: StoreStatus,
}

/// An entry that is not resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Unresolved {
    pub entry: Entry,
    /// When something was last received from its session.
    pub last_seen: Timestamp,
    /// No process works on it any more, and the caller may take it up.
    pub is_orphan: bool,
}

/// An entry that no session works on.
#[derive(Clone, Debug, PartialEq)]
pub struct Orphan {
    pub entry: Entry,
    /// When something was last received from its session.
    pub last_seen: Timestamp,
}

/// How a session ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    pub abandoned: Vec<Resolved>,
    /// How many entries of the session were resolved, by how they ended: confirmed, falsified, abandoned.
    pub resolved: [usize; 3],
}

/// How a file is taken over.
#[derive(Clone, Debug, Default)]
pub struct ImportAs {
    /// The project of what does not say which one it is about.
    pub unnamed: Option<Project>,
    /// The project of everything that is about one, whichever the file says.
    pub all_to: Option<Project>,
    /// Also what was forgotten here.
    pub with_forgotten: bool,
    /// For an agent: what is about another project is refused, and a memory about every one waits for a person's yes.
    pub only: Option<Project>,
}

/// What was taken over from a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Imported {
    pub taken: usize,
    pub known: usize,
    /// How many were forgotten here, and stay so.
    pub forgotten: usize,
    pub projects: std::collections::BTreeMap<String, usize>,
    /// Lines that could not be read: number and reason.
    pub refused: Vec<(usize, String)>,
    /// How many called themselves gold without a run that says so, and are kept as silver.
    pub lowered: usize,
}

/// What came of a repair.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Repaired {
    pub saved: Counts,
    /// Ids of what could not, as far as they are known.
    pub lost: Vec<String>,
    /// How many pages were cut off the damaged files; their content is unknown.
    pub missing_pages: u32,
    /// Where the damaged files lie now; none if nothing was damaged.
    pub damaged_files: Vec<std::path::PathBuf>,
}

/// A project that something is known of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct KnownProject {
    pub name: Option<String>,
    #[serde(flatten)]
    pub counts: Counts,
}

/// How much of what there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub experiences: usize,
    pub memories: usize,
    pub journal: usize,
}

/// What is in the store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    pub experiences: [usize; 3],
    /// Experiences by tier: gold, silver, bronze, abandoned.
    pub tiers: [usize; 4],
    pub memories: usize,
    pub journal: usize,
    pub active: usize,
    pub waiting: usize,
    pub projects: usize,
    pub bytes: u64,
    pub model: String,
}

pub(crate) mod maybe_moment {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
    use tenter_contract::Timestamp;

    #[expect(clippy::ref_option, reason = "serde hands a field over so")]
    pub(crate) fn serialize<S: Serializer>(moment: &Option<Timestamp>, to: S) -> Result<S::Ok, S::Error> {
        moment.map(|moment| moment.to_string()).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Timestamp>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        let unknown = |text: String| de::Error::custom(format!("`{text}` is no moment in UTC"));
        text.map(|text| tenter_ghap::moment::parse(&text).ok_or_else(|| unknown(text))).transpose()
    }
}
