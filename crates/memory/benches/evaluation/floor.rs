//! The floor: what is shown to somebody who did not ask for it.

use tenter_memory::fusion::is_relevant;

use crate::Result;
use crate::measures::share;
use crate::search::{Answer, Store};
use crate::sets::{Set, unrelated};

/// So many are shown at most.
const SHOWN: usize = 5;

/// What the floor lets through.
pub(crate) struct Floor {
    /// In which store.
    pub(crate) store: &'static str,
    pub(crate) texts: usize,
    /// The share of unrelated prompts for which nothing is shown.
    pub(crate) silent: f64,
    pub(crate) prompts: usize,
    /// For each set of our own: its name, the share of questions whose answer is among the first five, and the share
    /// whose answer is there and shown.
    pub(crate) kept: Vec<(&'static str, f64, f64)>,
}

/// Two stores: that of the experiences, and one that holds the documents too.
pub(crate) fn measure(sets: &[Set]) -> Result<Vec<Floor>> {
    let own = &sets[..2];
    let small = own[0].texts.clone();
    let mut large = small.clone();
    large.extend(sets[2..].iter().flat_map(|set| set.texts.iter().cloned()));
    [("experiences", small), ("experiences and documents", large)]
        .into_iter()
        .map(|(name, texts)| of_store(name, &texts, own))
        .collect()
}

fn of_store(name: &'static str, texts: &[String], sets: &[Set]) -> Result<Floor> {
    let store = Store::of(texts)?;
    let prompts = unrelated();
    let mut silent = 0;
    for prompt in &prompts {
        silent += usize::from(shown(&store.ask(prompt)?).next().is_none());
    }
    let mut kept = Vec::new();
    for set in sets {
        let (mut found, mut told) = (0, 0);
        for question in &set.questions {
            let answer = store.ask(&question.text)?;
            found += usize::from(answer.fused.iter().take(SHOWN).any(|hit| hit.id == question.answer));
            told += usize::from(shown(&answer).any(|id| id == question.answer));
        }
        kept.push((set.name, share(found, set.questions.len()), share(told, set.questions.len())));
    }
    Ok(Floor {
        store: name,
        texts: texts.len(),
        silent: share(silent, prompts.len()),
        prompts: prompts.len(),
        kept,
    })
}

fn shown(answer: &Answer) -> impl Iterator<Item = usize> {
    let best = answer.fused.iter().take(SHOWN);
    best.filter(|hit| is_relevant(hit, &answer.question)).map(|hit| hit.id)
}
