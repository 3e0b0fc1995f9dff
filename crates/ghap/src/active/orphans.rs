//! Orphans: entries whose session ended, and their adoption.

use std::time::Duration;

use tenter_contract::Timestamp;
use tenter_store::audit::boot::is_restart;

use super::file::ActiveEntry;
use super::folder::{ActiveFolder, Locked, unusable};
use crate::entry::Entry;
use crate::error::{GhapError, Hint, NextStep};
use crate::who::Who;

/// A session whose process is unknown counts as ended after this time without activity.
pub const SILENT: Duration = Duration::from_mins(10);
/// An entry that a user started at a terminal becomes an orphan after this time.
pub const BY_HAND: Duration = Duration::from_hours(24);

/// Whether a session is alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Liveness {
    /// Its agent runs.
    GoesOn,
    /// Its agent ended.
    Gone,
    /// Unknown.
    Unknown,
}

/// A search for orphans.
#[derive(Clone, Copy)]
pub struct OrphanSearch<'a> {
    /// The agent that searches.
    pub who: &'a Who,
    /// Its project.
    pub project: Option<&'a str>,
    /// The current time.
    pub now: Timestamp,
    /// Whether the session with this id is alive.
    pub life: &'a dyn Fn(&str) -> Liveness,
}

enum Reason {
    Elsewhere,
    Own,
    GoesOn,
    ByHand,
    RecentActivity(Duration),
}

impl Reason {
    fn describe(&self, Entry { id, session_id, agent_id, project, .. }: &Entry) -> GhapError {
        let refuse = |message: String, hint: Hint| GhapError::not_found(message).with_hint(hint);
        match self {
            Self::Elsewhere => {
                let project = project.as_deref().unwrap_or("no project");
                refuse(format!("`{id}` belongs to another project, {project}"), "adopt it from there".into())
            }
            Self::Own => match agent_id {
                Some(agent) => refuse(
                    format!(
                        "`{id}` was not left behind: it belongs to your own session, to the agent `{agent}`"
                    ),
                    NextStep::ResolveOfAgent.into(),
                ),
                None => {
                    refuse(format!("`{id}` was not left behind: it is your own"), NextStep::Resolve.into())
                }
            },
            Self::GoesOn => refuse(
                format!("`{id}` was not left behind: its session `{session_id}` is active"),
                NextStep::LeaveOrStart.into(),
            ),
            Self::ByHand => refuse(
                format!("`{id}` was not left behind: a person began it at a terminal"),
                "there `tenter ghap resolve` or `tenter ghap abandon` ends it".into(),
            ),
            Self::RecentActivity(rest) => {
                let minutes = rest.as_secs().div_ceil(60);
                refuse(
                    format!("`{id}` still belongs to session `{session_id}`, which was active a moment ago"),
                    format!("try again in {minutes} min").into(),
                )
            }
        }
    }
}

impl ActiveFolder {
    /// Every active entry and its last activity. Completes resolutions that were interrupted.
    pub fn all(&self) -> Result<Vec<(ActiveEntry, Timestamp)>, GhapError> {
        let mut all = Vec::new();
        for name in self.names()? {
            match self.read(&name, None)? {
                Some(active) if active.entry.outcome.is_none() => all.push((active, self.last_seen(&name))),
                Some(_) => self.finish_for_another(&name)?,
                None => {}
            }
        }
        Ok(all)
    }

    /// The orphans of a project, latest first.
    pub fn orphans(&self, search: &OrphanSearch<'_>) -> Result<Vec<(Entry, Timestamp)>, GhapError> {
        let mut orphans: Vec<_> = self
            .all()?
            .into_iter()
            .filter(|(active, seen)| self.not_orphaned(active, *seen, search).is_none())
            .map(|(active, seen)| (active.entry, seen))
            .collect();
        orphans.sort_by_key(|(_, seen)| std::cmp::Reverse(*seen));
        Ok(orphans)
    }

    /// Adopts an orphan; without an id the latest one.
    pub fn adopt(&self, search: &OrphanSearch<'_>, id: Option<&str>) -> Result<Entry, GhapError> {
        let who = search.who;
        let locked = self.lock()?;
        let mine = Self::name(who);
        self.refuse_second(&locked, &mine)?;
        let (theirs, active) = self.orphan(&locked, search, id)?;
        let mut entry = active.entry;
        entry.runs = self.runs_of(&theirs, &entry);
        entry.adopted_from = Some(std::mem::replace(&mut entry.session_id, who.session.as_str().to_owned()));
        entry.agent_id.clone_from(&who.agent_id);
        // The rename transfers the entry. If the process stops here, the entry exists once and is still an orphan.
        let (from, to) = (self.file(&theirs, "json"), self.file(&mine, "json"));
        std::fs::rename(&from, &to).map_err(unusable(&from))?;
        self.begin_entry(&locked, &mine, &entry)?;
        for what in ["tools", "runs", "premortem"] {
            self.remove(&locked, &theirs, what)?;
        }
        Ok(entry)
    }

    /// Abandons an orphan; without an id the latest one.
    pub fn abandon_orphan(
        &self,
        search: &OrphanSearch<'_>,
        id: Option<&str>,
        reason: &str,
    ) -> Result<Entry, GhapError> {
        let locked = self.lock()?;
        let (name, active) = self.orphan(&locked, search, id)?;
        self.finish(&locked, &name, active, |entry| entry.abandoned(reason, search.now, &self.cleaner))
    }

    fn orphan(
        &self,
        locked: &Locked,
        search: &OrphanSearch<'_>,
        id: Option<&str>,
    ) -> Result<(String, ActiveEntry), GhapError> {
        let mut found = None;
        let mut why = match id {
            Some(id) => GhapError::not_found(format!("orphaned entry `{id}` not found"))
                .with_hint(NextStep::ShowOrphan),
            None => {
                GhapError::not_found("no GHAP entry (a tracked hypothesis) of this project was left behind")
                    .with_hint(NextStep::Start)
            }
        };
        for name in self.names()? {
            let Some(active) = self.read(&name, Some(locked))? else { continue };
            if active.entry.outcome.is_some() || id.is_some_and(|id| active.entry.id != id) {
                continue;
            }
            let seen = self.last_seen(&name);
            match self.not_orphaned(&active, seen, search) {
                Some(reason) if id.is_some() => why = reason.describe(&active.entry),
                Some(_) => {}
                None if found.as_ref().is_some_and(|(best, _)| seen <= *best) => {}
                None => found = Some((seen, (name, active))),
            }
        }
        found.map(|(_, orphan)| orphan).ok_or(why)
    }

    /// Why an active entry is no orphan for this search; none if it is one.
    ///
    /// An entry is an orphan if its session left it, its process ended, or the machine was rebooted. If that is unknown,
    /// inactivity counts; entries of a user at a terminal are kept longer.
    fn not_orphaned(
        &self,
        active: &ActiveEntry,
        seen: Timestamp,
        search: &OrphanSearch<'_>,
    ) -> Option<Reason> {
        let entry = &active.entry;
        let silent = Duration::from_millis(search.now.unix_ms.saturating_sub(seen.unix_ms));
        let waits = |long: Duration| long.checked_sub(silent).filter(|rest| !rest.is_zero());
        if entry.project.as_deref() != search.project {
            return Some(Reason::Elsewhere);
        }
        if entry.session_id == search.who.session.as_str() {
            return Some(Reason::Own);
        }
        if active.left_at().is_some() {
            return None;
        }
        if Who::is_by_hand(&entry.session_id) {
            return waits(BY_HAND).map(|_| Reason::ByHand);
        }
        if is_restart(&active.boot, self.boot.id()) {
            return None;
        }
        match (search.life)(&entry.session_id) {
            Liveness::GoesOn => Some(Reason::GoesOn),
            Liveness::Gone => None,
            Liveness::Unknown => waits(SILENT).map(Reason::RecentActivity),
        }
    }

    fn finish_for_another(&self, name: &str) -> Result<(), GhapError> {
        let locked = self.lock()?;
        match self.read(name, Some(&locked))? {
            Some(done) if done.entry.outcome.is_some() => self.move_to_waiting(&locked, name, &done.entry),
            _ => Ok(()),
        }
    }
}
