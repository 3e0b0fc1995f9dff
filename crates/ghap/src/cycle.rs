//! The life of an entry: begun, revised, resolved or abandoned. Pure: an entry and what is stated go in, the next
//! entry comes out.

use tenter_contract::Timestamp;

use crate::clean::Cleaner;
use crate::entry::{Entry, HistoryEntry, Lesson, Outcome, RootCause};
use crate::error::{GhapError, NextStep};
use crate::limits::{LONG, SHORT, optional, required};
use crate::run::RunSeen;
use crate::who::Who;
use crate::words::{Category, Domain, Status, Strategy, Tier};

/// With which an entry begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
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
}

/// What is stated anew; what is none stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Revision {
    /// What is believed now.
    pub hypothesis: Option<String>,
    /// What is done now.
    pub action: Option<String>,
    /// What is predicted now.
    pub prediction: Option<String>,
    /// How it is gone about now.
    pub strategy: Option<Strategy>,
    /// What should be remembered of the way.
    pub note: Option<String>,
}

/// How an entry ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolution {
    /// Right, wrong, or it is unknown.
    pub status: Status,
    /// What was seen.
    pub result: String,
    /// What was not expected; needed if it was wrong.
    pub surprise: Option<String>,
    /// Why it was wrong: category, as a user typed it, and description; needed if it was wrong.
    pub root_cause: Option<(String, String)>,
    /// What helped, and the rule in it.
    pub lesson: Option<(String, Option<String>)>,
    /// `Some(false)`: it is not to count as seen by tenter, even if tenter saw it. Nothing else can be claimed.
    pub auto_captured: Option<bool>,
}

impl Resolution {
    /// An end about which nothing further is stated.
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

/// Fewer words than this do not say what was seen.
const THIN: usize = 3;

impl Entry {
    /// A new entry.
    pub fn begin(
        start: &Start,
        who: &Who,
        project: Option<&str>,
        now: Timestamp,
        cleaner: &Cleaner,
    ) -> Result<Self, GhapError> {
        let said = TextCheck(cleaner);
        Ok(Self {
            id: crate::id::new("ghap", now),
            session_id: who.session.as_str().to_owned(),
            created_at: now,
            domain: start.domain,
            strategy: start.strategy,
            goal: said.required("goal", &start.goal, SHORT)?,
            hypothesis: said.required("hypothesis", &start.hypothesis, SHORT)?,
            action: said.required("action", &start.action, SHORT)?,
            prediction: said.required("prediction", &start.prediction, SHORT)?,
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

    /// The entry with what is stated anew. What was believed before goes into the history if any of it changes;
    /// another strategy or a note alone is no new iteration.
    pub fn revised(
        mut self,
        revision: &Revision,
        now: Timestamp,
        cleaner: &Cleaner,
    ) -> Result<Self, GhapError> {
        let said = TextCheck(cleaner);
        let hypothesis = said.optional("hypothesis", revision.hypothesis.as_deref(), SHORT)?;
        let action = said.optional("action", revision.action.as_deref(), SHORT)?;
        let prediction = said.optional("prediction", revision.prediction.as_deref(), SHORT)?;
        let note = said.optional("note", revision.note.as_deref(), LONG)?;
        if hypothesis.is_none()
            && action.is_none()
            && prediction.is_none()
            && note.is_none()
            && revision.strategy.is_none()
        {
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

    /// The entry with its end. What tenter saw of it itself is in `runs`.
    pub fn resolved(
        mut self,
        resolution: &Resolution,
        now: Timestamp,
        cleaner: &Cleaner,
    ) -> Result<Self, GhapError> {
        let said = TextCheck(cleaner);
        let result = said.required("result", &resolution.result, LONG)?;
        let surprise = said.optional("surprise", resolution.surprise.as_deref(), LONG)?;
        let root_cause = match &resolution.root_cause {
            None => None,
            Some((category, description)) => Some(RootCause {
                category: Category::read(category)?,
                description: said.required("root_cause.description", description, LONG)?,
            }),
        };
        let lesson = match &resolution.lesson {
            None => None,
            Some((what_worked, takeaway)) => Some(Lesson {
                what_worked: said.required("lesson.what_worked", what_worked, LONG)?,
                takeaway: said.optional("lesson.takeaway", takeaway.as_deref(), LONG)?,
            }),
        };
        if resolution.status == Status::Falsified && (surprise.is_none() || root_cause.is_none()) {
            return Err(GhapError::validation("a falsified entry needs a surprise and a root cause")
                .with_hint(NextStep::ExplainFailure));
        }
        let status = resolution.status;
        let agrees = self.last_word().map(|run| run.says == Some(status));
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

    /// The entry, abandoned for this reason.
    pub fn abandoned(self, reason: &str, now: Timestamp, cleaner: &Cleaner) -> Result<Self, GhapError> {
        let reason = if reason.trim().is_empty() { "no reason" } else { reason };
        self.resolved(&Resolution::new(Status::Abandoned, reason), now, cleaner)
    }

    /// Whether the last run that says something about the prediction says what the entry ended with.
    pub fn was_seen(&self) -> bool {
        self.last_word().is_some_and(|run| run.says == self.status())
    }

    /// The last run that says something about the prediction, if it says otherwise than the entry ended.
    pub fn contradicted(&self) -> Option<&RunSeen> {
        let decided = self.status().is_some_and(|status| status != Status::Abandoned);
        self.last_word().filter(|run| decided && run.says != self.status())
    }

    /// What the one that has just resolved it must know: that tenter saw otherwise.
    pub fn remark(&self) -> Option<String> {
        let (run, status, tier) = (self.contradicted()?, self.status()?, self.confidence_tier?);
        Some(format!(
            "{status} is your word: the last run that tenter saw says otherwise ({}: {}), so it counts as {tier}",
            run.runner, run.summary
        ))
    }

    /// The last run that says something about the prediction. One before the prediction was last changed says nothing
    /// about what is predicted now.
    fn last_word(&self) -> Option<&RunSeen> {
        self.runs.iter().rfind(|run| run.is_about(self))
    }
}

struct TextCheck<'a>(&'a Cleaner);

impl TextCheck<'_> {
    fn required(&self, name: &str, text: &str, limit: usize) -> Result<String, GhapError> {
        let clean = self.0.clean(&required(name, text, limit)?);
        if clean.is_empty() {
            let message = format!("nothing is left of `{name}` but what is private");
            return Err(GhapError::validation(message).with_hint("say what may be kept"));
        }
        Ok(clean)
    }

    fn optional(&self, name: &str, text: Option<&str>, limit: usize) -> Result<Option<String>, GhapError> {
        let clean = optional(name, text, limit)?.map(|text| self.0.clean(&text));
        Ok(clean.filter(|text| !text.is_empty()))
    }
}
