//! How agents read the text of a path, and which texts of an input are paths.

use std::borrow::Cow;

use crate::canonical_path::normalized;

/// A longer text is a path only if it is short without `.`, `..` and `//`: programs that resolve these by text take more
/// than the kernel's 4096 bytes.
pub(crate) const LONGEST: usize = 64 * 1024;
/// More readings than this has only a text that was made to have them.
const MOST_READINGS: usize = 24;
/// No file system takes a longer name.
const LONGEST_NAME: usize = 255;
/// Schemes that never name a file of this machine.
const NETWORK: [&str; 14] = [
    "http",
    "https",
    "ws",
    "wss",
    "ftp",
    "ftps",
    "git",
    "ssh",
    "mailto",
    "data",
    "tel",
    "urn",
    "about",
    "javascript",
];

/// The texts that an agent's tool may open for this one, itself first.
///
/// | written | read as | by |
/// |---|---|---|
/// | `a\0b` | `ab`, `a` | Gemini CLI; programs in C |
/// | ` a `, with any Unicode blank or U+FEFF | `a` | readers of patches, models' tools |
/// | `"a"`, `` `a` `` | `a` | tools that unquote |
/// | `file:///a`, `file://host/a`, `file:a` | `/a`, `a` | MCP servers, editors |
/// | `vscode-remote://host/a`, `@folder:a` | `/a`, `a` | VS Code; Cline with several folders |
/// | `@a`, `@/a` | `a` | Gemini CLI |
/// | `a%2Fb` | `a/b` | Gemini CLI, URIs |
/// | `a\ b`, `a\b` | `a b`, `a/b` | Gemini CLI; editors |
pub fn readings(text: &str) -> Vec<String> {
    let mut found = vec![text.to_owned()];
    let steps: [fn(&str) -> Vec<String>; 7] =
        [without_nul, without_blanks, without_quotes, of_uri, without_at, percent_decoded, without_backslash];
    // Twice, because one may hide another: `" @a"`.
    for step in steps.iter().chain(&steps) {
        for reading in found.clone().iter().flat_map(|known| step(known)) {
            if !reading.is_empty() && !found.contains(&reading) && found.len() < MOST_READINGS {
                found.push(reading);
            }
        }
    }
    found
}

/// Whether a text has more readings than were looked at.
pub fn has_more_readings(text: &str) -> bool {
    readings(text).len() >= MOST_READINGS
}

/// The text as a program opens it that resolves `.` and `..` by text, where only that makes it a path.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    let names = || text.split('/').all(|name| name.len() <= LONGEST_NAME);
    let hides = text.len() > LONGEST || text.contains(char::is_whitespace) && text.contains("/..");
    if hides && names() { normalized(text).into() } else { text.into() }
}

/// The paths of a text that is a list of them, divided by commas, semicolons or blanks.
pub(crate) fn listed(text: &str) -> impl Iterator<Item = &str> {
    let divides = |c: char| matches!(c, ',' | ';') || c.is_whitespace();
    let parts = move || text.split(divides).filter(|part| !part.is_empty());
    let is_list = text.len() <= LONGEST && text.contains(divides) && parts().all(looks_like_path);
    parts().filter(move |_| is_list)
}

/// Whether a text looks like the path of a file. A URL does not, nor does a sentence.
pub fn looks_like_path(text: &str) -> bool {
    let text = trimmed(text);
    if text.is_empty() || text.len() > LONGEST || text.contains(['\n', '\r']) {
        return false;
    }
    let starts =
        ["/", "~/", "./", "../", "@/", "$HOME", "${HOME}"].iter().any(|start| text.starts_with(start));
    if starts || is_file_uri(text) {
        return true;
    }
    if text.contains("://") && !is_editor_uri(text) || text.contains(char::is_whitespace) {
        return false;
    }
    let extension = text.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=8).contains(&extension.len())
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && extension.bytes().any(|byte| byte.is_ascii_alphabetic())
    });
    text.contains(['/', '\\'])
        || text.starts_with('.')
        || extension
        || text.to_ascii_lowercase().contains("%2f")
}

/// The text without what JavaScript, Python and Rust call blank at its ends, and without U+FEFF and invisible blanks.
pub fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| {
        c.is_whitespace()
            || matches!(c, '\u{FEFF}' | '\u{200B}' | '\u{200C}' | '\u{200D}' | '\u{2060}' | '\u{180E}' | '\0')
    })
}

fn without_nul(text: &str) -> Vec<String> {
    match text.split_once('\0') {
        Some((before, _)) => vec![text.replace('\0', ""), before.to_owned()],
        None => Vec::new(),
    }
}

fn without_blanks(text: &str) -> Vec<String> {
    vec![trimmed(text).to_owned()]
}

fn without_quotes(text: &str) -> Vec<String> {
    let inner = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote).map(str::to_owned);
    ['"', '\'', '`'].into_iter().filter_map(inner).collect()
}

pub(crate) fn is_file_uri(text: &str) -> bool {
    text.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"))
}

fn is_editor_uri(text: &str) -> bool {
    text.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("vscode"))
}

fn of_uri(text: &str) -> Vec<String> {
    let Some((scheme, rest)) = text.split_once(':') else { return Vec::new() };
    let is_scheme = !scheme.is_empty()
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-._ ".contains(&byte))
        && !NETWORK.iter().any(|network| scheme.eq_ignore_ascii_case(network));
    let is_local = is_file_uri(text) || is_editor_uri(text) || !rest.starts_with("//");
    if !is_scheme || !is_local {
        return Vec::new();
    }
    let path = match rest.strip_prefix("//") {
        // Behind the name of a host, if there is one.
        Some(rest) if rest.starts_with('/') => rest,
        Some(rest) => rest.find('/').map_or(rest, |at| &rest[at..]),
        None => rest,
    };
    let plain = path.split(['?', '#']).next().unwrap_or(path);
    let mut found = vec![plain.to_owned(), path.to_owned()];
    // `file://production/a`: a host for some, a folder for others.
    found.extend(rest.strip_prefix("//").map(str::to_owned));
    found
}

fn without_at(text: &str) -> Vec<String> {
    match text.strip_prefix('@') {
        Some(rest) => vec![rest.trim_start_matches(['/', '\\']).to_owned(), rest.to_owned()],
        None => Vec::new(),
    }
}

fn percent_decoded(text: &str) -> Vec<String> {
    if !text.contains('%') {
        return Vec::new();
    }
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let code = text.get(at + 1..at + 3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let code = code.filter(|_| *byte == b'%');
        decoded.push(code.unwrap_or(*byte));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8(decoded).into_iter().collect()
}

fn without_backslash(text: &str) -> Vec<String> {
    if !text.contains('\\') {
        return Vec::new();
    }
    let mut unescaped = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        unescaped.extend(if letter == '\\' { letters.next() } else { Some(letter) });
    }
    vec![unescaped, text.replace('\\', "/")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_is_read_as_agents_read_it() {
        for (text, expected) in [
            ("a/b", "a/b"),
            ("a\0b", "ab"),
            ("a\0b", "a"),
            ("\u{FEFF}\u{A0} a\t", "a"),
            ("\"a b\"", "a b"),
            ("file:///a/b%20c", "/a/b c"),
            ("FILE://localhost/a?x#y", "/a"),
            ("file:a", "a"),
            ("@a/b", "a/b"),
            ("@/a/b", "a/b"),
            ("a%2fb", "a/b"),
            ("a%2", "a%2"),
            ("a\\ b", "a b"),
            ("a\\b", "a/b"),
            (" @\"a\"", "a"),
            ("vscode-remote://host/a/b", "/a/b"),
            ("@shop:a/b", "a/b"),
        ] {
            assert!(
                readings(text).iter().any(|reading| reading == expected),
                "{text:?}: {:?}",
                readings(text)
            );
        }
        assert_eq!(readings("src/a.rs"), ["src/a.rs"]);
        assert!(!has_more_readings("src/[id]/a b.tsx"));
        assert!(has_more_readings("\0@\0%40%2500\\@\"'`prod\\uction/a\0 \\ %20'"));
    }

    #[test]
    fn sentences_and_urls_are_not_paths() {
        for (text, expected) in [
            ("production/a", true),
            ("/a b", true),
            ("a.txt", true),
            (".env", true),
            ("file:x", true),
            ("production%2Fa", true),
            ("production/a is broken", false),
            ("https://a.example/production/a", false),
            ("s3://bucket/production/a", false),
            ("vscode-remote://host/production/a", true),
            ("two\nlines/x", false),
            ("word", false),
            ("1.5", false),
            ("", false),
        ] {
            assert_eq!(looks_like_path(text), expected, "{text:?}");
        }
    }
}
