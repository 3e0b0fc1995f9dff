//! The scripted model as agents meet it, and our own way to ask a model: over real connections.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its data should stop there")]

mod client;
mod anthropic;
mod gemini;
mod openai_chat;
mod openai_responses;
mod play;
mod refusals;
mod asking;
mod talk;
mod trouble;
mod spec;
