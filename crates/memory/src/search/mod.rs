//! Finding again what was learned: by words, by meaning, by both.

pub(crate) mod axes;
mod terms;
mod names;
mod verbatim;
mod alike;
mod blend;
mod find;

pub(crate) use find::{Search, SearchHit};
pub(crate) use terms::COMMON;
