//! `[[hooks]]` tables in a TOML file, found by their lines: enough to add ours at the end and to remove them again.
//!
//! Not a reader of TOML, which the program that agents call has no room for. A table is ours only if every line of it
//! is plainly understood.

pub(super) struct Table<'t> {
    /// From its heading to the next one, or to the end.
    pub(super) text: &'t str,
    /// The event and the command, if it is a hook with plain values.
    pub(super) hook: Option<(String, String)>,
}

/// The file in pieces: the text above the first table, and the tables.
pub(super) fn tables(text: &str) -> Vec<Table<'_>> {
    let mut starts = vec![0];
    let mut at = 0;
    let mut within = None;
    for line in text.split_inclusive('\n') {
        if within.is_none() && line.trim_start().starts_with('[') && at > 0 && is_heading(line) {
            starts.push(at);
        }
        within = quote_open_after(line, within);
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(start, end)| table(&text[*start..end])).collect()
}

/// `[hooks]` and `[[hooks]]`, and not a line of a list.
fn is_heading(line: &str) -> bool {
    let line = line.split('#').next().unwrap_or_default().trim();
    line.starts_with('[') && line.ends_with(']') && !line.contains([',', '"', '\'', '=', '{'])
        || line.starts_with("[[")
}

/// The quotes of a text of several lines that is open at the end of a line.
fn quote_open_after(line: &str, mut open: Option<&'static str>) -> Option<&'static str> {
    let mut rest = line;
    loop {
        let next = match open {
            Some(quote) => rest.find(quote).map(|at| (at, quote, None)),
            None => ["\"\"\"", "'''"]
                .into_iter()
                .filter_map(|quote| rest.find(quote).map(|at| (at, quote, Some(quote))))
                .min_by_key(|(at, _, _)| *at),
        };
        let Some((at, quote, now)) = next else { return open };
        (open, rest) = (now, &rest[at + quote.len()..]);
    }
}

fn table(text: &str) -> Table<'_> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let is_hook = lines.next() == Some("[[hooks]]");
    let (mut event, mut command, mut plain) = (None, None, is_hook);
    for line in lines {
        let pair = line.split_once('=').map(|(key, value)| (key.trim(), value.trim()));
        match pair {
            Some(("event", value)) => event = string(value),
            Some(("command", value)) => command = string(value),
            Some(("timeout" | "matcher", value)) if !value.starts_with(['[', '{']) => {}
            Some(_) | None => plain = false,
        }
    }
    Table { text, hook: event.zip(command).filter(|_| plain) }
}

fn string(value: &str) -> Option<String> {
    if let Some(literal) = value.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        return (!literal.contains('\'')).then(|| literal.to_owned());
    }
    // What TOML escapes on one line, JSON escapes in the same way.
    value.starts_with('"').then(|| serde_json::from_str(value).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[Option<(&str, &str)>]) {
        let tables = tables(text);
        assert_eq!(tables.iter().map(|table| table.text).collect::<String>(), text, "nothing is lost");
        let hooks: Vec<_> = tables
            .iter()
            .map(|table| table.hook.as_ref().map(|(event, command)| (event.as_str(), command.as_str())))
            .collect();
        assert_eq!(hooks, expected, "{text}");
    }

    #[test]
    fn tables_begin_at_their_headings() {
        check("", &[None]);
        check("model = \"k\"\n", &[None]);
        check(
            "[[hooks]]\nevent = \"Stop\"\ncommand = 'a b' \n\n# mine\n[[hooks]]\nevent=\"Stop\"\ncommand=\"x \\\"y\\\"\"\ntimeout = 5",
            &[Some(("Stop", "a b")), Some(("Stop", "x \"y\""))],
        );
        check("a = 1\n[b]\nc = [\n  [1, 2],\n]\n[b.d]\n", &[None, None, None]);
    }

    #[test]
    fn unusual_tables_are_no_hooks() {
        check("[[hooks]]\nevent = \"Stop\"\ncommand = \"\"\"\n[[hooks]]\n\"\"\"\n", &[None]);
        check("[[hooks]]\nevent = \"Stop\"\ncommand = 'a'\nargs = ['b']\n", &[None]);
        check("[[hooks]]\nevent = \"Stop\"\n", &[None]);
        check("[[servers]]\nevent = \"Stop\"\ncommand = 'a'\n", &[None]);
    }
}
