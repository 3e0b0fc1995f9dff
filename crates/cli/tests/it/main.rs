//! Tests of the whole, through the real program: one binary, one kit.
//!
//! `scenarios` asks whether the whole behaves as documented, `documents` whether what the documents let people type
//! gives what they say, `dialogues` whether people see what we want,
//! `acceptance` whether the promises hold when the world is unkind.

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
