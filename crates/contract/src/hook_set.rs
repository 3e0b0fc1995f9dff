//! All active hooks of one place.

use std::sync::Arc;

use crate::{ApproverName, EventKind, HookSpec, Layer, Limits, Message};

/// The hooks of all layers, and what is wrong with the others.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct HookSet {
    /// The hooks, in the order of the layers and their files. Shared, so that keeping them for the next event costs
    /// nothing.
    #[cfg_attr(feature = "cache", serde(skip))]
    pub hooks: Vec<Arc<HookSpec>>,
    /// Which inherited hooks an agent does not have.
    pub overrides: Vec<Override>,
    /// The approver for questions that no other approver accepts.
    pub approver: Option<ApproverName>,
    /// How much they may inject.
    pub limits: Limits,
    /// What is wrong with the files: hooks that are off are never off in silence.
    pub problems: Vec<Message>,
    /// Files whose last good version is active in place of the one on disk. The user is notified at every deny.
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
    /// A set of these hooks, without problems.
    pub fn new(hooks: impl IntoIterator<Item = impl Into<Arc<HookSpec>>>) -> Self {
        Self { hooks: hooks.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Adds a problem.
    #[must_use]
    pub fn with_problem(mut self, problem: Message) -> Self {
        self.problems.push(problem);
        self
    }

    /// Adds the hooks of the next layer. The limits stay as they are.
    pub fn extend(&mut self, other: Self) {
        let Self { hooks, overrides, approver, limits: _, problems, stale_files, lost_guards } = other;
        self.hooks.extend(hooks);
        self.overrides.extend(overrides);
        // The lowest layer belongs to the owner of the machine and wins.
        self.approver = self.approver.take().or(approver);
        self.problems.extend(problems);
        self.stale_files.extend(stale_files);
        self.lost_guards.extend(lost_guards);
    }
}
