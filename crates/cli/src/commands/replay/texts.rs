//! What a hook injected then, as far as records have it, next to what it would inject today.

use tenter_protocol::v1::record::{RecordV1, RecordedHook};

use crate::commands::replay::compare::{Today, same_text};
use crate::trail::words::bare;

pub(crate) struct Texts {
    /// Of then, in order; nothing for one that the record does not have as its hook said it.
    then: Vec<Option<String>>,
    today: Vec<String>,
}

/// Texts of both times. What a hook that is asked twice injects belongs to its first run.
pub(crate) fn of(then: &RecordedHook, beside: &[RecordV1], today: &Today<'_>) -> Texts {
    if then.rejudge {
        return Texts { then: Vec::new(), today: Vec::new() };
    }
    let name = bare(&then.hook);
    let mut given: Vec<&String> = beside
        .iter()
        .filter(|record| record.hook_name.as_deref() == Some(name))
        .filter_map(|record| record.content.as_ref())
        .collect();
    // By its length: one may not have arrived, and of another the record has what the agent got in its place.
    let mut known = |bytes: u64| {
        let place = given.iter().position(|text| text.len() as u64 == bytes)?;
        Some(given.remove(place).clone())
    };
    let wanted = then.effects.iter().filter(|effect| effect.effect == "inject");
    let now = today.texts.iter().filter(|(by, _)| by == name).map(|(_, text)| text.clone());
    Texts {
        then: wanted.map(|effect| known(effect.bytes.unwrap_or_default())).collect(),
        today: now.collect(),
    }
}

impl Texts {
    /// Whether one is known to be another.
    pub(crate) fn differ(&self) -> bool {
        self.pairs().any(|(then, today)| !same_text(then, today))
    }

    /// The first that are different, or of one side alone: what is known of them.
    pub(crate) fn shown(&self) -> (Option<&String>, Option<&String>) {
        match self.pairs().find(|(then, today)| !same_text(then, today)) {
            Some((then, today)) => (Some(then), Some(today)),
            None if self.then.is_empty() => (None, self.today.first()),
            None if self.today.is_empty() => (self.then.first().and_then(Option::as_ref), None),
            None => (None, None),
        }
    }

    fn pairs(&self) -> impl Iterator<Item = (&String, &String)> {
        self.then.iter().zip(&self.today).filter_map(|(then, today)| Some((then.as_ref()?, today)))
    }
}
