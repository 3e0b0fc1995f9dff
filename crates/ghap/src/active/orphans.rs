//! Entries that no session works on, and taking them up again.

use std::time::Duration;

use tenter_contract::Timestamp;
use tenter_store::audit::boot::was_between;

use super::file::ActiveEntry;
use super::folder::{ActiveFolder, Locked, unusable};
use crate::entry::Entry;
use crate::error::{GhapError, Hint, NextStep};
use crate::who::Who;

/// A session of which nothing can know whether it goes on is taken for gone when nothing is known about it for so long.
pub const SILENT: Duration = Duration::from_mins(10);
/// What a person has begun at a terminal is that person's for so long after it was last touched.
pub const BY_HAND: Duration = Duration::from_hours(24);

/// Whether a session goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Liveness {
    /// Its agent lives, however silent it is.
    GoesOn,
    /// Its agent is gone.
    Gone,
    /// It is unknown.
    Unknown,
}

/// A process who searches for entries that were left behind.
#[derive(Clone, Copy)]
pub struct OrphanSearch<'a> {
    /// Who.
    pub who: &'a Who,
    /// In which project.
    pub project: Option<&'a str>,
    /// When.
    pub now: Timestamp,
    /// What is known of the session of this id.
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
                refuse(
                    format!("`{id}` belongs to another project, {project}"),
                    "take it up from there".into(),
                )
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
                format!("`{id}` was not left behind: its session `{session_id}` goes on"),
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
    /// Every entry that is being worked on, and when something was last received from it. What others were stopped at is
    /// finished on the way.
    pub fn all(&self) -> Result<Vec<(ActiveEntry, Timestamp)>, GhapError> {
        Ok(self.named()?.into_iter().map(|(name, active)| (active, self.last_seen(&name))).collect())
    }

    /// Entries of a project that others left behind, latest first.
    pub fn orphans(&self, seeking: &OrphanSearch<'_>) -> Result<Vec<(Entry, Timestamp)>, GhapError> {
        let mut orphans: Vec<_> = self
            .all()?
            .into_iter()
            .filter(|(active, seen)| self.hindrance(active, *seen, seeking).is_none())
            .map(|(active, seen)| (active.entry, seen))
            .collect();
        orphans.sort_by_key(|(_, seen)| std::cmp::Reverse(*seen));
        Ok(orphans)
    }

    /// Takes an orphan up as this agent's own; without an id the latest one.
    pub fn adopt(&self, seeking: &OrphanSearch<'_>, id: Option<&str>) -> Result<Entry, GhapError> {
        let who = seeking.who;
        let locked = self.lock()?;
        let mine = Self::name(who);
        self.refuse_second(&locked, &mine)?;
        let (theirs, active) = self.orphan(&locked, seeking, id)?;
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

    /// Returns an orphan up; without an id the latest one.
    pub fn abandon_orphan(
        &self,
        seeking: &OrphanSearch<'_>,
        id: Option<&str>,
        reason: &str,
    ) -> Result<Entry, GhapError> {
        let locked = self.lock()?;
        let (name, active) = self.orphan(&locked, seeking, id)?;
        self.finish(&locked, &name, active, |entry| entry.abandoned(reason, seeking.now, &self.cleaner))
    }

    fn orphan(
        &self,
        locked: &Locked,
        seeking: &OrphanSearch<'_>,
        id: Option<&str>,
    ) -> Result<(String, ActiveEntry), GhapError> {
        let mut found = None;
        let mut why = match id {
            Some(id) => GhapError::not_found(format!("there is no orphaned entry `{id}`"))
                .with_hint(NextStep::ShowOrphan),
            None => {
                GhapError::not_found("no entry of this project was left behind").with_hint(NextStep::Start)
            }
        };
        for name in self.names()? {
            let Some(active) = self.read(&name, Some(locked))? else { continue };
            if active.entry.outcome.is_some() || id.is_some_and(|id| active.entry.id != id) {
                continue;
            }
            let seen = self.last_seen(&name);
            match self.hindrance(&active, seen, seeking) {
                Some(hindrance) if id.is_some() => why = hindrance.describe(&active.entry),
                Some(_) => {}
                None if found.as_ref().is_some_and(|(best, _)| seen <= *best) => {}
                None => found = Some((seen, (name, active))),
            }
        }
        found.map(|(_, orphan)| orphan).ok_or(why)
    }

    /// What keeps an active entry from being an orphan for the one that seeks one; nothing if it is one.
    ///
    /// Its session has left it, its process is gone, or the machine was started anew since. Where nothing can know,
    /// silence counts; what a person has begun stays that person's for longer, whatever becomes of the terminal.
    fn hindrance(&self, active: &ActiveEntry, seen: Timestamp, seeking: &OrphanSearch<'_>) -> Option<Reason> {
        let entry = &active.entry;
        let silent = Duration::from_millis(seeking.now.unix_ms.saturating_sub(seen.unix_ms));
        let waits = |long: Duration| long.checked_sub(silent).filter(|rest| !rest.is_zero());
        if entry.project.as_deref() != seeking.project {
            return Some(Reason::Elsewhere);
        }
        if entry.session_id == seeking.who.session.as_str() {
            return Some(Reason::Own);
        }
        if active.left_at().is_some() {
            return None;
        }
        if Who::is_by_hand(&entry.session_id) {
            return waits(BY_HAND).map(|_| Reason::ByHand);
        }
        if was_between(&active.boot, self.boot.id()) {
            return None;
        }
        match (seeking.life)(&entry.session_id) {
            Liveness::GoesOn => Some(Reason::GoesOn),
            Liveness::Gone => None,
            Liveness::Unknown => waits(SILENT).map(Reason::RecentActivity),
        }
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

    fn finish_for_another(&self, name: &str) -> Result<(), GhapError> {
        let locked = self.lock()?;
        match self.read(name, Some(&locked))? {
            Some(done) if done.entry.outcome.is_some() => self.put_away(&locked, name, &done.entry),
            _ => Ok(()),
        }
    }
}
