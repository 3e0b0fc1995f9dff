//! Where a question to a person is put.

use crate::Event;
use crate::outcome::{HumanAnswer, Question};

/// Puts questions to a person.
///
/// Duties: answer in the end, because silence becomes `TimedOut` when the question's time has passed; never
/// grant on an error; say `NoDesk` rather than wait for nobody.
pub trait ApprovalDesk: Send + Sync {
    /// Asks, about the event as it stands after every rewrite.
    fn ask(&self, question: &Question, event: &Event) -> HumanAnswer;
}
