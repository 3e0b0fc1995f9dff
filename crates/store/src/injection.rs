//! An injected text as it lies in files. What an earlier version wrote has the defaults for what it did not know.

use serde::{Deserialize, Serialize};
use tenter_contract::{Form, Injection, Origin, Repeat, Role, Shortened, Strategy, WholeText};

#[derive(Serialize, Deserialize)]
pub(crate) struct InjectionWire {
    content: String,
    role: String,
    strategy: String,
    ephemeral: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repeat: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    foreign: Option<String>,
    /// Of what a program has printed: how many further bytes were not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    printed: Option<usize>,
    /// Bytes of all of it, its number, and the file it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shortened: Option<(usize, u64, Option<String>)>,
    /// All of it, if no file has it yet: it is cut where it is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    whole: Option<String>,
}

impl InjectionWire {
    pub(crate) fn new(injection: &Injection) -> Self {
        let Injection { content, role, strategy, ephemeral, key, repeat, foreign, origin, form } = injection;
        let shortened = match form {
            Form::Beginning(it) => Some((it.bytes, it.digest, it.all.path().map(str::to_owned))),
            // Whether something has changed is known only when it is given.
            Form::Whole | Form::Unchanged(_) => None,
        };
        let whole = match form {
            Form::Beginning(Shortened { all: WholeText::Here(whole), .. }) => Some(whole.to_string()),
            Form::Beginning(_) | Form::Whole | Form::Unchanged(_) => None,
        };
        Self {
            content: content.clone(),
            role: role.as_str().to_owned(),
            strategy: strategy.as_str().to_owned(),
            ephemeral: *ephemeral,
            key: key.clone(),
            repeat: (*repeat != Repeat::Auto).then(|| repeat.as_str().to_owned()),
            foreign: foreign.clone(),
            printed: match origin {
                Origin::Reply => None,
                Origin::Printed { missing } => Some(*missing),
            },
            shortened,
            whole,
        }
    }

    /// None if it has a word that this version does not know.
    pub(crate) fn injection(self) -> Option<Injection> {
        let repeat = match self.repeat {
            Some(word) => Repeat::parse(&word)?,
            None => Repeat::Auto,
        };
        let form = self.shortened.map_or(Form::Whole, |(bytes, digest, path)| {
            let all = match (path, self.whole) {
                (Some(path), _) => WholeText::At(path),
                (None, Some(whole)) => WholeText::Here(whole.into()),
                (None, None) => WholeText::Lost,
            };
            Form::Beginning(Shortened { bytes, digest, all })
        });
        Some(Injection {
            content: self.content,
            role: Role::parse(&self.role)?,
            strategy: Strategy::parse(&self.strategy)?,
            ephemeral: self.ephemeral,
            key: self.key,
            repeat,
            foreign: self.foreign,
            origin: self.printed.map_or(Origin::Reply, |missing| Origin::Printed { missing }),
            form,
        })
    }
}
