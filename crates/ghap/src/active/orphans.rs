//! Entries that nobody works on any more, and taking them up again.

use std::time::Duration;

use tenter_contract::Timestamp;
use tenter_store::audit::boot::was_between;

use super::file::ActiveEntry;
use super::folder::{ActiveFolder, Locked, unusable};
use crate::entry::Entry;
use crate::error::GhapError;
use crate::who::Who;

/// A session of which nothing was heard for so long may be taken for gone. Whether it is, nobody can know.
pub const SILENT: Duration = Duration::from_mins(10);

impl ActiveFolder {
    /// Every entry that is being worked on, and when something was last heard of it. What others were stopped at is
    /// finished on the way.
    pub fn all(&self) -> Result<Vec<(ActiveEntry, Timestamp)>, GhapError> {
        Ok(self.named()?.into_iter().map(|(name, active)| (active, self.last_seen(&name))).collect())
    }

    /// Entries of a project that others left behind, latest first: their session has ended, the machine was started
    /// anew, or nothing was heard of them for a while.
    pub fn orphans(
        &self,
        who: &Who,
        project: Option<&str>,
        now: Timestamp,
    ) -> Result<Vec<(Entry, Timestamp)>, GhapError> {
        let mut orphans: Vec<_> = self
            .all()?
            .into_iter()
            .filter(|(active, seen)| self.is_orphan(active, *seen, who, project, now))
            .map(|(active, seen)| (active.entry, seen))
            .collect();
        orphans.sort_by_key(|(_, seen)| std::cmp::Reverse(*seen));
        Ok(orphans)
    }

    /// Takes an orphan up as this agent's own; without an id the latest one.
    pub fn adopt(
        &self,
        who: &Who,
        project: Option<&str>,
        id: Option<&str>,
        now: Timestamp,
    ) -> Result<Entry, GhapError> {
        let locked = self.lock()?;
        let mine = Self::name(who);
        self.refuse_second(&locked, &mine)?;
        let (theirs, active) = self.orphan(&locked, who, project, id, now)?;
        let mut entry = active.entry;
        entry.runs = self.runs_of(&theirs, &entry);
        entry.adopted_from = Some(std::mem::replace(&mut entry.session_id, who.session.as_str().to_owned()));
        entry.agent_id.clone_from(&who.agent_id);
        // The rename is the moment it changes hands; should this be the last thing that happens, it is still one
        // entry, and an orphan.
        let (from, to) = (self.file(&theirs, "json"), self.file(&mine, "json"));
        std::fs::rename(&from, &to).map_err(unusable(&from))?;
        self.take_up(&locked, &mine, &entry)?;
        for what in ["tools", "runs", "premortem"] {
            self.remove(&locked, &theirs, what)?;
        }
        Ok(entry)
    }

    /// Gives an orphan up; without an id the latest one.
    pub fn abandon_orphan(
        &self,
        who: &Who,
        project: Option<&str>,
        id: Option<&str>,
        reason: &str,
        now: Timestamp,
    ) -> Result<Entry, GhapError> {
        let locked = self.lock()?;
        let (name, active) = self.orphan(&locked, who, project, id, now)?;
        self.finish(&locked, &name, active, |entry| entry.abandoned(reason, now, &self.cleaner))
    }

    fn orphan(
        &self,
        locked: &Locked,
        who: &Who,
        project: Option<&str>,
        id: Option<&str>,
        now: Timestamp,
    ) -> Result<(String, ActiveEntry), GhapError> {
        let mut found = None;
        for name in self.names()? {
            let Some(active) = self.read(&name, Some(locked))? else { continue };
            let seen = self.last_seen(&name);
            let wanted = id.is_none_or(|id| active.entry.id == id);
            let later = found.as_ref().is_none_or(|(best, _)| seen > *best);
            if wanted && later && self.is_orphan(&active, seen, who, project, now) {
                found = Some((seen, (name, active)));
            }
        }
        found.map(|(_, orphan)| orphan).ok_or_else(|| {
            GhapError::not_found(match id {
                Some(id) => format!("`{id}` is no orphan of this project; `get_orphan` says which there are"),
                None => "no entry of this project was left behind".to_owned(),
            })
        })
    }

    fn is_orphan(
        &self,
        active: &ActiveEntry,
        seen: Timestamp,
        who: &Who,
        project: Option<&str>,
        now: Timestamp,
    ) -> bool {
        let entry = &active.entry;
        let silent_ms = u64::try_from(SILENT.as_millis()).unwrap_or(u64::MAX);
        let silent = now.unix_ms.saturating_sub(seen.unix_ms) > silent_ms;
        entry.outcome.is_none()
            && entry.session_id != who.session.as_str()
            && entry.project.as_deref() == project
            && (active.left_at().is_some() || was_between(&active.boot, self.boot.id()) || silent)
    }

    fn named(&self) -> Result<Vec<(String, ActiveEntry)>, GhapError> {
        let mut all = Vec::new();
        for name in self.names()? {
            match self.read(&name, None)? {
                Some(active) if active.entry.outcome.is_none() => all.push((name, active)),
                Some(_) => self.finish_for_another(&name)?,
                None => {}
            }
        }
        Ok(all)
    }

    /// Puts away an entry whose agent was stopped after it was resolved.
    fn finish_for_another(&self, name: &str) -> Result<(), GhapError> {
        let locked = self.lock()?;
        match self.read(name, Some(&locked))? {
            Some(done) if done.entry.outcome.is_some() => self.put_away(&locked, name, &done.entry),
            _ => Ok(()),
        }
    }
}
