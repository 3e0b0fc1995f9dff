//! What every command of the command line needs: printing, listings, progress, keys, arguments and errors.

pub mod arguments;
pub mod change_log;
#[expect(missing_docs, reason = "the message of each error says what it is about")]
pub mod error;
pub mod hooks;
pub mod injections;
pub mod input_file;
pub mod listing;
pub mod moment;
pub mod person;
pub mod places;
pub mod printer;
pub mod progress;
pub mod terminal;
