//! tenter's own JSON: the input and replies of hooks, records and outcomes.
//!
//! The types of `contract` have no stable serialization. Formats that other programs read are here, with a version.
//! The formats of agents are in their adapters. The schemas in `schemas/` are generated from these types and
//! compared by a test (`just schemas` rewrites them).

pub mod v1;
pub mod dialects;
mod claude_result;
pub mod strict_json;
pub mod stop_scan;
mod stop_signals;
pub mod shorten;
pub mod schemas;
