//! What is put into an agent's context: chosen, weighed against a budget, cited, and written down.
//!
//! ```text
//! gather ─▶ alike ─▶ share ─▶ light or rich
//! the store   say the   who gets   the words an
//! is asked    same?     how much   agent reads
//! ```
//!
//! Everything behind `gather` is a function from value to value.

mod age;
mod alike;
mod gather;
mod items;
mod light;
mod premortem;
mod rich;
mod share;
mod text;

use std::collections::HashMap;

use tenter_ghap::spelled_words;

use crate::types::Scope;

pub use premortem::PremortemRequest;
pub(crate) use text::title as shortened;
pub use text::tokens;

spelled_words! {
    /// Where something for the context comes from.
    ContextSource, "context type" {
        /// What was tried, and how it came out.
        Experiences = "experiences",
        /// What a user wanted to be remembered.
        Memories = "memories",
        /// Rules that many experiences have in common.
        Values = "values",
        /// The project's own code.
        Code = "code",
        /// What was changed before.
        Commits = "commits",
    }
}

impl ContextSource {
    /// How much of the budget it gets next to the others.
    pub const fn weight(self) -> usize {
        match self {
            Self::Experiences => 3,
            Self::Code | Self::Commits => 2,
            Self::Memories | Self::Values => 1,
        }
    }
}

spelled_words! {
    /// How much is wanted.
    Depth, "depth" {
        /// A handful of lines.
        Light = "light",
        /// All that is relevant.
        Rich = "rich",
    }
}

impl Depth {
    /// At most so many things.
    pub const fn limit(self) -> usize {
        match self {
            Self::Light => 5,
            Self::Rich => 20,
        }
    }

    /// At most so many tokens, where no one says otherwise.
    pub const fn tokens(self) -> usize {
        match self {
            Self::Light => 500,
            Self::Rich => 2000,
        }
    }
}

spelled_words! {
    /// How much of something a context has.
    Form, "form" {
        /// That there is such a thing, and how it is checked up.
        Named = "named",
        /// What is to be learned from it, on a line.
        Short = "short",
        /// All that is reported of it.
        Whole = "whole",
    }
}

/// What a context has already: ids, and how much of each. What it has only by name is new to it, and what it has as a
/// line is pointed at once when it matters.
pub type Delivered = HashMap<String, Form>;

/// What is wanted for a context.
#[derive(Clone, Debug)]
pub struct ContextRequest {
    /// What it is about; empty: the best lessons and the latest work.
    pub query: String,
    /// Where from.
    pub sources: Vec<ContextSource>,
    /// At most so many things.
    pub limit: usize,
    /// At most so many tokens, all of the text included.
    pub max_tokens: usize,
    /// Whose.
    pub scope: Scope,
    /// What the context has already; it is not shown again.
    pub known: Delivered,
    /// Whether a user has asked for it.
    pub occasion: Occasion,
}

/// Whether a user has asked for a context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Occasion {
    /// A process has: what fits best gets.
    #[default]
    Asked,
    /// No process has, so only what is clearly about the question gets.
    Unasked,
}

impl ContextRequest {
    /// From everywhere, as much as this depth gives.
    pub fn new(query: impl Into<String>, depth: Depth, scope: Scope) -> Self {
        Self {
            query: query.into(),
            sources: ContextSource::ALL.to_vec(),
            limit: depth.limit(),
            max_tokens: depth.tokens(),
            scope,
            known: Delivered::new(),
            occasion: Occasion::Asked,
        }
    }
}

/// A text for the context; empty if there is nothing to say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assembled {
    /// The text.
    pub markdown: String,
    /// What it costs, estimated.
    pub token_count: usize,
    /// What is in it, in order.
    pub cited: Vec<Cited>,
    /// How many more were relevant, and did not fit.
    pub left_out: usize,
    /// What was asked for and cannot be passed yet.
    pub unavailable: Vec<ContextSource>,
}

impl Assembled {
    /// What a user who asked for it must know of what is missing.
    pub fn remark(&self) -> Option<String> {
        if self.unavailable.is_empty() {
            return None;
        }
        let names: Vec<&str> = self.unavailable.iter().map(|source| source.as_str()).collect();
        let is = if names.len() == 1 { "is" } else { "are" };
        Some(format!(
            "{} {is} not available yet; `experiences` and `memories` are. Experiences have the lessons.",
            names.join(", ")
        ))
    }
}

/// Something that is in a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cited {
    /// Where it comes from.
    pub source: ContextSource,
    /// By which it can be checked up.
    pub id: String,
    /// How much of it.
    pub form: Form,
}

#[cfg(test)]
mod tests;
