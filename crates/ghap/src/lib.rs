//! Goal, hypothesis, action, prediction: what an agent is trying, and how it came out.
//!
//! It is part of the small program that agents call, so there is no database here.

pub mod outcome;
