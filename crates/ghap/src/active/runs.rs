//! Runs while an entry was active. They are appended to a file of their own, which cannot damage the entry; each names its
//! entry and iteration.

use std::io::Write;

use super::folder::{ActiveFolder, unusable};
use crate::entry::Entry;
use crate::error::GhapError;
use crate::run::RunSeen;
use crate::who::Who;

/// The number of runs to keep with the entry.
const KEPT: usize = 5;
/// The longest summary, in characters.
const LONGEST_SUMMARY: usize = 500;

impl ActiveFolder {
    /// Appends a run.
    pub fn note_run(&self, who: &Who, run: &RunSeen) -> Result<(), GhapError> {
        let short = |text: &str| self.cleaner.clean(text).chars().take(LONGEST_SUMMARY).collect::<String>();
        let run = RunSeen { runner: short(&run.runner), summary: short(&run.summary), ..run.clone() };
        let path = self.file(&Self::name(who), "runs");
        let mut line = serde_json::to_vec(&run).map_err(std::io::Error::other).map_err(unusable(&path))?;
        line.push(b'\n');
        let mut options = tenter_store::our_file();
        let file = tenter_store::open_plain(options.append(true).create(true), &path);
        file.and_then(|mut file| file.write_all(&line)).map_err(unusable(&path))
    }

    /// The runs of the active entry, oldest first.
    pub fn runs(&self, who: &Who) -> Result<Vec<RunSeen>, GhapError> {
        Ok(self.active(who)?.map(|entry| self.runs_of(&Self::name(who), &entry)).unwrap_or_default())
    }

    /// The latest runs of this entry, including the last one about its prediction. Unreadable lines are skipped.
    pub(super) fn runs_of(&self, name: &str, entry: &Entry) -> Vec<RunSeen> {
        let text = tenter_store::read_plain(&self.file(name, "runs")).unwrap_or_default();
        let seen = text.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok());
        let mut runs: Vec<RunSeen> = entry.runs.iter().cloned().chain(seen).collect();
        runs.retain(|run| run.entry == entry.id);
        let last_about = runs.iter().rposition(|run| run.is_about(entry));
        let latest = runs.len().saturating_sub(KEPT);
        let mut kept = runs.split_off(latest);
        if let Some(earlier) = last_about.and_then(|at| runs.get(at)) {
            kept[0] = earlier.clone();
        }
        kept
    }
}
