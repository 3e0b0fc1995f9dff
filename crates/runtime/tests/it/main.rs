//! The runtime with fakes: panics, parallel hooks, and failing
//! state.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its data should stop there")]

mod kit;
mod ledger;
mod panics;
mod parallel;
mod progress;
mod once;
mod facts;
mod cache;
mod full_binary;
mod notices;
mod background;
mod deferred;
mod spilled;
mod stop_limit;
mod duplicate_requests;
mod approvals;
