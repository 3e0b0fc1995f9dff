//! Composes text for an agent's context: selects, deduplicates, fits into a budget, and cites.
//!
//! ```text
//! gather ─▶ alike ─▶ share ─▶ light or rich
//! ```
//!
//! Only `gather` reads the store; the rest are pure functions.

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
    /// A source of items.
    ContextSource, "context type" {
        /// Resolved entries and journal pages.
        Experiences = "experiences",
        /// Memories.
        Memories = "memories",
        /// Rules that many experiences share.
        Values = "values",
        /// The project's own code.
        Code = "code",
        /// Earlier commits.
        Commits = "commits",
    }
}

impl ContextSource {
    /// The weight of its share of the budget.
    pub const fn weight(self) -> usize {
        match self {
            Self::Experiences => 3,
            Self::Code | Self::Commits => 2,
            Self::Memories | Self::Values => 1,
        }
    }
}

spelled_words! {
    /// The size of a context.
    Depth, "depth" {
        Light = "light",
        Rich = "rich",
    }
}

impl Depth {
    /// Maximum items.
    pub const fn limit(self) -> usize {
        match self {
            Self::Light => 5,
            Self::Rich => 20,
        }
    }

    /// Default maximum of tokens.
    pub const fn tokens(self) -> usize {
        match self {
            Self::Light => 500,
            Self::Rich => 2000,
        }
    }
}

spelled_words! {
    /// The form of an item in a context.
    Form, "form" {
        /// Only its name and id.
        Named = "named",
        /// Its lesson on a line.
        Short = "short",
        /// All of it.
        Whole = "whole",
    }
}

/// Ids in a context, and the form of each. A named id counts as new; a line is pointed at once when it is relevant.
pub type Delivered = HashMap<String, Form>;

/// The request for a context.
#[derive(Clone, Debug)]
pub struct ContextRequest {
    /// The topic; empty means the best lessons and the latest work.
    pub query: String,
    /// The sources.
    pub sources: Vec<ContextSource>,
    /// Maximum items.
    pub limit: usize,
    /// Maximum tokens of the whole text.
    pub max_tokens: usize,
    /// The projects.
    pub scope: Scope,
    /// Ids that the context has already.
    pub known: Delivered,
    /// Whether it was requested.
    pub occasion: Occasion,
}

/// Whether a context was requested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Occasion {
    /// It was: the best hits are shown.
    #[default]
    Asked,
    /// It was not: only clearly relevant hits are shown.
    Unasked,
}

impl ContextRequest {
    /// All sources, with the limits of this depth.
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

/// A text for the context; may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assembled {
    /// The text.
    pub markdown: String,
    /// Its estimated tokens.
    pub token_count: usize,
    /// Its items in order.
    pub cited: Vec<Cited>,
    /// How many relevant items did not fit.
    pub left_out: usize,
    /// Requested sources that are not available yet.
    pub unavailable: Vec<ContextSource>,
}

impl Assembled {
    /// The remark about unavailable sources.
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

/// An item in a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cited {
    /// The source.
    pub source: ContextSource,
    /// The id for looking it up.
    pub id: String,
    /// The form.
    pub form: Form,
}

#[cfg(test)]
mod tests;
