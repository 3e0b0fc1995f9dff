//! Entries from the outside: their life, their files, several agents at once, and being stopped anywhere;
//! and what real runners and agents say about how something came out.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its data should stop there")]

mod cleaning;
mod support;
mod life;
mod counting;
mod orphans;
mod stopped;
mod together;
mod any_sequence;
mod outcomes;
mod predictions;
mod tool_output;
