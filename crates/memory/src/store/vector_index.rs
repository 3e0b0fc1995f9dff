//! The vector index: for each indexed text a row with its filter values, and its vector.
//!
//! The database has them too, but reading a hundred thousand rows from it is too slow for a search. So each collection has
//! an index file, which can be made again from the database at any time. Later rows are read from the database; changed or
//! deleted rows make the file stale.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;

use rusqlite::params;

use super::block::{Block, Draft, HEADER, Header};
use super::dot::{Query, dot, inverse_length};
use super::mapped::Bytes;
use super::refusal::refusal;
use super::schema::get;
use super::word_counts::Words;
use super::{Collection, Store};
use crate::error::MemoryError;

/// Fewer rows are as quick to read from the database.
const WORTH_A_FILE: usize = 64;
/// With more rows missing, the file is written again.
const LEFT_OUT: usize = 2 * WORTH_A_FILE;

pub(super) type IndexCache = RefCell<[Option<Arc<VectorIndex>>; Collection::ALL.len()]>;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct IndexRow {
    pub(crate) number: i64,
    /// The name of its project, hashed; 0 for none.
    pub(super) project: u64,
    /// When it was resolved or stored.
    pub(crate) moment_ms: u64,
    /// Domain of an experience, category of a memory.
    pub(super) kind: u8,
    /// Outcome of an experience.
    pub(super) status: u8,
    /// Tier or importance, in 255ths.
    pub(crate) weight: u8,
    pub(super) superseded: u8,
    /// One divided by the length of the vector.
    pub(super) inverse: f32,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    /// Those of a project, by the hashes of its names, and those of none.
    pub(crate) projects: Option<Vec<u64>>,
    pub(crate) kind: Option<u8>,
    pub(crate) status: Option<u8>,
    pub(crate) least_weight: u8,
}

impl Wanted {
    pub(crate) fn takes(&self, index_row: &IndexRow) -> bool {
        index_row.superseded == 0
            && self
                .projects
                .as_ref()
                .is_none_or(|projects| index_row.project == 0 || projects.contains(&index_row.project))
            && self.kind.is_none_or(|kind| kind == index_row.kind)
            && self.status.is_none_or(|status| status == index_row.status)
            && index_row.weight >= self.least_weight
    }
}

/// A number for a word of a fixed list, never 0.
pub(crate) fn word_number(word: &str) -> u8 {
    let hash = name_hash(word);
    // The lists are short and known; a test sees that no two words of one list share a number.
    u8::try_from(hash % 254).unwrap_or(0) + 1
}

/// A number for a name, never 0.
pub(crate) fn name_hash(name: &str) -> u64 {
    hash_of(name.bytes())
}

pub(crate) fn hash_of(bytes: impl Iterator<Item = u8>) -> u64 {
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    hash.max(1)
}

#[derive(Debug)]
pub(crate) struct VectorIndex {
    blocks: Vec<Block>,
    rewritten: i64,
    last: i64,
}

pub(crate) struct Nearest {
    pub(crate) rows: Vec<(i64, f32)>,
    /// The number of candidates.
    pub(crate) among: usize,
}

impl VectorIndex {
    pub(crate) fn count(&self) -> usize {
        self.blocks.iter().map(|block| block.count).sum()
    }

    /// Whether a word was in at least [`crate::search::COMMON`] texts when the file was made, not counting its other forms.
    pub(crate) fn is_common(&self, word: &str) -> bool {
        self.blocks.iter().any(|block| block.is_common(word))
    }

    pub(crate) fn nearest(&self, query: &Query, wanted: &Wanted, limit: usize) -> Nearest {
        let mut among = 0;
        let mut best: Vec<(i64, f32)> = Vec::with_capacity(limit * 2);
        let mut least = f32::MIN;
        for block in &self.blocks {
            for (index_row, vector) in block.rows().filter(|(index_row, _)| wanted.takes(index_row)) {
                among += 1;
                let cosine = dot(vector, query) * index_row.inverse;
                if cosine > least {
                    best.push((index_row.number, cosine));
                    if best.len() == limit * 2 {
                        keep_best(&mut best, limit);
                        least = best.iter().map(|(_, cosine)| *cosine).fold(f32::MAX, f32::min);
                    }
                }
            }
        }
        keep_best(&mut best, limit);
        best.sort_by(|(one, a), (other, b)| b.total_cmp(a).then(other.cmp(one)));
        Nearest { rows: best, among }
    }

    /// The index row of a row, and its cosine with the query.
    pub(crate) fn find(&self, number: i64, query: Option<&Query>) -> Option<(IndexRow, Option<f32>)> {
        self.blocks.iter().find_map(|block| {
            let at = block.position(number)?;
            let index_row = block.index_row(at);
            Some((index_row, query.map(|query| block.cosine(at, &index_row, query))))
        })
    }
}

fn keep_best(best: &mut Vec<(i64, f32)>, limit: usize) {
    if best.len() > limit {
        best.select_nth_unstable_by(limit, |(_, a), (_, b)| b.total_cmp(a));
        best.truncate(limit);
    }
}

impl Store {
    /// The index rows of a collection as they are now.
    pub(crate) fn index(&self, collection: Collection) -> Result<Arc<VectorIndex>, MemoryError> {
        let refused = refusal(&self.path);
        let rewritten: i64 = get(&self.connection, "rewritten").map_err(&refused)?;
        let last = self.last_number(collection).map_err(&refused)?;
        let slot = usize::try_from(collection.number() - 1).unwrap_or(0);
        if let Some(kept) = &self.index.borrow()[slot]
            && kept.rewritten == rewritten
            && kept.last == last
        {
            return Ok(Arc::clone(kept));
        }
        let mut blocks = Vec::new();
        let file = Bytes::of_file(&self.index_file(collection)).ok();
        let model = name_hash(self.embedder.model_id());
        let mut from = 0;
        if let Some((block, until)) = file.and_then(|bytes| Block::read(bytes, model, rewritten)) {
            from = until;
            blocks.push(block);
        }
        if from < last {
            let since = self.block(collection, from, rewritten, Words::Uncounted).map_err(&refused)?;
            // The process that added them stopped before it wrote the file, or wrote an unreadable one.
            if since.count >= LEFT_OUT && self.read_only.is_none() {
                let _ = self.write_index(collection);
            }
            blocks.push(since);
        }
        let index = Arc::new(VectorIndex { blocks, rewritten, last });
        self.index.borrow_mut()[slot] = Some(Arc::clone(&index));
        Ok(index)
    }

    /// Writes index files that are stale or miss many rows. Errors are ignored: a search without the file is slower and
    /// finds the same.
    pub(super) fn update_index(&self) {
        for collection in Collection::ALL {
            let due = self.behind_the_file(collection).is_ok_and(|rows| rows >= WORTH_A_FILE);
            if due {
                let _ = self.write_index(collection);
            }
        }
    }

    /// How many rows the file of a collection misses, up to [`WORTH_A_FILE`].
    fn behind_the_file(&self, collection: Collection) -> rusqlite::Result<usize> {
        let rewritten: i64 = get(&self.connection, "rewritten")?;
        let mut head = [0; HEADER];
        let read = tenter_store::open_to_read(&self.index_file(collection)).and_then(|mut file| {
            use std::io::Read;
            file.read_exact(&mut head)
        });
        let model = name_hash(self.embedder.model_id());
        let last =
            read.ok().and_then(|()| Header::read(&head, model, rewritten)).map_or(0, |header| header.last);
        self.connection
            .prepare_cached(
                "SELECT count(*) FROM (SELECT 1 FROM sides WHERE shelf = ? AND number > ? LIMIT ?)",
            )?
            .query_row(params![collection.number(), last, WORTH_A_FILE], |row| row.get(0))
    }

    /// Writes all files again, so that they have no deleted vectors.
    pub(super) fn rewrite_index(&self) -> Result<(), MemoryError> {
        for collection in Collection::ALL {
            let path = self.index_file(collection);
            match std::fs::remove_file(&path) {
                Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => {
                    return Err(MemoryError::internal(format!(
                        "`{}` could not be made again and may have vectors of what is gone: {cause}",
                        path.display()
                    ))
                    .with_hint("remove that file"));
                }
                _ => {}
            }
        }
        self.update_index();
        Ok(())
    }

    fn write_index(&self, collection: Collection) -> Result<(), MemoryError> {
        let refused = refusal(&self.path);
        let rewritten: i64 = get(&self.connection, "rewritten").map_err(&refused)?;
        let block = self.block(collection, 0, rewritten, Words::Counted).map_err(&refused)?;
        let path = self.index_file(collection);
        // Two processes may do this at once, each with its own draft.
        let draft = path.with_extension(format!("new-{}", std::process::id()));
        let written = self.state.open_or_create(&draft).and_then(|mut file| {
            use std::io::Write;
            file.set_len(0)?;
            file.write_all(&block.bytes)?;
            file.sync_all()?;
            std::fs::rename(&draft, &path)
        });
        written.map_err(|cause| MemoryError::internal(format!("`{}`: {cause}", path.display())))
    }

    fn index_file(&self, collection: Collection) -> PathBuf {
        self.path.with_file_name(format!("{}.cards", collection.table()))
    }

    fn last_number(&self, collection: Collection) -> rusqlite::Result<i64> {
        self.connection
            .prepare_cached("SELECT coalesce(max(number), 0) FROM sides WHERE shelf = ?")?
            .query_row([collection.number()], |row| row.get(0))
    }

    fn block(
        &self,
        collection: Collection,
        behind: i64,
        rewritten: i64,
        words: Words,
    ) -> rusqlite::Result<Block> {
        let sql = match collection {
            Collection::Experiences(_) => {
                "SELECT s.number, r.project, r.resolved_ms, r.domain, r.status, r.tier, r.superseded_by IS NOT NULL, \
                 s.vector, s.text FROM sides s JOIN experiences r USING (number) WHERE s.shelf = ? AND s.number > ? \
                 ORDER BY s.number"
            }
            Collection::Memories => {
                "SELECT s.number, r.project, r.created_ms, r.category, '', r.importance, \
                 r.superseded_by IS NOT NULL, s.vector, s.text FROM sides s JOIN memories r USING (number) \
                 WHERE s.shelf = ? AND s.number > ? ORDER BY s.number"
            }
        };
        let width = self.embedder.dimensions();
        let mut draft = Draft::behind(behind);
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(params![collection.number(), behind])?;
        while let Some(row) = rows.next()? {
            let text =
                |at| row.get_ref(at).map(|value| value.as_str_or_null().ok().flatten().unwrap_or_default());
            let vector = row.get_ref(7)?.as_blob().unwrap_or_default();
            // A vector of another model cannot be compared.
            let vector = if vector.len() == width { vector.to_vec() } else { vec![0; width] };
            let weight = match collection {
                Collection::Experiences(_) => super::weights::of_tier(text(5)?),
                Collection::Memories => super::weights::of_importance(row.get(5)?),
            };
            if words == Words::Counted {
                draft.words.add(text(8)?);
            }
            let project = text(1)?;
            draft.push(
                &IndexRow {
                    number: row.get(0)?,
                    project: if project.is_empty() { 0 } else { name_hash(project) },
                    moment_ms: row.get::<_, i64>(2)?.cast_unsigned(),
                    kind: word_number(text(3)?),
                    status: word_number(text(4)?),
                    weight,
                    superseded: row.get(6)?,
                    inverse: inverse_length(&vector),
                },
                &vector,
            );
        }
        Ok(draft.finish(name_hash(self.embedder.model_id()), width, rewritten))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tenter_ghap::{Domain, Status};

    use super::*;
    use crate::store::block::tests::draft;
    use crate::words::MemoryCategory;

    #[test]
    fn no_two_words_of_a_list_share_a_number() {
        let lists: [Vec<&str>; 3] = [
            Domain::ALL.iter().map(|word| word.as_str()).collect(),
            Status::ALL.iter().map(|word| word.as_str()).collect(),
            MemoryCategory::ALL.iter().map(|word| word.as_str()).collect(),
        ];
        for list in lists {
            let numbers: BTreeSet<u8> = list.iter().map(|word| word_number(word)).collect();
            assert_eq!(numbers.len(), list.len(), "{list:?}");
        }
    }

    #[test]
    fn the_nearest_are_those_with_the_largest_cosine() {
        let vectors = [
            (1, [100, 0, 0, 0]),
            (2, [50, 50, 0, 0]),
            (3, [0, 100, 0, 0]),
            (4, [-100, 0, 0, 0]),
            (5, [0; 4]),
        ];
        let blocks = vec![draft(&vectors[..2]).finish(1, 4, 1), draft(&vectors[2..]).finish(1, 4, 1)];
        let index = VectorIndex { blocks, rewritten: 1, last: 5 };
        let query = Query::new(&[100, 1, 0, 0]).unwrap();
        let nearest: Vec<i64> =
            index.nearest(&query, &Wanted::default(), 3).rows.into_iter().map(|(number, _)| number).collect();
        assert_eq!(nearest, [1, 2, 3]);
        let nearest = index.nearest(&query, &Wanted::default(), 1);
        assert_eq!(nearest.among, 5);
        let all = nearest.rows;
        assert!(all.len() == 1 && (all[0].1 - 1.0).abs() < 0.001, "{all:?}");
        let other = Wanted { projects: Some(vec![4]), ..Wanted::default() };
        assert_eq!(index.nearest(&query, &other, 3).rows, []);
    }
}
