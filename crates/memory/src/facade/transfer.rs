//! Exports and imports the store as lines of JSON.
//!
//! A line is an object with one key that says what it is: `experience`, `memory`, `journal`. A line without such a key
//! that has the fields of an entry is one of a journal of the system that introduced them, in which only resolved
//! entries are experiences.

use std::io::{BufRead, Write};

use serde::{Deserialize, Serialize};
use tenter_ghap::{Entry, Status, Tier};

use super::Memory;
use super::waiting::Later;
use crate::error::MemoryError;
use crate::project::Project;
use crate::types::{Experience, ImportAs, Imported, JournalEntry, MemoryItem, PENDING, Scope};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::large_enum_variant, reason = "nearly all lines are experiences")]
enum ExportLine {
    Experience(Experience),
    Memory(MemoryItem),
    Journal(JournalEntry),
}

impl Memory {
    /// Writes all rows and returns their number.
    pub fn export(&self, scope: &Scope, to: &mut dyn Write) -> Result<usize, MemoryError> {
        // What others were stopped at is finished first, so that it is among what waits; where nothing can be written,
        // the rest is exported all the same.
        let _ = self.active.all();
        let (whose, mut lines) = self.with_store(|store| {
            let mut lines: Vec<ExportLine> =
                store.all_experiences()?.into_iter().map(ExportLine::Experience).collect();
            lines.extend(store.all_memories()?.into_iter().map(ExportLine::Memory));
            lines.extend(store.all_pages()?.into_iter().map(ExportLine::Journal));
            Ok((store.whose(scope), lines))
        })?;
        // Items wait only while the store cannot be written.
        lines.extend(self.waiting_lines()?);
        let mut written = 0;
        for line in lines.iter().filter(|line| whose.takes(line.project())) {
            let mut bytes =
                serde_json::to_vec(line).map_err(|cause| MemoryError::internal(cause.to_string()))?;
            bytes.push(b'\n');
            to.write_all(&bytes)
                .map_err(|cause| MemoryError::internal(format!("it cannot be written: {cause}")))?;
            written += 1;
        }
        Ok(written)
    }

    fn waiting_lines(&self) -> Result<Vec<ExportLine>, MemoryError> {
        let taken = self.active.waiting().read()?;
        let entries = taken.entries.into_iter();
        let entries = entries.map(|entry| ExportLine::Experience(Experience { entry, superseded_by: None }));
        let others = taken.others.into_iter().filter_map(|other| serde_json::from_value(other).ok());
        let others = others.map(|later| match later {
            Later::Memory { memory, .. } => ExportLine::Memory(memory),
            Later::Page { journal } => ExportLine::Journal(journal),
        });
        Ok(entries.chain(others).collect())
    }

    /// The same as [`Memory::import_as`] for what has no project, which gets this one.
    pub fn import(&self, from: &mut dyn BufRead, project: Option<&Project>) -> Result<Imported, MemoryError> {
        self.import_as(from, &ImportAs { unnamed: project.cloned(), ..ImportAs::default() })
    }

    /// Reads what [`Memory::export`] has written, or a journal of the system that introduced such entries. Lines that
    /// cannot be read are counted and do not keep the others out.
    pub fn import_as(&self, from: &mut dyn BufRead, how: &ImportAs) -> Result<Imported, MemoryError> {
        let mut imported = Imported::default();
        let (mut experiences, mut memories, mut pages) = (Vec::new(), Vec::new(), Vec::new());
        for (number, line) in from.split(b'\n').enumerate() {
            let line = line.map_err(|cause| MemoryError::internal(format!("it cannot be read: {cause}")))?;
            if line.trim_ascii().is_empty() {
                continue;
            }
            let mut line = match self.line(&line, how.unnamed.as_ref()) {
                Ok(line) => line,
                Err(why) => {
                    imported.refused.push((number + 1, why));
                    continue;
                }
            };
            if let (Some(to), Some(project)) = (&how.all_to, line.project_mut()) {
                *project = self.name_of(to);
            }
            if let Some(project) = &how.only
                && let Err(why) = self.keep_to(&mut line, project)
            {
                imported.refused.push((number + 1, why));
                continue;
            }
            if let Some(project) = line.project() {
                *imported.projects.entry(project.to_owned()).or_default() += 1;
            }
            match line {
                ExportLine::Experience(mut experience) => {
                    imported.lowered += usize::from(lower(&mut experience.entry));
                    experiences.push(experience);
                }
                ExportLine::Memory(memory) => memories.push(memory),
                ExportLine::Journal(page) => pages.push(page),
            }
        }
        let all = experiences.len() + memories.len() + pages.len();
        let ids = experiences.iter().map(|one| one.entry.id.as_str());
        let ids = ids.chain(memories.iter().map(|one| one.id.as_str()));
        let ids = ids.chain(pages.iter().map(|one| one.id.as_str()));
        self.with_store(|store| {
            let mut forgotten = store.forgotten_among(ids)?;
            if how.with_forgotten {
                store.restore_forgotten(&forgotten)?;
                forgotten.clear();
            }
            imported.forgotten = forgotten.len();
            imported.taken = store.add_experiences(&experiences)?
                + store.add_memories(&memories)?
                + store.add_pages(&pages)?;
            Ok(())
        })?;
        imported.known = all - imported.taken - imported.forgotten;
        Ok(imported)
    }

    /// Lets a line be about this project, or wait for a person's yes.
    fn keep_to(&self, line: &mut ExportLine, project: &Project) -> Result<(), String> {
        let name = line.project().map(str::to_owned);
        match (name, line) {
            (Some(name), _) if self.names_of(project).contains(&name) => Ok(()),
            (Some(name), _) => Err(format!(
                "it is about {name}; only a person imports that, in a terminal that is no agent's"
            )),
            (None, ExportLine::Memory(memory)) => {
                memory.project = Some(PENDING.to_owned());
                Ok(())
            }
            (None, ExportLine::Experience(_) | ExportLine::Journal(_)) => {
                Err("it is about every project; only a person imports that, in a terminal that is no agent's"
                    .to_owned())
            }
        }
    }

    fn line(&self, line: &[u8], project: Option<&Project>) -> Result<ExportLine, String> {
        let value: serde_json::Value =
            serde_json::from_slice(line).map_err(|cause| format!("it is no JSON ({cause})"))?;
        let unknown = |cause: serde_json::Error| format!("it is no line of an export or a journal ({cause})");
        let ours = value.as_object().is_some_and(|fields| fields.len() == 1);
        let own = || project.map(|project| self.name_of(project));
        let line = if ours {
            serde_json::from_value(value).map_err(unknown)?
        } else {
            let entry: Entry = serde_json::from_value(value).map_err(unknown)?;
            ExportLine::Experience(Experience { entry, superseded_by: None })
        };
        Ok(match line {
            ExportLine::Experience(mut experience) => {
                let entry = &mut experience.entry;
                let Some(outcome) = &entry.outcome else {
                    return Err(format!("{} is not resolved", entry.id));
                };
                let unknown =
                    if outcome.status == Status::Abandoned { Tier::Abandoned } else { Tier::Bronze };
                entry.confidence_tier = entry.confidence_tier.or(Some(unknown));
                entry.project = entry.project.take().or_else(own);
                entry.clean(self.active.cleaner());
                ExportLine::Experience(experience)
            }
            ExportLine::Memory(mut memory) => {
                memory.project = memory.project.take().or_else(own);
                memory.content = self.clean(&memory.content);
                memory.tags.iter_mut().for_each(|tag| *tag = self.clean(tag));
                memory.importance = memory.importance.clamp(0.0, 1.0);
                ExportLine::Memory(memory)
            }
            ExportLine::Journal(mut page) => {
                page.project = page.project.take().or_else(own);
                page.summary = self.clean(&page.summary);
                let lines = page.friction_points.iter_mut().chain(&mut page.next_steps);
                let fields = [&mut page.session_log, &mut page.working_directory, &mut page.project_name];
                for line in lines.chain(fields.into_iter().flatten()) {
                    *line = self.clean(line);
                }
                ExportLine::Journal(page)
            }
        })
    }
}

/// Lowers gold without a run that proves it to silver. Returns whether it did.
fn lower(entry: &mut Entry) -> bool {
    let claims = entry.confidence_tier == Some(Tier::Gold) && !entry.was_seen();
    if claims {
        entry.confidence_tier = Some(Tier::Silver);
        entry.outcome.iter_mut().for_each(|outcome| outcome.auto_captured = false);
    }
    claims
}

impl ExportLine {
    fn project(&self) -> Option<&str> {
        match self {
            Self::Experience(experience) => experience.entry.project.as_deref(),
            Self::Memory(memory) => memory.project.as_deref(),
            Self::Journal(page) => page.project.as_deref(),
        }
    }

    fn project_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::Experience(experience) => experience.entry.project.as_mut(),
            Self::Memory(memory) => memory.project.as_mut(),
            Self::Journal(page) => page.project.as_mut(),
        }
    }
}
