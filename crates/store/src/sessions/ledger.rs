//! The ledger of a session: what was put into its contexts, by whom, what became of it, and what it cost.
//!
//! ```text
//! ledger/entries     a line of JSON per injected text, only ever added to; a lock on it is the lock on all of this
//! ledger/spent-…     a file per turn and one for the session: a number per event, of which the last counts
//! ledger/given-…     sixteen files per context: a line for each text that it has and its author, by the first digit
//!                    of its hash
//! ledger/last-…      a file per hook and context: what the hook said last, given or left out, stands in the last line
//! ```
//!
//! Everything but `entries` is an index: what an event wants to know is at the end of a file or is the name of one,
//! so the thousandth entry costs what the first one did. A session that nobody injected anything into has none.
//!
//! [`Ledger::read`] is for people: all entries, and what they come to.

mod line;
mod page;
mod read;

pub use line::LedgerLine;
pub(super) use page::Page;
pub use read::{Ledger, Total};
