//! One search, from the question to numbered rows.

use std::collections::HashMap;

use rusqlite::params;
use tenter_contract::Timestamp;

use super::alike::Gist;
use super::blend;
use super::blend::Seen;
use super::terms::{self, Asked};
use crate::error::MemoryError;
use crate::fusion::{FEW, FewTexts, Question};
use crate::questions::Fit;
use crate::store::cards::{Cards, Wanted};
use crate::store::dot::Query;
use crate::store::{Shelf, Store, refusal};
use crate::words::SearchMode;

/// So many of either kind are looked at more closely.
const CANDIDATES: usize = 100;

/// What is looked for.
pub(crate) struct Search<'a> {
    pub(crate) shelf: Shelf,
    pub(crate) text: &'a str,
    pub(crate) mode: SearchMode,
    pub(crate) wanted: Wanted,
    pub(crate) limit: usize,
    /// Only what is worth showing to somebody who did not ask for it.
    pub(crate) unasked: bool,
    pub(crate) now: Timestamp,
}

/// A row that fits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) number: i64,
    pub(crate) fit: Fit,
}

impl Store {
    /// The rows that fit best, best first; of those that say the same only the best.
    pub(crate) fn find(&self, search: &Search<'_>) -> Result<Vec<Found>, MemoryError> {
        let cards = self.cards(search.shelf)?;
        if cards.count() == 0 {
            return Ok(Vec::new());
        }
        let query = match search.mode {
            SearchMode::Keyword => None,
            SearchMode::Semantic | SearchMode::Hybrid => self.direction(search.text),
        };
        let words = match search.mode {
            SearchMode::Semantic => Words::new(cards.count()),
            SearchMode::Keyword | SearchMode::Hybrid => self.by_words(search, &cards)?,
        };
        let mut numbers: Vec<i64> = best_of(&words.bm25);
        if let Some(query) = &query {
            for (number, _) in cards.nearest(query, &search.wanted, CANDIDATES.max(search.limit)) {
                if !numbers.contains(&number) {
                    numbers.push(number);
                }
            }
        }
        let best_bm25 = words.bm25.values().copied().fold(0.0, f32::max);
        let mut found: Vec<Found> = Vec::with_capacity(numbers.len());
        for number in numbers {
            let Some((card, cosine)) = cards.find(number, query.as_ref()) else { continue };
            let seen = Seen {
                bm25: words.bm25.get(&number).copied(),
                cosine,
                covered: words.covered(number),
                weight: card.weight,
                age_ms: search.now.unix_ms.saturating_sub(card.moment_ms),
            };
            let fit = blend::fit(search.mode, &words.question, best_bm25, &seen);
            if fit.score > 0.0 && (!search.unasked || fit.is_relevant()) {
                found.push(Found { number, fit });
            }
        }
        found.sort_by(|a, b| b.fit.score.total_cmp(&a.fit.score).then(b.number.cmp(&a.number)));
        if search.unasked {
            // Where so many are relevant the rest says the same once more, and looking at each text takes longest.
            found.truncate(search.limit * 2);
        }
        self.without_repetitions(search, found)
    }

    fn direction(&self, text: &str) -> Option<Query> {
        if !self.has_our_model() {
            return None;
        }
        Query::new(&self.embedder().embed(text))
    }

    /// Every row in which one of the telling words stands, and what those words weigh.
    fn by_words(&self, search: &Search<'_>, cards: &Cards) -> Result<Words, MemoryError> {
        let refused = refusal(self.path());
        let table = search.shelf.table();
        let mut words = Words::new(cards.count());
        let mut counted = Vec::new();
        for word in terms::words(search.text) {
            let texts = if cards.is_common(&word) {
                terms::COMMON
            } else {
                self.count(&word, table, &mut words).map_err(&refused)?
            };
            words.question = words.question.with_word(texts);
            counted.push((word, texts));
        }
        let (query, sql) = match terms::query(counted) {
            None => return Ok(words),
            Some(Asked::Any(query)) => {
                (query, format!("SELECT rowid, -bm25({table}) FROM {table} WHERE {table} MATCH ?"))
            }
            // To weigh words that stand everywhere takes longest and says nothing; the latest count.
            Some(Asked::All(query)) => {
                let latest = format!("ORDER BY rowid DESC LIMIT {CANDIDATES}");
                (query, format!("SELECT rowid, 1.0 FROM {table} WHERE {table} MATCH ? {latest}"))
            }
        };
        let mut statement = self.connection().prepare_cached(&sql).map_err(&refused)?;
        let mut rows = statement.query(params![query]).map_err(&refused)?;
        while let Some(row) = rows.next().map_err(&refused)? {
            let number: i64 = row.get(0).map_err(&refused)?;
            if cards.find(number, None).is_some_and(|(card, _)| search.wanted.takes(&card)) {
                words.bm25.insert(number, row.get(1).map_err(&refused)?);
            }
        }
        Ok(words)
    }

    /// In how many texts a word stands, as far as it matters.
    fn count(&self, word: &str, table: &str, words: &mut Words) -> rusqlite::Result<usize> {
        let most = terms::COMMON;
        let rows = format!("SELECT rowid FROM {table} WHERE {table} MATCH ? LIMIT {most}");
        let quoted = terms::quoted(word);
        let Some((few, of_rows)) = &mut words.few else {
            let count = format!("SELECT count(*) FROM ({rows})");
            return self.connection().prepare_cached(&count)?.query_row([quoted], |row| row.get(0));
        };
        let mut rows = self.connection().prepare_cached(&rows)?;
        let rows = rows.query_map([quoted], |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()?;
        let weight = few.add(word, rows.len());
        for row in &rows {
            *of_rows.entry(*row).or_default() += weight;
        }
        Ok(rows.len())
    }

    fn without_repetitions(&self, search: &Search<'_>, found: Vec<Found>) -> Result<Vec<Found>, MemoryError> {
        let mut kept: Vec<(Found, Gist)> = Vec::new();
        for one in found {
            if kept.len() == search.limit {
                break;
            }
            let gist = Gist::of(&self.text(search.shelf, one.number)?);
            if !kept.iter().any(|(_, other)| other.is_like(&gist)) {
                kept.push((one, gist));
            }
        }
        Ok(kept.into_iter().map(|(found, _)| found).collect())
    }
}

/// What is known of the words of a question, and of the rows in which they stand.
struct Words {
    bm25: HashMap<i64, f32>,
    question: Question,
    /// Where little is stored: the words, and what those of each row weigh.
    few: Option<(FewTexts, HashMap<i64, f32>)>,
}

impl Words {
    fn new(texts: usize) -> Self {
        let few = (texts < FEW).then(Default::default);
        Self { bm25: HashMap::new(), question: Question::new(texts), few }
    }

    fn covered(&self, row: i64) -> Option<f32> {
        let (words, of_rows) = self.few.as_ref()?;
        Some(words.coverage(of_rows.get(&row).copied().unwrap_or(0.0)))
    }
}

/// Of those that fit equally well the later, so that the same question has the same answer.
fn best_of(words: &HashMap<i64, f32>) -> Vec<i64> {
    let mut all: Vec<(i64, f32)> = words.iter().map(|(number, bm25)| (*number, *bm25)).collect();
    if all.len() > CANDIDATES {
        all.select_nth_unstable_by(CANDIDATES, |(one, a), (other, b)| b.total_cmp(a).then(other.cmp(one)));
        all.truncate(CANDIDATES);
    }
    all.into_iter().map(|(number, _)| number).collect()
}
