//! The tools of our own agent, each in a real folder: what goes in, and what comes out.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its project should stop there")]

mod place;
mod reading;
mod writing;
mod editing;
mod running;
mod beside;
mod searching;
mod todos;
mod serving;
mod conformance;
