//! Starts, revises and resolves entries. Pure functions from an entry and its input to the next entry.

#![expect(missing_docs, reason = "fields are those of the entry")]

use serde::Deserialize;
use tenter_contract::Timestamp;

use crate::clean::Cleaner;
use crate::entry::{Entry, HistoryEntry, Lesson, Outcome, RootCause};
use crate::error::{GhapError, NextStep};
use crate::limits::{LONG, SHORT, optional, required};
use crate::run::RunSeen;
use crate::who::Who;
use crate::words::{Category, Domain, Status, Strategy, Tier};

/// The input for a new entry.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Start {
    pub domain: Domain,
    pub strategy: Strategy,
    pub goal: String,
    pub hypothesis: String,
    pub action: String,
    pub prediction: String,
}

/// The changed parts of an entry; `None` keeps a part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Revision {
    pub hypothesis: Option<String>,
    pub action: Option<String>,
    pub prediction: Option<String>,
    pub strategy: Option<Strategy>,
    pub note: Option<String>,
}

/// How an entry ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolution {
    pub status: Status,
    pub result: String,
    /// The unexpected part; required for `falsified`.
    pub surprise: Option<String>,
    /// Category, as typed, and description of the cause; required for `falsified`.
    pub root_cause: Option<(String, String)>,
    pub lesson: Option<(String, Option<String>)>,
    /// `Some(false)`: the run that tenter saw does not count as evidence. Other values change nothing.
    pub auto_captured: Option<bool>,
}

impl Resolution {
    /// A resolution with only a status and a result.
    pub fn new(status: Status, result: impl Into<String>) -> Self {
        Self {
            status,
            result: result.into(),
            surprise: None,
            root_cause: None,
            lesson: None,
            auto_captured: None,
        }
    }
}

/// A result with fewer words describes nothing.
const THIN: usize = 3;

impl Entry {
    /// Starts an entry.
    pub fn begin(
        start: &Start,
        who: &Who,
        project: Option<&str>,
        now: Timestamp,
        cleaner: &Cleaner,
    ) -> Result<Self, GhapError> {
        let check = TextCheck(cleaner);
        Ok(Self {
            id: crate::id::new("ghap", now),
            session_id: who.session.as_str().to_owned(),
            created_at: now,
            domain: start.domain,
            strategy: start.strategy,
            goal: check.required("goal", &start.goal, SHORT)?,
            hypothesis: check.required("hypothesis", &start.hypothesis, SHORT)?,
            action: check.required("action", &start.action, SHORT)?,
            prediction: check.required("prediction", &start.prediction, SHORT)?,
            history: Vec::new(),
            iteration_count: 1,
            outcome: None,
            surprise: None,
            root_cause: None,
            lesson: None,
            confidence_tier: None,
            notes: Vec::new(),
            project: project.map(str::to_owned),
            agent_id: who.agent_id.clone(),
            adopted_from: None,
            runs: Vec::new(),
            further: serde_json::Map::new(),
        })
    }

    /// The revised entry. A changed hypothesis, action or prediction begins a new iteration and moves the old ones to
    /// the history.
    pub fn revised(
        mut self,
        revision: &Revision,
        now: Timestamp,
        cleaner: &Cleaner,
    ) -> Result<Self, GhapError> {
        let check = TextCheck(cleaner);
        let hypothesis = check.optional("hypothesis", revision.hypothesis.as_deref(), SHORT)?;
        let action = check.optional("action", revision.action.as_deref(), SHORT)?;
        let prediction = check.optional("prediction", revision.prediction.as_deref(), SHORT)?;
        let note = check.optional("note", revision.note.as_deref(), LONG)?;
        let texts = [&hypothesis, &action, &prediction, &note];
        if texts.iter().all(|text| text.is_none()) && revision.strategy.is_none() {
            return Err(GhapError::validation("nothing to update").with_hint(NextStep::PassChange));
        }
        let before = HistoryEntry {
            timestamp: now,
            hypothesis: self.hypothesis.clone(),
            action: self.action.clone(),
            prediction: self.prediction.clone(),
        };
        self.hypothesis = hypothesis.unwrap_or(self.hypothesis);
        self.action = action.unwrap_or(self.action);
        self.prediction = prediction.unwrap_or(self.prediction);
        let same = (&before.hypothesis, &before.action, &before.prediction)
            == (&self.hypothesis, &self.action, &self.prediction);
        if !same {
            self.history.push(before);
            self.iteration_count = self.iteration_count.saturating_add(1);
        }
        self.strategy = revision.strategy.unwrap_or(self.strategy);
        self.notes.extend(note);
        Ok(self)
    }

    /// The resolved entry; `runs` decides whether it is gold.
    pub fn resolved(
        mut self,
        resolution: &Resolution,
        now: Timestamp,
        cleaner: &Cleaner,
    ) -> Result<Self, GhapError> {
        let check = TextCheck(cleaner);
        let result = check.required("result", &resolution.result, LONG)?;
        let surprise = check.optional("surprise", resolution.surprise.as_deref(), LONG)?;
        let root_cause = match &resolution.root_cause {
            None => None,
            Some((category, description)) => Some(RootCause {
                category: Category::read(category)?,
                description: check.required("root_cause.description", description, LONG)?,
            }),
        };
        let lesson = match &resolution.lesson {
            None => None,
            Some((what_worked, takeaway)) => Some(Lesson {
                what_worked: check.required("lesson.what_worked", what_worked, LONG)?,
                takeaway: check.optional("lesson.takeaway", takeaway.as_deref(), LONG)?,
            }),
        };
        if resolution.status == Status::Falsified && (surprise.is_none() || root_cause.is_none()) {
            return Err(GhapError::validation("a falsified entry needs a surprise and a root cause")
                .with_hint(NextStep::ExplainFailure));
        }
        let status = resolution.status;
        let agrees = self.last_run().map(|run| run.says == Some(status));
        let auto_captured = agrees == Some(true) && resolution.auto_captured != Some(false);
        let thin = result.split_whitespace().count() < THIN;
        self.confidence_tier = Some(match status {
            Status::Abandoned => Tier::Abandoned,
            _ if auto_captured => Tier::Gold,
            _ if thin || self.adopted_from.is_some() || agrees == Some(false) => Tier::Bronze,
            _ => Tier::Silver,
        });
        self.outcome = Some(Outcome { status, result, captured_at: now, auto_captured });
        self.surprise = surprise;
        self.root_cause = root_cause;
        self.lesson = lesson;
        Ok(self)
    }

    /// The abandoned entry.
    pub fn abandoned(self, reason: &str, now: Timestamp, cleaner: &Cleaner) -> Result<Self, GhapError> {
        let reason = if reason.trim().is_empty() { "no reason" } else { reason };
        self.resolved(&Resolution::new(Status::Abandoned, reason), now, cleaner)
    }

    /// Whether the last run about the prediction agrees with the status.
    pub fn was_seen(&self) -> bool {
        self.last_run().is_some_and(|run| run.says == self.status())
    }

    /// The last run about the prediction, if it contradicts the status.
    pub fn contradicted(&self) -> Option<&RunSeen> {
        let decided = self.status().is_some_and(|status| status != Status::Abandoned);
        self.last_run().filter(|run| decided && run.says != self.status())
    }

    /// The remark for the agent if the last run contradicts its resolution.
    pub fn remark(&self) -> Option<String> {
        let (run, status, tier) = (self.contradicted()?, self.status()?, self.confidence_tier?);
        Some(format!(
            "{status} is your word: the last run that tenter saw says otherwise ({}: {}), so it counts as {tier}",
            run.runner, run.summary
        ))
    }

    /// The last run about the current prediction.
    fn last_run(&self) -> Option<&RunSeen> {
        self.runs.iter().rfind(|run| run.is_about(self))
    }
}

struct TextCheck<'a>(&'a Cleaner);

impl TextCheck<'_> {
    fn required(&self, name: &str, text: &str, limit: usize) -> Result<String, GhapError> {
        let clean = self.0.clean(&required(name, text, limit)?);
        if clean.is_empty() {
            let error = GhapError::validation(format!("`{name}` has only private text"));
            return Err(error.with_hint("send text that may be stored"));
        }
        Ok(clean)
    }

    fn optional(&self, name: &str, text: Option<&str>, limit: usize) -> Result<Option<String>, GhapError> {
        let clean = optional(name, text, limit)?.map(|text| self.0.clean(&text));
        Ok(clean.filter(|text| !text.is_empty()))
    }
}
