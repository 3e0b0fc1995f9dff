//! All hooks that are in force at one place.

use std::sync::Arc;

use crate::{ApproverName, EventKind, HookSpec, Layer, Limits, Message};

/// The hooks of all layers, and what is wrong with the others.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct HookSet {
    /// In the order of the layers and their files. Whoever keeps them for the next event keeps the same ones.
    #[cfg_attr(feature = "cache", serde(skip))]
    pub hooks: Vec<Arc<HookSpec>>,
    /// Which inherited hooks an agent does without.
    pub overrides: Vec<Override>,
    /// Where questions go that nobody else takes.
    pub approver: Option<ApproverName>,
    /// How much they may inject.
    pub limits: Limits,
    /// What is wrong with the files: hooks that are off are never off in silence.
    pub problems: Vec<Message>,
    /// Files whose last good version is in force in place of the one on disk. The user is notified at every deny.
    pub stale_files: Vec<Message>,
    /// Guards that valid changes of files have removed. The user is notified when a session starts.
    pub lost_guards: Vec<Message>,
}

/// `override: true` in an agent's section: at this event the agent has the hooks of the section alone.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct Override {
    /// The layer of the file.
    pub layer: Layer,
    /// The agent.
    pub section: String,
    /// The event.
    pub event: EventKind,
}

impl HookSet {
    /// A set without problems.
    pub fn new(hooks: impl IntoIterator<Item = impl Into<Arc<HookSpec>>>) -> Self {
        Self { hooks: hooks.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// And something that is wrong.
    #[must_use]
    pub fn with_problem(mut self, problem: Message) -> Self {
        self.problems.push(problem);
        self
    }

    /// This set and the next layer's. Limits are no list that could be extended, and stay as they are.
    pub fn extend(&mut self, other: Self) {
        let Self { hooks, overrides, approver, limits: _, problems, stale_files, lost_guards } = other;
        self.hooks.extend(hooks);
        self.overrides.extend(overrides);
        // The lowest layer is the owner of the machine, whose word counts.
        self.approver = self.approver.take().or(approver);
        self.problems.extend(problems);
        self.stale_files.extend(stale_files);
        self.lost_guards.extend(lost_guards);
    }
}
