//! Compares the texts that a hook injected then with those that it would inject today.

use tenter_protocol::v1::record::{RecordV1, RecordedHook};

use crate::commands::replay::compare::{Today, same_text};
use crate::trail::words::bare;

pub(crate) struct Texts {
    /// The recorded texts in order; `None` for one that the record does not have in full.
    then: Vec<Option<String>>,
    today: Vec<String>,
}

/// The texts of a hook that is asked twice belong to its first run.
pub(crate) fn collect(then: &RecordedHook, related: &[RecordV1], today: &Today<'_>) -> Texts {
    if then.rejudge {
        return Texts { then: Vec::new(), today: Vec::new() };
    }
    let name = bare(&then.hook);
    let mut recorded: Vec<&String> = related
        .iter()
        .filter(|record| record.hook_name.as_deref() == Some(name))
        .filter_map(|record| record.content.as_ref())
        .collect();
    // By length, because some texts did not arrive, or arrived in another form.
    let mut known = |bytes: u64| {
        let place = recorded.iter().position(|text| text.len() as u64 == bytes)?;
        Some(recorded.remove(place).clone())
    };
    let wanted = then.effects.iter().filter(|effect| effect.effect == "inject");
    let now = today.texts.iter().filter(|(by, _)| by == name).map(|(_, text)| text.clone());
    Texts {
        then: wanted.map(|effect| known(effect.bytes.unwrap_or_default())).collect(),
        today: now.collect(),
    }
}

impl Texts {
    /// Whether texts are known to differ.
    pub(crate) fn differ(&self) -> bool {
        self.pairs().any(|(then, today)| !same_text(then, today))
    }

    /// The first pair that differs, or the first text of the only side that has one.
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
