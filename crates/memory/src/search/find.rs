//! One search, from the question to numbered rows.

use std::collections::HashMap;

use rusqlite::params;
use tenter_contract::Timestamp;

use super::alike::WordSet;
use super::blend::{self, RowEvidence};
use super::names::names;
use super::terms::{self, MatchExpression, Places};
use super::verbatim::{self, VerbatimLines};
use crate::error::MemoryError;
use crate::fusion::{self, Evidence, QueryWeights};
use crate::store::dot::QueryVector;
use crate::store::vector_index::{VectorIndex, Wanted};
use crate::store::{Collection, Store, refusal};
use crate::types::Relevance;
use crate::words::SearchMode;

/// How many candidates of each kind are checked more closely.
const CANDIDATES: usize = 100;
/// So many are read to see whether the question has a line of them in it: those that share most words with it.
const RECOGNISED: usize = 32;

/// So many may be alike in meaning alone and still are out.
const ABOVE_AVERAGE: usize = 5;
/// A text that has less of a question's words than this has next to none.
const LITTLE_COVERED: f32 = 0.15;

pub(crate) struct Search<'a> {
    pub(crate) collection: Collection,
    pub(crate) text: &'a str,
    pub(crate) mode: SearchMode,
    pub(crate) wanted: Wanted,
    pub(crate) limit: usize,
    /// Only what is worth showing without a query.
    pub(crate) unasked: bool,
    pub(crate) now: Timestamp,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchHit {
    pub(crate) number: i64,
    pub(crate) fit: Relevance,
}

impl Store {
    /// The rows that fit best, best first; of those that say the same only the best.
    pub(crate) fn find(&self, search: &Search<'_>) -> Result<Vec<SearchHit>, MemoryError> {
        let index = self.index(search.collection)?;
        if index.count() == 0 {
            return Ok(Vec::new());
        }
        let query = match search.mode {
            SearchMode::Keyword => None,
            SearchMode::Semantic | SearchMode::Hybrid => self.direction(search.text),
        };
        let words = match search.mode {
            SearchMode::Semantic => Words::new(index.count()),
            SearchMode::Keyword | SearchMode::Hybrid => self.by_words(search, &index)?,
        };
        let mut numbers: Vec<i64> = best_of(&words.bm25);
        let mut add = |number: i64| {
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        };
        best_of(&words.named).into_iter().for_each(&mut add);
        words.likely.iter().copied().for_each(&mut add);
        let mut among = index.count();
        if let Some(query) = &query {
            let nearest = index.nearest(query, &search.wanted, CANDIDATES.max(search.limit));
            among = nearest.among;
            nearest.rows.into_iter().for_each(|(number, _)| add(number));
        }
        let best_bm25 = words.bm25.values().copied().fold(0.0, f32::max);
        let asked = blend::RankingContext { mode: search.mode, question: words.question, best_bm25, among };
        let mut found: Vec<SearchHit> = Vec::with_capacity(numbers.len());
        for number in numbers {
            let Some((index_row, cosine)) = index.find(number, query.as_ref()) else { continue };
            let row = RowEvidence {
                evidence: Evidence { cosine, ..words.evidence(number) },
                weight: index_row.weight,
                age_ms: search.now.unix_ms.saturating_sub(index_row.moment_ms),
                has_all_words: words.are_all_in(number),
            };
            let fit = blend::relevance(&asked, &row);
            if fit.score > 0.0 {
                found.push(SearchHit { number, fit });
            }
        }
        self.recognise(search, &words, &mut found)?;
        if search.unasked {
            found.retain(|found| found.fit.is_relevant());
            words.leave_out_what_does_not_stand_out(&mut found);
        }
        found.sort_by(|a, b| b.fit.score.total_cmp(&a.fit.score).then(b.number.cmp(&a.number)));
        if search.unasked {
            // Where so many are relevant the rest says the same once more, and looking at each text takes longest.
            found.truncate(search.limit * 2);
        }
        self.without_repetitions(search, found)
    }

    fn direction(&self, text: &str) -> Option<QueryVector> {
        if !self.has_our_model() {
            return None;
        }
        QueryVector::new(&self.embedder().embed(text))
    }

    fn by_words(&self, search: &Search<'_>, index: &VectorIndex) -> Result<Words, MemoryError> {
        let refused = refusal(self.path());
        let table = search.collection.table();
        let wanted = |number: i64| {
            index.find(number, None).is_some_and(|(index_row, _)| search.wanted.takes(&index_row))
        };
        let mut words = Words::new(index.count());
        let distinctive = self.places(table, terms::words(search.text), index).map_err(&refused)?;
        // Most names are words that were checked up just now.
        let (known, others): (Vec<String>, Vec<String>) = names(search.text)
            .into_iter()
            .partition(|name| distinctive.iter().any(|places| places.word == *name));
        let others = self.places(table, others, index).map_err(&refused)?;
        let known = distinctive.iter().filter(|places| known.contains(&places.word));
        for places in known.chain(&others) {
            let weight = words.question.add_name(places.texts);
            for row in places.rows.iter().filter(|row| wanted(**row)) {
                *words.named.entry(*row).or_default() += weight;
            }
        }
        let asked = terms::match_expression(&distinctive);
        words.likely = verbatim::likely(&distinctive, RECOGNISED, wanted);
        words.verbatim = VerbatimLines::new(search.text);
        words.add(distinctive);
        let Some(asked) = asked else { return Ok(words) };
        let sql = match &asked {
            MatchExpression::Any(_) => {
                format!("SELECT rowid, -bm25({table}) FROM {table} WHERE {table} MATCH ?")
            }
            // To weigh words that are everywhere takes longest and says nothing; the latest count.
            MatchExpression::All(_) => format!(
                "SELECT rowid, 1.0 FROM {table} WHERE {table} MATCH ? ORDER BY rowid DESC LIMIT {CANDIDATES}"
            ),
        };
        let mut statement = self.connection().prepare_cached(&sql).map_err(&refused)?;
        let mut rows = statement.query(params![asked.query()]).map_err(&refused)?;
        while let Some(row) = rows.next().map_err(&refused)? {
            let number: i64 = row.get(0).map_err(&refused)?;
            if wanted(number) {
                words.bm25.insert(number, row.get(1).map_err(&refused)?);
            }
        }
        Ok(words)
    }

    /// In which rows each of these words is; several with spaces between are there in this order. Where a common
    /// one is says nothing, and is not searched for.
    fn places(&self, table: &str, words: Vec<String>, index: &VectorIndex) -> rusqlite::Result<Vec<Places>> {
        let sql = format!("SELECT rowid FROM {table} WHERE {table} MATCH ? LIMIT {}", terms::COMMON);
        let mut statement = self.connection().prepare_cached(&sql)?;
        let mut places = |word: String| {
            if index.is_common(&word) {
                return Ok(Places::of_common(word));
            }
            let rows = statement.query_map([terms::quoted(&word)], |row| row.get(0))?;
            let rows = rows.collect::<rusqlite::Result<Vec<i64>>>()?;
            Ok(if rows.len() < terms::COMMON {
                Places { word, texts: rows.len(), rows }
            } else {
                Places::of_common(word)
            })
        };
        words.into_iter().map(&mut places).collect()
    }

    /// What the question has a line of, word for word, is what it is about, and so is what has all of the question. Only
    /// rows with enough of its words are read.
    fn recognise(
        &self,
        search: &Search<'_>,
        words: &Words,
        found: &mut [SearchHit],
    ) -> Result<(), MemoryError> {
        let best = found.iter().map(|found| found.fit.score).fold(0.0, f32::max);
        for found in found.iter_mut().filter(|found| words.likely.contains(&found.number)) {
            if words.say_enough_and_are_all_in(found.number)
                || words.verbatim.has(&self.text(search.collection, found.number)?)
            {
                found.fit.relevance = found.fit.relevance.max(fusion::VERBATIM);
                found.fit.score += best;
            }
        }
        Ok(())
    }

    fn without_repetitions(
        &self,
        search: &Search<'_>,
        found: Vec<SearchHit>,
    ) -> Result<Vec<SearchHit>, MemoryError> {
        let mut kept: Vec<(SearchHit, WordSet)> = Vec::new();
        for one in found {
            if kept.len() == search.limit {
                break;
            }
            let gist = WordSet::new(&self.text(search.collection, one.number)?);
            if !kept.iter().any(|(_, other)| other.is_like(&gist)) {
                kept.push((one, gist));
            }
        }
        Ok(kept.into_iter().map(|(found, _)| found).collect())
    }
}

struct Words {
    question: QueryWeights,
    bm25: HashMap<i64, f32>,
    /// The words that say most, with what they say.
    distinctive: Vec<(Places, f32)>,
    /// How many words there are, and how many of them are so common that it is unknown where they are.
    count: usize,
    common: usize,
    /// What the names in a row weigh.
    named: HashMap<i64, f32>,
    verbatim: VerbatimLines,
    /// The rows of which a line may are in the question.
    likely: Vec<i64>,
}

impl Words {
    fn new(texts: usize) -> Self {
        let (bm25, distinctive, count, common, named, verbatim, likely) = Default::default();
        Self { question: QueryWeights::new(texts), bm25, distinctive, count, common, named, verbatim, likely }
    }

    fn add(&mut self, words: Vec<Places>) {
        self.count = words.len();
        for places in words {
            let says = self.question.add_word(&places.word, places.texts);
            if places.texts >= terms::COMMON {
                self.common += 1;
            } else if places.texts > 0 {
                self.distinctive.push((places, says));
            }
        }
        self.distinctive.sort_by_key(|(places, _)| places.texts);
        self.distinctive.truncate(terms::WORDS);
    }

    fn says(&self, row: i64) -> f32 {
        self.in_row(row).sum()
    }

    fn are_all_in(&self, row: i64) -> bool {
        let known = self.in_row(row).count();
        known > 0 && known + self.common == self.count
    }

    /// Whether a question of several words that not everybody says all day is in a row as a whole: the other way
    /// around, it is a line of the text.
    fn say_enough_and_are_all_in(&self, row: i64) -> bool {
        let is_own = |(places, _): &&(Places, f32)| !fusion::is_software_term(&places.word);
        self.are_all_in(row)
            && self.in_row(row).count() >= verbatim::LEAST_QUERY_WORDS
            && self.distinctive.iter().filter(is_own).count() >= verbatim::LEAST
    }

    fn in_row(&self, row: i64) -> impl Iterator<Item = f32> {
        let there =
            self.distinctive.iter().filter(move |(places, _)| places.rows.binary_search(&row).is_ok());
        there.map(|(_, says)| *says)
    }

    /// A prompt that says nothing in particular (*do the same for the others, and stop if it fails*) means as much the
    /// same as many texts. Where so many share next to no words with it, none of those is meant.
    fn leave_out_what_does_not_stand_out(&self, found: &mut Vec<SearchHit>) {
        let shares_words = |found: &SearchHit| {
            let Evidence { covered, named, .. } = self.evidence(found.number);
            named > 0.0 || covered >= LITTLE_COVERED || found.fit.relevance >= fusion::VERBATIM
        };
        if found.iter().filter(|found| !shares_words(found)).count() > ABOVE_AVERAGE {
            found.retain(shares_words);
        }
    }

    fn evidence(&self, row: i64) -> Evidence {
        Evidence {
            bm25: self.bm25.get(&row).copied(),
            covered: self.question.covered(self.says(row)),
            named: self.question.named(self.named.get(&row).copied().unwrap_or(0.0)),
            cosine: None,
        }
    }
}

/// The rows with the most, in no order. Of those that fit equally well the later, so that the same question has the same
/// answer.
fn best_of(rows: &HashMap<i64, f32>) -> Vec<i64> {
    let mut all: Vec<(i64, f32)> = rows.iter().map(|(number, most)| (*number, *most)).collect();
    if all.len() > CANDIDATES {
        all.select_nth_unstable_by(CANDIDATES, |(one, a), (other, b)| b.total_cmp(a).then(other.cmp(one)));
        all.truncate(CANDIDATES);
    }
    all.into_iter().map(|(number, _)| number).collect()
}
