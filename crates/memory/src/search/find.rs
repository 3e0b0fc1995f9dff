//! One search, from the question to numbered rows.

use std::collections::HashMap;

use rusqlite::params;
use tenter_contract::Timestamp;

use super::alike::Gist;
use super::blend::{self, Seen};
use super::names::names;
use super::said::{self, Said};
use super::terms::{self, Asked, Places};
use crate::error::MemoryError;
use crate::fusion::{self, Evidence, Question};
use crate::questions::Fit;
use crate::store::cards::{Cards, Wanted};
use crate::store::dot::Query;
use crate::store::{Shelf, Store, refusal};
use crate::words::SearchMode;

/// So many of either kind are looked at more closely.
const CANDIDATES: usize = 100;
/// So many are read to see whether the question has a line of them in it: those that share most words with it.
const RECOGNISED: usize = 32;

/// So many may be alike in meaning alone and still stand out.
const STANDING_OUT: usize = 5;
/// A text that has less of a question's words than this has next to none.
const LITTLE_COVERED: f32 = 0.15;

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
        let mut add = |number: i64| {
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        };
        best_of(&words.named).into_iter().for_each(&mut add);
        words.likely.iter().copied().for_each(&mut add);
        let mut among = cards.count();
        if let Some(query) = &query {
            let nearest = cards.nearest(query, &search.wanted, CANDIDATES.max(search.limit));
            among = nearest.among;
            nearest.rows.into_iter().for_each(|(number, _)| add(number));
        }
        let best_bm25 = words.bm25.values().copied().fold(0.0, f32::max);
        let asked = blend::Asked { mode: search.mode, question: words.question, best_bm25, among };
        let mut found: Vec<Found> = Vec::with_capacity(numbers.len());
        for number in numbers {
            let Some((card, cosine)) = cards.find(number, query.as_ref()) else { continue };
            let seen = Seen {
                evidence: Evidence { cosine, ..words.evidence(number) },
                weight: card.weight,
                age_ms: search.now.unix_ms.saturating_sub(card.moment_ms),
                has_all_words: words.are_all_in(number),
            };
            let fit = blend::fit(&asked, &seen);
            if fit.score > 0.0 {
                found.push(Found { number, fit });
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
        let wanted =
            |number: i64| cards.find(number, None).is_some_and(|(card, _)| search.wanted.takes(&card));
        let mut words = Words::new(cards.count());
        let telling = self.places(table, terms::words(search.text), cards).map_err(&refused)?;
        // Most names are words that were looked up just now.
        let (known, others): (Vec<String>, Vec<String>) = names(search.text)
            .into_iter()
            .partition(|name| telling.iter().any(|places| places.word == *name));
        let others = self.places(table, others, cards).map_err(&refused)?;
        let known = telling.iter().filter(|places| known.contains(&places.word));
        for places in known.chain(&others) {
            let weight = words.question.add_name(places.texts);
            for row in places.rows.iter().filter(|row| wanted(**row)) {
                *words.named.entry(*row).or_default() += weight;
            }
        }
        let asked = terms::asked(&telling);
        words.likely = said::likely(&telling, RECOGNISED, wanted);
        words.said = Said::new(search.text);
        words.add(telling);
        let Some(asked) = asked else { return Ok(words) };
        let sql = match &asked {
            Asked::Any(_) => format!("SELECT rowid, -bm25({table}) FROM {table} WHERE {table} MATCH ?"),
            // To weigh words that stand everywhere takes longest and says nothing; the latest count.
            Asked::All(_) => format!(
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

    /// In which rows each of these words stands; several with spaces between stand there in this order. Where a common
    /// one stands says nothing, and is not looked for.
    fn places(&self, table: &str, words: Vec<String>, cards: &Cards) -> rusqlite::Result<Vec<Places>> {
        let sql = format!("SELECT rowid FROM {table} WHERE {table} MATCH ? LIMIT {}", terms::COMMON);
        let mut statement = self.connection().prepare_cached(&sql)?;
        let mut places = |word: String| {
            if cards.is_common(&word) {
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
    fn recognise(&self, search: &Search<'_>, words: &Words, found: &mut [Found]) -> Result<(), MemoryError> {
        let best = found.iter().map(|found| found.fit.score).fold(0.0, f32::max);
        for found in found.iter_mut().filter(|found| words.likely.contains(&found.number)) {
            if words.say_enough_and_are_all_in(found.number)
                || words.said.has(&self.text(search.shelf, found.number)?)
            {
                found.fit.relevance = found.fit.relevance.max(fusion::SAID);
                found.fit.score += best;
            }
        }
        Ok(())
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
    question: Question,
    bm25: HashMap<i64, f32>,
    /// The words that say most, with what they say.
    telling: Vec<(Places, f32)>,
    /// How many words there are, and how many of them are so common that nobody knows where they stand.
    count: usize,
    common: usize,
    /// What the names in a row weigh.
    named: HashMap<i64, f32>,
    said: Said,
    /// The rows of which a line may stand in the question.
    likely: Vec<i64>,
}

impl Words {
    fn new(texts: usize) -> Self {
        let (bm25, telling, count, common, named, said, likely) = Default::default();
        Self { question: Question::new(texts), bm25, telling, count, common, named, said, likely }
    }

    /// Adds the words of the question.
    fn add(&mut self, words: Vec<Places>) {
        self.count = words.len();
        for places in words {
            let says = self.question.add_word(&places.word, places.texts);
            if places.texts >= terms::COMMON {
                self.common += 1;
            } else if places.texts > 0 {
                self.telling.push((places, says));
            }
        }
        self.telling.sort_by_key(|(places, _)| places.texts);
        self.telling.truncate(terms::WORDS);
    }

    /// What those words say together that stand in a row.
    fn says(&self, row: i64) -> f32 {
        self.in_row(row).sum()
    }

    /// Whether all words stand in a row, as far as anybody knows.
    fn are_all_in(&self, row: i64) -> bool {
        let known = self.in_row(row).count();
        known > 0 && known + self.common == self.count
    }

    /// Whether a question of several words that not everybody says all day stands in a row as a whole: the other way
    /// around, it is a line of the text.
    fn say_enough_and_are_all_in(&self, row: i64) -> bool {
        let is_own = |(places, _): &&(Places, f32)| !fusion::is_of_the_trade(&places.word);
        self.are_all_in(row)
            && self.in_row(row).count() >= said::LEAST_ASKED
            && self.telling.iter().filter(is_own).count() >= said::LEAST
    }

    fn in_row(&self, row: i64) -> impl Iterator<Item = f32> {
        let there = self.telling.iter().filter(move |(places, _)| places.rows.binary_search(&row).is_ok());
        there.map(|(_, says)| *says)
    }

    /// A prompt that says nothing in particular (*do the same for the others, and stop if it fails*) means as much the
    /// same as many texts. Where so many share next to no words with it, none of those is meant.
    fn leave_out_what_does_not_stand_out(&self, found: &mut Vec<Found>) {
        let shares_words = |found: &Found| {
            let Evidence { covered, named, .. } = self.evidence(found.number);
            named > 0.0 || covered >= LITTLE_COVERED || found.fit.relevance >= fusion::SAID
        };
        if found.iter().filter(|found| !shares_words(found)).count() > STANDING_OUT {
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
