//! Reads shell command lines once, for outcome capture, for trust in project hooks and for `protect.config`.
//!
//! | module | content |
//! |---|---|
//! | [`syntax`] | the tree: lists, pipelines, commands, words, redirections |
//! | [`reader`] | text becomes a tree; it accepts every text and reports what it did not understand as a [`Flaw`] |
//! | [`wrappers`] | the command behind `sudo`, `env`, `timeout`, `docker run` and others |
//!
//! `brush-parser` 0.4.0 was measured against it: 19 ms for a list of 64 KiB (limit 10 ms), twice the time with every
//! open parenthesis (16 of them 0.8 ms), 270 KB and 74 crates more, and no tree for a line with a mistake.

pub mod syntax;
pub mod reader;
pub mod wrappers;

pub use reader::parse;
pub use syntax::{
    Body, Command, CommandVisit, Expansion, ExpansionKind, Flaw, Joint, List, Pipeline, Redirect,
    RedirectOperator, Script, Word, is_assignment, program_name,
};
pub use wrappers::{Reach, contains_word, inline_script, is_shell, unwrap_command};

#[cfg(test)]
mod tests;
