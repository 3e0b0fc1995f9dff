//! The memory from the outside: what is stored is found, what is forgotten is gone, and trouble is reported.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its data should stop there")]

mod support;
mod entries;
mod finding;
mod models;
mod memories;
mod journal;
mod sessions;
mod forgetting;
mod transfer;
mod stopped;
mod troubles;
mod unrelated;
mod projects;
mod names;
mod repair;
mod served;
