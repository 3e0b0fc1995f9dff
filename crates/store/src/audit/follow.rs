//! Follows a trail: reads lines as they are appended.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;

use tenter_contract::ports::TrailError;

use super::files::{AuditFiles, unusable};
use super::lines::Line;
use super::read::Content;
use crate::StateFolder;
use crate::place::{if_found, open_to_read};

/// The bytes of one read.
const PIECE: u64 = 1024 * 1024;

/// A reader at the end of a trail. It needs no lock: an incomplete line is kept until its end arrives.
#[derive(Debug)]
pub struct Follower {
    files: AuditFiles,
    /// The current file, as far as known; none if it does not exist yet.
    file: Option<File>,
    /// How far it has been read.
    offset: u64,
    /// The beginning of an incomplete line.
    partial: Vec<u8>,
}

impl Follower {
    /// Follows from the present end. The trail need not exist yet.
    pub fn at_end(state: &StateFolder) -> Result<Self, TrailError> {
        let files = AuditFiles::new(state);
        let file = if_found(open_to_read(&files.trail)).map_err(unusable(&files.trail))?;
        let offset = match &file {
            Some(file) => file.metadata().map_err(unusable(&files.trail))?.len(),
            None => 0,
        };
        Ok(Self { files, file, offset, partial: Vec::new() })
    }

    /// The lines since the last call. A full file is read to its end before the next one.
    pub fn more(&mut self) -> Result<Vec<Content>, TrailError> {
        let mut found = Vec::new();
        self.read_new(&mut found).map_err(unusable(&self.files.trail))?;
        Ok(found)
    }

    fn read_new(&mut self, found: &mut Vec<Content>) -> io::Result<()> {
        loop {
            let another = self.is_another()?;
            self.read_file(found)?;
            if !another {
                return Ok(());
            }
            self.file = if_found(open_to_read(&self.files.trail))?;
            self.offset = 0;
            self.partial.clear();
        }
    }

    /// Whether another file than the one we read has the name of the trail.
    fn is_another(&self) -> io::Result<bool> {
        let Some(named) = if_found(fs::metadata(&self.files.trail))? else { return Ok(false) };
        let Some(file) = &self.file else { return Ok(true) };
        let ours = file.metadata()?;
        Ok((named.dev(), named.ino()) != (ours.dev(), ours.ino()))
    }

    fn read_file(&mut self, found: &mut Vec<Content>) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        if file.metadata()?.len() < self.offset {
            // The torn line of a writer that was stopped has been removed.
            self.offset = file.metadata()?.len();
            self.partial.clear();
        }
        file.seek(SeekFrom::Start(self.offset))?;
        loop {
            let read = file.by_ref().take(PIECE).read_to_end(&mut self.partial)?;
            self.offset += read as u64;
            if let Some(end) = self.partial.iter().rposition(|byte| *byte == b'\n') {
                let complete: Vec<u8> = self.partial.drain(..=end).collect();
                let lines = complete.split_inclusive(|byte| *byte == b'\n');
                found.extend(lines.map(|line| Content::parse(Line::parse(line))));
            }
            if read == 0 {
                return Ok(());
            }
        }
    }
}
