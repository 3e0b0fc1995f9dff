//! What is added to a trail, as it is added.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;

use tenter_contract::ports::TrailError;

use super::files::{AuditFiles, unusable};
use super::lines::Line;
use super::read::Content;
use crate::StateFolder;
use crate::place::open_to_read;

/// So much is read at once.
const PIECE: u64 = 1024 * 1024;

/// A reader that waits at the end of a trail. It takes no lock: a writer appends whole lines, and half of one is
/// left until its end is there.
#[derive(Debug)]
pub struct Follower {
    files: AuditFiles,
    /// The file that is being written, as far as we know; none if there is none yet.
    file: Option<File>,
    /// How far it has been read.
    offset: u64,
    /// What was read of a line whose end is not there yet.
    begun: Vec<u8>,
}

impl Follower {
    /// Waits for what comes from now on. What does not exist yet is waited for as well.
    pub fn at_end(state: &StateFolder) -> Result<Self, TrailError> {
        let files = AuditFiles::new(state);
        let file = if_there(open_to_read(&files.trail)).map_err(unusable(&files.trail))?;
        let offset = match &file {
            Some(file) => file.metadata().map_err(unusable(&files.trail))?.len(),
            None => 0,
        };
        Ok(Self { files, file, offset, begun: Vec::new() })
    }

    /// The lines that were added since this was asked the last time; none if there are none. A file that became
    /// full is read to its end before the one that goes on.
    pub fn more(&mut self) -> Result<Vec<Content>, TrailError> {
        let mut found = Vec::new();
        self.read_on(&mut found).map_err(unusable(&self.files.trail))?;
        Ok(found)
    }

    fn read_on(&mut self, found: &mut Vec<Content>) -> io::Result<()> {
        loop {
            let another = self.is_another()?;
            self.read_file(found)?;
            if !another {
                return Ok(());
            }
            self.file = if_there(open_to_read(&self.files.trail))?;
            self.offset = 0;
            self.begun.clear();
        }
    }

    /// Whether another file than the one we read has the name of the trail.
    fn is_another(&self) -> io::Result<bool> {
        let Some(named) = if_there(fs::metadata(&self.files.trail))? else { return Ok(false) };
        let Some(file) = &self.file else { return Ok(true) };
        let ours = file.metadata()?;
        Ok((named.dev(), named.ino()) != (ours.dev(), ours.ino()))
    }

    fn read_file(&mut self, found: &mut Vec<Content>) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        if file.metadata()?.len() < self.offset {
            // Half a line of a writer that was stopped has been taken away.
            self.offset = file.metadata()?.len();
            self.begun.clear();
        }
        file.seek(SeekFrom::Start(self.offset))?;
        loop {
            let read = file.by_ref().take(PIECE).read_to_end(&mut self.begun)?;
            self.offset += read as u64;
            if let Some(end) = self.begun.iter().rposition(|byte| *byte == b'\n') {
                let whole: Vec<u8> = self.begun.drain(..=end).collect();
                let lines = whole.split_inclusive(|byte| *byte == b'\n');
                found.extend(lines.map(|line| Content::parse(Line::parse(line))));
            }
            if read == 0 {
                return Ok(());
            }
        }
    }
}

fn if_there<T>(looked: io::Result<T>) -> io::Result<Option<T>> {
    match looked {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
        looked => looked.map(Some),
    }
}
