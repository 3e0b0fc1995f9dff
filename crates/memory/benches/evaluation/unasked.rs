//! What is shown without a query, in stores of several sizes.

use std::sync::Arc;

use tenter_memory::Embedder;

use crate::Result;
use crate::measures::{Dice, share};
use crate::sets::{Set, everyday, goals, unrelated};
use crate::store::Store;

/// How many texts are stored; the last is all there are.
pub(crate) const SIZES: [usize; 5] = [1, 10, 100, 1000, usize::MAX];
/// In a small store, one of this number of texts answers a question.
const ANSWERS: usize = 3;
/// Of the documents' questions one in so many is asked where no documents are stored.
const FOREIGN: usize = 10;

/// What is reported with so many texts. All are shares: of prompts for which nothing is reported, and of questions whose answer
/// is reported.
pub(crate) struct UnaskedResults {
    pub(crate) texts: usize,
    pub(crate) silent_unrelated: f64,
    pub(crate) silent_everyday: f64,
    /// Sentences about other software than what is stored; none where nothing is other.
    pub(crate) silent_foreign: Option<f64>,
    /// The paraphrases, asked where their answer is not stored.
    pub(crate) silent_absent: Option<f64>,
    /// For each set its name, and the share.
    pub(crate) answered: Vec<(&'static str, f64)>,
}

/// Our own sets, in stores of each size.
pub(crate) fn by_size(sets: &[Set], embedder: &Arc<dyn Embedder>) -> Result<Vec<UnaskedResults>> {
    let (own, documents): (Vec<&Set>, Vec<&Set>) = sets.iter().partition(|set| set.is_ours);
    let foreign: Vec<&str> =
        documents.iter().flat_map(|set| &set.questions).step_by(FOREIGN).map(|it| it.text.as_str()).collect();
    let goals = goals(own[0]);
    let mut shown = Vec::new();
    for size in SIZES {
        let mut answered = Vec::new();
        for set in own.iter().copied().chain(&goals) {
            answered.push((set.name, Stores::open_some(set, size, embedder)?.answered()?));
        }
        let stores = Stores::open_some(own[0], size, embedder)?;
        shown.push(UnaskedResults {
            texts: size.min(own[0].texts.len()),
            silent_unrelated: stores.silent(&unrelated())?,
            silent_everyday: stores.silent(&everyday())?,
            silent_foreign: (!foreign.is_empty()).then(|| stores.silent(&foreign)).transpose()?,
            silent_absent: Some(stores.silent_where_absent(embedder)?),
            answered,
        });
    }
    Ok(shown)
}

/// Every set in one store. Manuals have a word on nearly everything, so this one is harder.
pub(crate) fn all_together(sets: &[Set], embedder: &Arc<dyn Embedder>) -> Result<UnaskedResults> {
    let mut texts = sets[0].texts.clone();
    let mut firsts = Vec::new();
    for set in sets {
        firsts.push(if set.is_ours { 0 } else { texts.len() });
        if !set.is_ours {
            texts.extend(set.texts.iter().cloned());
        }
    }
    let store = Store::open_all(&texts, embedder)?;
    let silent = |prompts: &[&str]| -> Result<f64> {
        let shown = prompts.iter().map(|prompt| store.recall(prompt)).collect::<Result<Vec<_>>>()?;
        Ok(share(shown.iter().filter(|shown| shown.is_empty()).count(), prompts.len()))
    };
    let mut answered = Vec::new();
    for (set, first) in sets.iter().zip(firsts) {
        let mut shown = 0;
        for question in set.reported() {
            shown += usize::from(store.recall(&question.text)?.contains(&(first + question.answer)));
        }
        answered.push((set.name, share(shown, set.reported().count())));
    }
    Ok(UnaskedResults {
        texts: texts.len(),
        silent_unrelated: silent(&unrelated())?,
        silent_everyday: silent(&everyday())?,
        silent_foreign: None,
        silent_absent: None,
        answered,
    })
}

/// Stores of one size that together have the answers to all questions of a set.
struct Stores<'a> {
    set: &'a Set,
    /// Each with the answers that it has.
    each: Vec<(Store, Vec<usize>)>,
    /// Texts that answer no question.
    others: Vec<usize>,
}

impl<'a> Stores<'a> {
    fn open_some(set: &'a Set, size: usize, embedder: &Arc<dyn Embedder>) -> Result<Self> {
        let questions: Vec<usize> = set.reported().map(|question| question.answer).collect();
        let mut others: Vec<usize> =
            (0..set.texts.len()).filter(|place| !questions.contains(place)).collect();
        Dice::new().shuffle(&mut others);
        let mut each = Vec::new();
        let answers = if size <= ANSWERS { size } else { (size / ANSWERS).min(questions.len()) };
        for (at, answers) in questions.chunks(answers).enumerate() {
            let from = others.iter().cycle().skip(at * size.min(others.len())).take(others.len());
            let mut places = answers.to_vec();
            places.extend(from.take(size.saturating_sub(answers.len())));
            each.push((Store::open_some(&set.texts, &places, embedder)?, answers.to_vec()));
        }
        Ok(Self { set, each, others })
    }

    fn answered(&self) -> Result<f64> {
        let mut shown = 0;
        for (store, answers) in &self.each {
            for question in self.set.reported().filter(|question| answers.contains(&question.answer)) {
                shown += usize::from(store.recall(&question.text)?.contains(&question.answer));
            }
        }
        Ok(share(shown, self.set.reported().count()))
    }

    /// Prompts that nothing answers, spread over the stores.
    fn silent(&self, prompts: &[&str]) -> Result<f64> {
        let mut silent = 0;
        for (prompt, (store, _)) in prompts.iter().zip(self.each.iter().cycle()) {
            silent += usize::from(store.recall(prompt)?.is_empty());
        }
        Ok(share(silent, prompts.len()))
    }

    /// The set's own questions, each asked in another store than that of its answer.
    fn silent_where_absent(&self, embedder: &Arc<dyn Embedder>) -> Result<f64> {
        let without = if self.each.len() < 2 {
            Some(Store::open_some(&self.set.texts, &self.others, embedder)?)
        } else {
            None
        };
        let mut silent = 0;
        for (at, (_, answers)) in self.each.iter().enumerate() {
            let next = &self.each[(at + 1) % self.each.len()].0;
            let store = without.as_ref().unwrap_or(next);
            for question in self.set.reported().filter(|question| answers.contains(&question.answer)) {
                silent += usize::from(store.recall(&question.text)?.is_empty());
            }
        }
        Ok(share(silent, self.set.reported().count()))
    }
}
