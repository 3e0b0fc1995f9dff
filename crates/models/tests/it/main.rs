//! The scripted server and the client, over real connections.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its data should stop there")]

mod raw_client;
mod anthropic;
mod gemini;
mod openai_chat;
mod openai_responses;
mod script_run;
mod refusals;
mod chat;
mod conversations;
mod failures;
mod spec;
