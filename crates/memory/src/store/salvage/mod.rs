//! Reads the intact rows of a damaged database.
//!
//! SQLite finds rows through other pages and fails if one of those is damaged. This reader checks every page separately:
//! the first byte of a page says whether it has rows, and rows of the store are recognised by their values.
//!
//! ```text
//! pages    the file, and the write-ahead log over it
//! cells    the payloads on a page
//! record   the values in a payload
//! rows     the rows of the store
//! ```

mod pages;
mod cells;
mod record;
mod rows;

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use crate::types::{Experience, JournalEntry, MemoryItem};
use pages::Pages;
use rows::Row;

#[derive(Debug, Default)]
pub(super) struct Salvaged {
    pub(super) experiences: Vec<Experience>,
    pub(super) memories: Vec<MemoryItem>,
    pub(super) pages: Vec<JournalEntry>,
    /// Marks of clones and their names.
    pub(super) identities: Vec<(String, String)>,
    /// Forgotten rows: id, kind, time.
    pub(super) forgotten: Vec<(String, String, i64)>,
    /// Ids of rows that could not be read.
    pub(super) lost: BTreeSet<String>,
    /// The number of pages that were cut off the file.
    pub(super) missing_pages: u32,
}

pub(super) fn salvage(path: &Path) -> io::Result<Salvaged> {
    let pages = Pages::read(path)?;
    let mut salvaged = Salvaged { missing_pages: pages.missing, ..Salvaged::default() };
    for number in 1..=pages.count {
        cells::visit_payloads(&pages, number, &mut |payload| match record::values(payload)
            .and_then(|values| rows::recognise(&values))
        {
            Some(Row::Experience(row)) => salvaged.experiences.push(*row),
            Some(Row::Memory(row)) => salvaged.memories.push(row),
            Some(Row::Page(row)) => salvaged.pages.push(row),
            Some(Row::Identity(mark, name)) => salvaged.identities.push((mark, name)),
            Some(Row::Forgotten(id, kind, moment)) => salvaged.forgotten.push((id, kind, moment)),
            Some(Row::Id(id)) => drop(salvaged.lost.insert(id)),
            None => {}
        });
    }
    salvaged.sort();
    Ok(salvaged)
}

impl Salvaged {
    fn sort(&mut self) {
        self.experiences.sort_by(|a, b| {
            let at = |one: &Experience| one.entry.outcome.as_ref().map(|outcome| outcome.captured_at);
            at(a).cmp(&at(b)).then_with(|| a.entry.id.cmp(&b.entry.id))
        });
        self.memories.sort_by(|a, b| a.created_at.cmp(&b.created_at).then_with(|| a.id.cmp(&b.id)));
        let here = self.experiences.iter().map(|one| &one.entry.id);
        let here = here.chain(self.memories.iter().map(|one| &one.id));
        for id in here.chain(self.forgotten.iter().map(|(id, _, _)| id)) {
            self.lost.remove(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Bytes that begin as pages do, so that what comes after is checked.
    fn page() -> impl Strategy<Value = Vec<u8>> {
        let head = (prop::sample::select(vec![0x0d_u8, 0x0a, 0x02, 0x05, 0x00]), 0_u16..40);
        (head, prop::collection::vec(any::<u8>(), 509..510)).prop_map(|((kind, cells), rest)| {
            let mut page = vec![kind, 0, 0];
            page.extend(cells.to_be_bytes());
            page.extend(rest);
            page.truncate(512);
            page
        })
    }

    proptest! {
        #[test]
        fn whatever_stands_in_a_file_it_is_read_to_its_end(
            pages in prop::collection::vec(page(), 1..6),
            log in prop::collection::vec(any::<u8>(), 0..700),
            whole in any::<bool>(),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("memory.db");
            let mut bytes = pages.concat();
            if whole {
                bytes[..16].copy_from_slice(b"SQLite format 3\0");
                bytes[16..18].copy_from_slice(&512_u16.to_be_bytes());
            }
            std::fs::write(&path, bytes).unwrap();
            std::fs::write(folder.path().join("memory.db-wal"), log).unwrap();
            prop_assert!(salvage(&path).is_ok());
        }
    }
}
