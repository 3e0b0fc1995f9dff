//! Tests of the complete program.
//!
//! `scenarios` tests the documented behaviour, `documents` the commands in documents,
//! `dialogues` the output of commands,
//! `acceptance` the guarantees under failures.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its data should stop there")]

mod world;
mod placeholders;
mod records;
mod loopback;
mod fences;
mod needs;
mod terminal;
mod scenarios;
mod examples;
mod documents;
mod dialogues;
mod acceptance;
mod chat;
mod plugin;
mod memory;
mod otel;
