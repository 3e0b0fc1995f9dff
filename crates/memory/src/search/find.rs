//! One search, from the question to numbered rows.

use std::collections::HashMap;

use rusqlite::params;
use tenter_contract::Timestamp;

use super::alike::Gist;
use super::blend;
use super::blend::Seen;
use super::terms::{self, Asked};
use crate::error::MemoryError;
use crate::fusion::Question;
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
    pub(crate) fn find(&mut self, search: &Search<'_>) -> Result<Vec<Found>, MemoryError> {
        let query = match search.mode {
            SearchMode::Keyword => None,
            SearchMode::Semantic | SearchMode::Hybrid => self.direction(search.text),
        };
        let cards = self.cards(search.shelf)?;
        let (words, question) = match search.mode {
            SearchMode::Semantic => (HashMap::new(), Question::new(cards.count())),
            SearchMode::Keyword | SearchMode::Hybrid => self.by_words(search, &cards)?,
        };
        let mut numbers: Vec<i64> = best_of(&words);
        if let Some(query) = &query {
            for (number, _) in cards.nearest(query, &search.wanted, CANDIDATES.max(search.limit)) {
                if !numbers.contains(&number) {
                    numbers.push(number);
                }
            }
        }
        let best_bm25 = words.values().copied().fold(0.0, f32::max);
        let mut found: Vec<Found> = Vec::with_capacity(numbers.len());
        for number in numbers {
            let Some((card, cosine)) = cards.find(number, query.as_ref()) else { continue };
            let seen = Seen {
                bm25: words.get(&number).copied(),
                cosine,
                weight: card.weight,
                age_ms: search.now.unix_ms.saturating_sub(card.moment_ms),
            };
            let fit = blend::fit(search.mode, &question, best_bm25, &seen);
            if fit.score > 0.0 {
                found.push(Found { number, fit });
            }
        }
        found.sort_by(|a, b| b.fit.score.total_cmp(&a.fit.score).then(b.number.cmp(&a.number)));
        self.without_repetitions(search, found)
    }

    fn direction(&mut self, text: &str) -> Option<Query> {
        // A store that cannot be written keeps the vectors of its model, and words alone are compared.
        let _ = self.fit_to_model();
        if !self.has_our_model() {
            return None;
        }
        Query::new(&self.embedder().embed(text))
    }

    /// Every row in which one of the telling words stands with its BM25, and what those words weigh together.
    fn by_words(
        &self,
        search: &Search<'_>,
        cards: &Cards,
    ) -> Result<(HashMap<i64, f32>, Question), MemoryError> {
        let refused = refusal(self.path());
        let table = search.shelf.table();
        let (mut counted, mut question) = (Vec::new(), Question::new(cards.count()));
        let count = format!(
            "SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {table} MATCH ? LIMIT {})",
            terms::counted_up_to()
        );
        let mut count = self.connection().prepare_cached(&count).map_err(&refused)?;
        for word in terms::words(search.text) {
            let places = count.query_row([terms::quoted(&word)], |row| row.get(0)).map_err(&refused)?;
            question = question.with_word(places);
            counted.push((word, places));
        }
        let mut found = HashMap::new();
        let (query, sql) = match terms::query(counted) {
            None => return Ok((found, question)),
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
                found.insert(number, row.get(1).map_err(&refused)?);
            }
        }
        Ok((found, question))
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

fn best_of(words: &HashMap<i64, f32>) -> Vec<i64> {
    let mut all: Vec<(i64, f32)> = words.iter().map(|(number, bm25)| (*number, *bm25)).collect();
    if all.len() > CANDIDATES {
        all.select_nth_unstable_by(CANDIDATES, |(_, a), (_, b)| b.total_cmp(a));
        all.truncate(CANDIDATES);
    }
    all.into_iter().map(|(number, _)| number).collect()
}
