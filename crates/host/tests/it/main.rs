//! Compares duplicates: documents with the code, the tree with its rules.
//!
//! `UPDATE_DOCS=1 cargo test -p tenter-host` (or `just docs`) rewrites the generated parts of the documents.
#![expect(clippy::unwrap_used, reason = "a test that cannot read the tree should stop there")]

mod tree;
mod generated;
mod agent_pages;
mod broken_parts;
mod embedding;
mod reference;
mod failure_behaviour;
mod security_cases;
mod requirements;
mod dependencies;
mod approvers;
mod tidy;
mod guarded_paths;
