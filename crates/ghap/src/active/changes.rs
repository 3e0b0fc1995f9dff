//! What agents do with their entry.

use tenter_contract::{SessionId, Timestamp};

use super::file::ActiveEntry;
use super::folder::{ActiveFolder, Locked};
use crate::cycle::{Resolution, Revision, Start};
use crate::entry::Entry;
use crate::error::{ErrorKind, GhapError, NextStep};
use crate::quote::shown;
use crate::who::Who;

impl ActiveFolder {
    /// The entry this agent works on.
    pub fn active(&self, who: &Who) -> Result<Option<Entry>, GhapError> {
        let found = self.read(&Self::name(who), None)?;
        Ok(found.filter(|active| active.entry.outcome.is_none()).map(|active| active.entry))
    }

    /// Begins an entry.
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
        self.take_up(&locked, &name, &entry)?;
        Ok(entry)
    }

    /// Says something anew.
    pub fn update(&self, who: &Who, revision: &Revision, now: Timestamp) -> Result<Entry, GhapError> {
        let locked = self.lock()?;
        let name = Self::name(who);
        let mut active = self.of(&locked, &name, "update")?;
        active.entry = active.entry.revised(revision, now, &self.cleaner)?;
        self.write(&locked, &name, &active)?;
        self.reset_tools(&name)?;
        Ok(active.entry)
    }

    /// Ends an entry. It is done with when this returns, and lies in [`super::Waiting`] unless a notice says that it
    /// could not be put there.
    pub fn resolve(&self, who: &Who, resolution: &Resolution, now: Timestamp) -> Result<Entry, GhapError> {
        let locked = self.lock()?;
        let name = Self::name(who);
        let active = self.of(&locked, &name, "resolve")?;
        self.finish(&locked, &name, active, |entry| entry.resolved(resolution, now, &self.cleaner))
    }

    /// Returns an entry up.
    pub fn abandon(&self, who: &Who, reason: &str, now: Timestamp) -> Result<Entry, GhapError> {
        let locked = self.lock()?;
        let name = Self::name(who);
        let active = self.of(&locked, &name, "abandon")?;
        self.finish(&locked, &name, active, |entry| entry.abandoned(reason, now, &self.cleaner))
    }

    /// Returns up every entry of a session and its sub-agents.
    pub fn abandon_session(
        &self,
        session: &SessionId,
        reason: &str,
        now: Timestamp,
    ) -> Result<Vec<Entry>, GhapError> {
        self.of_session(session, |locked, name, active| {
            self.finish(locked, name, active, |entry| entry.abandoned(reason, now, &self.cleaner))
        })
    }

    /// Leaves every entry of a session to the next session.
    pub fn leave_session(&self, session: &SessionId, now: Timestamp) -> Result<Vec<Entry>, GhapError> {
        self.mark_session(session, Some(now))
    }

    /// The session is there again, so its entries are its own.
    pub fn return_to_session(&self, session: &SessionId) -> Result<Vec<Entry>, GhapError> {
        self.mark_session(session, None)
    }

    fn mark_session(&self, session: &SessionId, left_at: Option<Timestamp>) -> Result<Vec<Entry>, GhapError> {
        self.of_session(session, |locked, name, mut active| {
            active.set_left_at(left_at);
            self.boot.id().clone_into(&mut active.boot);
            self.write(locked, name, &active)?;
            Ok(active.entry)
        })
    }

    fn of_session(
        &self,
        session: &SessionId,
        each: impl Fn(&Locked, &str, ActiveEntry) -> Result<Entry, GhapError>,
    ) -> Result<Vec<Entry>, GhapError> {
        let names = self.names()?;
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let locked = self.lock()?;
        let mut done = Vec::new();
        for name in names {
            let Some(active) = self.read(&name, Some(&locked))? else { continue };
            if active.entry.session_id == session.as_str() && active.entry.outcome.is_none() {
                done.push(each(&locked, &name, active)?);
            }
        }
        Ok(done)
    }

    pub(super) fn take_up(&self, locked: &Locked, name: &str, entry: &Entry) -> Result<(), GhapError> {
        // Runs of another entry under this name would prove nothing about this one; they go before it comes.
        self.remove(locked, name, "runs")?;
        self.reset_tools(name)?;
        self.write(locked, name, &ActiveEntry::new(entry.clone(), self.boot.id()))
    }

    /// Refuses to take up an entry where there is one.
    pub(super) fn refuse_second(&self, locked: &Locked, name: &str) -> Result<(), GhapError> {
        match self.read(name, Some(locked))? {
            Some(active) if active.entry.outcome.is_none() => {
                let (id, goal) = (&active.entry.id, shown(&active.entry.goal));
                let message = format!("there is an active entry already: {id} (goal: {goal})");
                Err(GhapError::new(ErrorKind::ActiveExists, message).with_hint(NextStep::ResolveOrUpdate))
            }
            Some(done) => self.put_away(locked, name, &done.entry),
            None => Ok(()),
        }
    }

    fn of(&self, locked: &Locked, name: &str, what: &str) -> Result<ActiveEntry, GhapError> {
        let found = self.read(name, Some(locked))?;
        found.filter(|active| active.entry.outcome.is_none()).ok_or_else(|| {
            GhapError::not_found(format!("there is no active entry to {what}")).with_hint(NextStep::Start)
        })
    }

    /// Writes the end of an entry, which is the moment it counts, and puts it away.
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
        if let Err(why) = self.put_away(locked, name, &active.entry) {
            self.notice(format!("{} is resolved and will be stored later: {why}", active.entry.id));
        }
        Ok(active.entry)
    }

    pub(super) fn put_away(&self, locked: &Locked, name: &str, entry: &Entry) -> Result<(), GhapError> {
        self.waiting().add(locked, entry)?;
        // Its own file goes first: what remains without it means nothing.
        for what in ["json", "tools", "runs", "premortem"] {
            self.remove(locked, name, what)?;
        }
        Ok(())
    }
}
