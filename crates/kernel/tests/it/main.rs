//! Tests of the kernel from outside: one binary, one kit.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its data should stop there")]

mod kit;
mod fold;
mod shared_decision;
