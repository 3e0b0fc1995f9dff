//! The ledger of a session: the texts injected into its contexts, with their authors, status and cost.
//!
//! ```text
//! ledger/entries     a line of JSON per injected text, append-only; its lock is the lock on the ledger
//! ledger/spent-…     a file per turn and one for the session: a number per event, of which the last counts
//! ledger/given-…     sixteen files per context, by the first digit of the hash: a line per text, with its author
//! ledger/last-…      a file per hook and context: the last line has the last output of the hook, injected or left out
//! ```
//!
//! All files but `entries` are indexes, read by name or at the end, so an entry costs the same however long the ledger
//! is. A session without injections has no ledger. [`Ledger::read`] returns all entries and their totals, for people.

mod line;
mod page;
mod read;

pub use line::LedgerLine;
pub(super) use page::Page;
pub use read::{Ledger, Total};
