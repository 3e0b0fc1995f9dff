//! Our own JSON: what hooks read, what they may say, what records and outcomes look like.
//!
//! The words of `contract` carry no serde; a type that can be serialized is a promise to strangers, and the
//! promises are here, with a version. There are two kinds of wire: theirs, one per agent, inside its
//! adapter; and ours, one, here. The schemas in `schemas/` are generated from these types and compared by a
//! test (`just schemas` rewrites them).

pub mod v1;
pub mod dialects;
mod claude_result;
pub mod strict_json;
pub mod stop_scan;
mod stop_signals;
pub mod shorten;
pub mod schemas;
