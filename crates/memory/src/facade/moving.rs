//! Moving what is known to another machine, as lines of JSON.
//!
//! A line is an object with one key that says what it is: `experience`, `memory`, `journal`. A line without such a key
//! that has the fields of an entry is one of a journal of the system that introduced them, in which only resolved
//! entries are experiences.

use std::io::{BufRead, Write};

use serde::{Deserialize, Serialize};
use tenter_ghap::{Entry, Status, Tier};

use super::Memory;
use crate::error::MemoryError;
use crate::project::Project;
use crate::questions::{Experience, Imported, JournalEntry, MemoryItem, Scope};

/// A line of our own form.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::large_enum_variant, reason = "nearly all lines are experiences")]
enum Line {
    Experience(Experience),
    Memory(MemoryItem),
    Journal(JournalEntry),
}

impl Memory {
    /// Writes everything, a line each; says how many lines.
    pub fn export(&self, scope: &Scope, to: &mut dyn Write) -> Result<usize, MemoryError> {
        let lines = self.with_store(|store| {
            let mut lines: Vec<Line> = store.all_experiences()?.into_iter().map(Line::Experience).collect();
            lines.extend(store.all_memories()?.into_iter().map(Line::Memory));
            lines.extend(store.all_pages()?.into_iter().map(Line::Journal));
            Ok(lines)
        })?;
        let mut written = 0;
        for line in lines.iter().filter(|line| is_in(line.project(), scope)) {
            let mut bytes =
                serde_json::to_vec(line).map_err(|cause| MemoryError::internal(cause.to_string()))?;
            bytes.push(b'\n');
            to.write_all(&bytes)
                .map_err(|cause| MemoryError::internal(format!("it cannot be written: {cause}")))?;
            written += 1;
        }
        Ok(written)
    }

    /// Reads what [`Memory::export`] has written, or a journal of the system that introduced such entries. What has no
    /// project gets this one. Lines that cannot be read are counted and do not keep the others out.
    pub fn import(&self, from: &mut dyn BufRead, project: Option<&Project>) -> Result<Imported, MemoryError> {
        let mut imported = Imported::default();
        let (mut experiences, mut memories, mut pages) = (Vec::new(), Vec::new(), Vec::new());
        for (number, line) in from.split(b'\n').enumerate() {
            let line = line.map_err(|cause| MemoryError::internal(format!("it cannot be read: {cause}")))?;
            if line.trim_ascii().is_empty() {
                continue;
            }
            match self.line(&line, project) {
                Ok(Line::Experience(mut experience)) => {
                    imported.lowered += usize::from(lower(&mut experience.entry));
                    experiences.push(experience);
                }
                Ok(Line::Memory(memory)) => memories.push(memory),
                Ok(Line::Journal(page)) => pages.push(page),
                Err(why) => imported.refused.push((number + 1, why)),
            }
        }
        let all = experiences.len() + memories.len() + pages.len();
        imported.taken = self.with_store(|store| {
            Ok(store.add_experiences(&experiences)?
                + store.add_memories(&memories)?
                + store.add_pages(&pages)?)
        })?;
        imported.known = all - imported.taken;
        Ok(imported)
    }

    /// What a line says, cleaned like everything that is kept.
    fn line(&self, line: &[u8], project: Option<&Project>) -> Result<Line, String> {
        let value: serde_json::Value = serde_json::from_slice(line).map_err(|cause| cause.to_string())?;
        let ours = value.as_object().is_some_and(|fields| fields.len() == 1);
        let own = || project.map(|project| project.as_str().to_owned());
        let line = if ours {
            serde_json::from_value(value).map_err(|cause| cause.to_string())?
        } else {
            let entry: Entry = serde_json::from_value(value).map_err(|cause| cause.to_string())?;
            Line::Experience(Experience { entry, superseded_by: None })
        };
        Ok(match line {
            Line::Experience(mut experience) => {
                let entry = &mut experience.entry;
                let Some(outcome) = &entry.outcome else {
                    return Err(format!("{} is not resolved", entry.id));
                };
                let unknown =
                    if outcome.status == Status::Abandoned { Tier::Abandoned } else { Tier::Bronze };
                entry.confidence_tier = entry.confidence_tier.or(Some(unknown));
                entry.project = entry.project.take().or_else(own);
                entry.clean(self.active.cleaner());
                Line::Experience(experience)
            }
            Line::Memory(mut memory) => {
                memory.project = memory.project.take().or_else(own);
                memory.content = self.clean(&memory.content);
                memory.tags.iter_mut().for_each(|tag| *tag = self.clean(tag));
                memory.importance = memory.importance.clamp(0.0, 1.0);
                Line::Memory(memory)
            }
            Line::Journal(mut page) => {
                page.project = page.project.take().or_else(own);
                page.summary = self.clean(&page.summary);
                for line in
                    page.friction_points.iter_mut().chain(&mut page.next_steps).chain(&mut page.session_log)
                {
                    *line = self.clean(line);
                }
                Line::Journal(page)
            }
        })
    }
}

/// Gold is what tenter saw; without a run in it that says so, a line is somebody's word. Whether it was lowered.
fn lower(entry: &mut Entry) -> bool {
    let claims = entry.confidence_tier == Some(Tier::Gold) && !entry.was_seen();
    if claims {
        entry.confidence_tier = Some(Tier::Silver);
        entry.outcome.iter_mut().for_each(|outcome| outcome.auto_captured = false);
    }
    claims
}

impl Line {
    fn project(&self) -> Option<&str> {
        match self {
            Self::Experience(experience) => experience.entry.project.as_deref(),
            Self::Memory(memory) => memory.project.as_deref(),
            Self::Journal(page) => page.project.as_deref(),
        }
    }
}

fn is_in(project: Option<&str>, scope: &Scope) -> bool {
    match scope {
        Scope::Everywhere => true,
        Scope::Project(wanted) => project.is_none_or(|project| project == wanted.as_str()),
    }
}
