//! The tools of the agent in real folders.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its project should stop there")]

mod workspace;
mod reading;
mod writing;
mod editing;
mod running;
mod background;
mod searching;
mod todos;
mod mcp_servers;
mod conformance;
