//! The stored form of a GHAP entry.

#![expect(missing_docs, reason = "fields are named as in journals")]

use serde::{Deserialize, Serialize};
use tenter_contract::Timestamp;

use crate::clean::Cleaner;
use crate::run::RunSeen;
use crate::words::{Category, Domain, Status, Strategy, Tier};

/// A tracked hypothesis: goal, hypothesis, action, prediction, and the outcome.
///
/// Field names are those of the journals of the system that introduced such entries. Fields that tenter added are
/// optional, so those journals can be read. Fields of later versions are kept in `further`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// `ghap_20261116_160431_a1b2c3`
    pub id: String,
    pub session_id: String,
    #[serde(with = "crate::moment")]
    pub created_at: Timestamp,
    pub domain: Domain,
    pub strategy: Strategy,
    pub goal: String,
    pub hypothesis: String,
    pub action: String,
    pub prediction: String,
    /// Earlier iterations, oldest first.
    #[serde(default)]
    pub history: Vec<HistoryEntry>,
    /// The number of iterations: one more than `history` has.
    #[serde(default = "one")]
    pub iteration_count: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surprise: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_cause: Option<RootCause>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lesson: Option<Lesson>,
    /// The evidence for the outcome; none while the entry is active.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence_tier: Option<Tier>,
    #[serde(default)]
    pub notes: Vec<String>,
    /// The project; see `tenter_memory::project`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The sub-agent that works on it; none for the session's own agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The session that started it, if another one adopted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adopted_from: Option<String>,
    /// Runs that tenter saw while the entry was active, latest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<RunSeen>,
    /// Fields of later versions.
    #[serde(flatten)]
    pub further: serde_json::Map<String, serde_json::Value>,
}

fn one() -> u32 {
    1
}

/// An earlier iteration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryEntry {
    #[serde(with = "crate::moment")]
    pub timestamp: Timestamp,
    pub hypothesis: String,
    pub action: String,
    pub prediction: String,
}

/// The outcome of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    pub status: Status,
    pub result: String,
    #[serde(with = "crate::moment")]
    pub captured_at: Timestamp,
    /// Whether a run that tenter saw proves it.
    #[serde(default)]
    pub auto_captured: bool,
}

/// The cause of a wrong prediction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RootCause {
    pub category: Category,
    pub description: String,
}

/// A lesson for later work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lesson {
    pub what_worked: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub takeaway: Option<String>,
}

impl Entry {
    /// The status of the outcome.
    pub fn status(&self) -> Option<Status> {
        self.outcome.as_ref().map(|outcome| outcome.status)
    }

    /// Cleans all texts of the entry.
    pub fn clean(&mut self, cleaner: &Cleaner) {
        let mut texts = vec![&mut self.goal, &mut self.hypothesis, &mut self.action, &mut self.prediction];
        texts.extend(self.notes.iter_mut().chain(&mut self.surprise));
        for before in &mut self.history {
            texts.extend([&mut before.hypothesis, &mut before.action, &mut before.prediction]);
        }
        texts.extend(self.outcome.iter_mut().map(|outcome| &mut outcome.result));
        texts.extend(self.root_cause.iter_mut().map(|cause| &mut cause.description));
        if let Some(lesson) = &mut self.lesson {
            texts.push(&mut lesson.what_worked);
            texts.extend(&mut lesson.takeaway);
        }
        for run in &mut self.runs {
            texts.extend([&mut run.runner, &mut run.summary]);
        }
        for text in texts {
            *text = cleaner.clean(text);
        }
    }
}
