//! Shell command lines: every text has a tree whose spans are places in the source, and wrappers are removed from the
//! front only.

use tenter_shell::{Reach, parse, unwrap_command};

/// Reads a line.
pub fn shell(bytes: &[u8]) {
    let Ok(line) = std::str::from_utf8(bytes) else { return };
    let script = parse(line);
    for visit in script.list.commands() {
        assert!(visit.command.span.start <= visit.command.span.end, "a span ends before it begins");
        let texts = visit.command.texts();
        for reach in [Reach::Process, Reach::Arguments, Reach::Environment] {
            let command = unwrap_command(&texts, reach);
            assert!(command.is_empty() || texts.ends_with(command), "words were lost behind a wrapper");
        }
        for word in &visit.command.words {
            word.replace_expansions(|text, _, raw| text.push_str(raw));
        }
    }
}
