//! One attempt, from what was expected to what came of it.

use serde::{Deserialize, Serialize};
use tenter_contract::Timestamp;

use crate::clean::Cleaner;
use crate::run::RunSeen;
use crate::words::{Category, Domain, Status, Strategy, Tier};

/// What an agent is trying and predicts, and how it came out.
///
/// Field names are those of the journals of the system that introduced such entries. What tenter adds can be
/// missing, so those journals can be read; what a later version adds is kept in `further` and written again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// `ghap_20261116_160431_a1b2c3`
    pub id: String,
    /// The session that works on it.
    pub session_id: String,
    /// When it was begun.
    #[serde(with = "crate::moment")]
    pub created_at: Timestamp,
    /// What kind of work.
    pub domain: Domain,
    /// How it is gone about.
    pub strategy: Strategy,
    /// What is wanted.
    pub goal: String,
    /// What is believed.
    pub hypothesis: String,
    /// What is done because of it.
    pub action: String,
    /// What will be seen if the belief is right.
    pub prediction: String,
    /// What was believed before, oldest first.
    #[serde(default)]
    pub history: Vec<HistoryEntry>,
    /// How often hypothesis, action or prediction were set: one more than `history` is long.
    #[serde(default = "one")]
    pub iteration_count: u32,
    /// How it ended; none while it is worked on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// What was not expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surprise: Option<String>,
    /// Why the prediction was wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_cause: Option<RootCause>,
    /// What to do next time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lesson: Option<Lesson>,
    /// How far it can be relied upon; none while it is worked on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence_tier: Option<Tier>,
    /// What was noted on the way.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Which project it is about; see `tenter_memory::project`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The sub-agent that works on it; none for the session's own agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The session that began it, if another one has taken it over since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adopted_from: Option<String>,
    /// Runs that tenter saw while it was worked on, latest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<RunSeen>,
    /// What another version knows and this one does not.
    #[serde(flatten)]
    pub further: serde_json::Map<String, serde_json::Value>,
}

fn one() -> u32 {
    1
}

/// What was believed at an earlier moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// When it received up.
    #[serde(with = "crate::moment")]
    pub timestamp: Timestamp,
    /// What was believed.
    pub hypothesis: String,
    /// What was done.
    pub action: String,
    /// What was predicted.
    pub prediction: String,
}

/// How an entry ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Right, wrong, or it is unknown.
    pub status: Status,
    /// What was seen.
    pub result: String,
    /// When.
    #[serde(with = "crate::moment")]
    pub captured_at: Timestamp,
    /// Whether tenter itself saw it come out so.
    #[serde(default)]
    pub auto_captured: bool,
}

/// Why a prediction was wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RootCause {
    /// Which kind of reason.
    pub category: Category,
    /// The reason.
    pub description: String,
}

/// What to do next time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lesson {
    /// What helped.
    pub what_worked: String,
    /// The rule in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub takeaway: Option<String>,
}

impl Entry {
    /// How it ended, if it has.
    pub fn status(&self) -> Option<Status> {
        self.outcome.as_ref().map(|outcome| outcome.status)
    }

    /// Takes out what must not be kept, wherever it is.
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
