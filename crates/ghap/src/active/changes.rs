//! Starts, updates and resolves the active entry of an agent.

use tenter_contract::{SessionId, Timestamp};

use super::file::ActiveEntry;
use super::folder::{ActiveFolder, Locked};
use crate::cycle::{Resolution, Revision, Start};
use crate::entry::Entry;
use crate::error::{ErrorKind, GhapError, NextStep};
use crate::quote::shown;
use crate::who::Who;

impl ActiveFolder {
    /// The active entry of this agent.
    pub fn active(&self, who: &Who) -> Result<Option<Entry>, GhapError> {
        let found = self.read(&Self::name(who), None)?;
        Ok(found.filter(|active| active.entry.outcome.is_none()).map(|active| active.entry))
    }

    /// Starts an entry.
    pub fn start(
        &self,
        who: &Who,
        project: Option<&str>,
        start: &Start,
        now: Timestamp,
    ) -> Result<Entry, GhapError> {
        let entry = Entry::begin(start, who, project, now, &self.cleaner)?;
        let locked = self.lock()?;
        let name = Self::name(who);
        self.refuse_second(&locked, &name)?;
        self.begin_entry(&locked, &name, &entry)?;
        Ok(entry)
    }

    /// Revises the active entry.
    pub fn update(&self, who: &Who, revision: &Revision, now: Timestamp) -> Result<Entry, GhapError> {
        let locked = self.lock()?;
        let name = Self::name(who);
        let mut active = self.require_active(&locked, &name, "update")?;
        active.entry = active.entry.revised(revision, now, &self.cleaner)?;
        self.write(&locked, &name, &active)?;
        self.reset_tools(&name)?;
        Ok(active.entry)
    }

    /// Resolves the active entry and puts it into [`super::Waiting`]; a notice says so if that fails.
    pub fn resolve(&self, who: &Who, resolution: &Resolution, now: Timestamp) -> Result<Entry, GhapError> {
        let locked = self.lock()?;
        let name = Self::name(who);
        let active = self.require_active(&locked, &name, "resolve")?;
        self.finish(&locked, &name, active, |entry| entry.resolved(resolution, now, &self.cleaner))
    }

    /// Abandons the active entry.
    pub fn abandon(&self, who: &Who, reason: &str, now: Timestamp) -> Result<Entry, GhapError> {
        let locked = self.lock()?;
        let name = Self::name(who);
        let active = self.require_active(&locked, &name, "abandon")?;
        self.finish(&locked, &name, active, |entry| entry.abandoned(reason, now, &self.cleaner))
    }

    /// Abandons every entry of a session and its sub-agents.
    pub fn abandon_session(
        &self,
        session: &SessionId,
        reason: &str,
        now: Timestamp,
    ) -> Result<Vec<Entry>, GhapError> {
        self.for_session(session, |locked, name, active| {
            self.finish(locked, name, active, |entry| entry.abandoned(reason, now, &self.cleaner))
        })
    }

    /// Marks every entry of a session as left, so that the next session can adopt them.
    pub fn leave_session(&self, session: &SessionId, now: Timestamp) -> Result<Vec<Entry>, GhapError> {
        self.mark_session(session, Some(now))
    }

    /// Takes back the entries that the session left.
    pub fn return_to_session(&self, session: &SessionId) -> Result<Vec<Entry>, GhapError> {
        self.mark_session(session, None)
    }

    fn mark_session(&self, session: &SessionId, left_at: Option<Timestamp>) -> Result<Vec<Entry>, GhapError> {
        self.for_session(session, |locked, name, mut active| {
            active.set_left_at(left_at);
            self.boot.id().clone_into(&mut active.boot);
            self.write(locked, name, &active)?;
            Ok(active.entry)
        })
    }

    fn for_session(
        &self,
        session: &SessionId,
        change: impl Fn(&Locked, &str, ActiveEntry) -> Result<Entry, GhapError>,
    ) -> Result<Vec<Entry>, GhapError> {
        let names = self.names()?;
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let locked = self.lock()?;
        let mut changed = Vec::new();
        for name in names {
            let Some(active) = self.read(&name, Some(&locked))? else { continue };
            if active.entry.session_id == session.as_str() && active.entry.outcome.is_none() {
                changed.push(change(&locked, &name, active)?);
            }
        }
        Ok(changed)
    }

    pub(super) fn begin_entry(&self, locked: &Locked, name: &str, entry: &Entry) -> Result<(), GhapError> {
        // Runs of an earlier entry with this name prove nothing about this one.
        self.remove(locked, name, "runs")?;
        self.reset_tools(name)?;
        self.write(locked, name, &ActiveEntry::new(entry.clone(), self.boot.id()))
    }

    /// Fails if the agent has an active entry.
    pub(super) fn refuse_second(&self, locked: &Locked, name: &str) -> Result<(), GhapError> {
        match self.read(name, Some(locked))? {
            Some(active) if active.entry.outcome.is_none() => {
                let (id, goal) = (&active.entry.id, shown(&active.entry.goal));
                let message = format!("there is an active entry already: {id} (goal: {goal})");
                Err(GhapError::new(ErrorKind::ActiveExists, message).with_hint(NextStep::ResolveOrUpdate))
            }
            Some(done) => self.move_to_waiting(locked, name, &done.entry),
            None => Ok(()),
        }
    }

    fn require_active(&self, locked: &Locked, name: &str, what: &str) -> Result<ActiveEntry, GhapError> {
        let found = self.read(name, Some(locked))?;
        found.filter(|active| active.entry.outcome.is_none()).ok_or_else(|| {
            let message = format!("there is no active GHAP entry (a tracked hypothesis) to {what}");
            GhapError::not_found(message).with_hint(NextStep::Start)
        })
    }

    /// Writes the resolved entry, which makes the resolution final, and then moves it to the waiting file.
    pub(super) fn finish(
        &self,
        locked: &Locked,
        name: &str,
        mut active: ActiveEntry,
        end: impl FnOnce(Entry) -> Result<Entry, GhapError>,
    ) -> Result<Entry, GhapError> {
        active.entry.runs = self.runs_of(name, &active.entry);
        active.entry = end(active.entry)?;
        self.write(locked, name, &active)?;
        if let Err(why) = self.move_to_waiting(locked, name, &active.entry) {
            self.notice(format!("{} is resolved and will be stored later: {why}", active.entry.id));
        }
        Ok(active.entry)
    }

    pub(super) fn move_to_waiting(
        &self,
        locked: &Locked,
        name: &str,
        entry: &Entry,
    ) -> Result<(), GhapError> {
        self.waiting().add(locked, entry)?;
        // The entry goes first: the other files mean nothing without it.
        for what in ["json", "tools", "runs", "premortem"] {
            self.remove(locked, name, what)?;
        }
        Ok(())
    }
}
