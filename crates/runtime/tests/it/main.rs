//! The runtime with fakes around it: what it makes of panics, of hooks at the same time, and of state that
//! fails.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its data should stop there")]

mod kit;
mod ledger;
mod panics;
mod together;
mod watched;
mod once;
mod place;
mod cached;
mod hand_over;
mod told;
mod background;
mod deferred;
mod spilled;
mod stops;
mod deliveries;
mod approvals;
