//! Several injections become one message, in which each can be told apart.

use std::fmt::Write;

use tenter_contract::{Injection, Source};

/// The text for an agent that has one channel. A single injection goes as it is.
pub fn batch(injections: &[(&Source, &Injection)]) -> Option<String> {
    match injections {
        [] => None,
        [(_, only)] => Some(only.content.clone()),
        several => {
            let mut text = String::from("Hook feedback:");
            for (by, injection) in several {
                // Writing to a String cannot fail.
                let _ =
                    write!(text, "\n\nFrom {by} ({} bytes):\n{}", injection.content.len(), injection.content);
            }
            Some(text)
        }
    }
}
