//! Patterns that users write: a glob (`* ? [seq] [!seq]`), or `/…/`, a regular expression.
//!
//! Parsing and matching are in one file, so that they agree about what a guard covers. Globs are matched by hand:
//! compiling a glob set costs more than the rest of a hook process.

use std::fmt;
use std::sync::OnceLock;

use crate::canonical_path::normalized;
use crate::negation::Negation;

/// A glob or a regular expression over one piece of text.
#[derive(Clone)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "cache", serde(from = "String", into = "String"))]
pub struct Pattern {
    source: String,
    form: Form,
}

#[derive(Clone)]
enum Form {
    Glob,
    /// Compiled at first use: most hooks of a file are not concerned by the event at hand.
    Regex {
        body: String,
        compiled: OnceLock<Compiled>,
    },
}

#[derive(Clone)]
struct Compiled {
    /// What the text must not match.
    refused: Option<regex_lite::Regex>,
    wanted: regex_lite::Regex,
}

impl Compiled {
    fn new(body: &str) -> Result<Self, regex_lite::Error> {
        let Some(negation) = Negation::parse(body) else {
            return Ok(Self { refused: None, wanted: regex_lite::Regex::new(body)? });
        };
        // Each must be an expression of its own, so that no parenthesis closes what another opened.
        for part in negation.refused.iter().chain([&negation.rest]) {
            regex_lite::Regex::new(part)?;
        }
        let refused = regex_lite::Regex::new(&negation.refusal())?;
        Ok(Self { refused: Some(refused), wanted: regex_lite::Regex::new(&negation.remainder())? })
    }

    fn refuses(&self, text: &str) -> bool {
        self.refused.as_ref().is_some_and(|refused| refused.is_match(text))
    }

    fn is_match(&self, text: &str) -> bool {
        self.wanted.is_match(text) && !self.refuses(text)
    }
}

/// Why a text is not a valid pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// What the regular expression engine says.
    pub detail: String,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

impl std::error::Error for PatternError {}

impl Pattern {
    /// Reads a pattern. `/…/` (longer than two characters) is a regular expression, the rest is a glob.
    pub fn parse(source: &str) -> Result<Self, PatternError> {
        let form = match regex_body(source) {
            Some(body) => {
                if let Err(error) = Compiled::new(body) {
                    return Err(PatternError { detail: error.to_string() });
                }
                Form::Regex { body: body.to_owned(), compiled: OnceLock::new() }
            }
            None => Form::Glob,
        };
        Ok(Self { source: source.to_owned(), form })
    }

    /// A pattern from a compiled hook file, which was parsed before. A regular expression is not compiled here,
    /// because that costs more than everything else a hook process does.
    pub fn from_checked(source: String) -> Self {
        let form = match regex_body(&source) {
            Some(body) => Form::Regex { body: body.to_owned(), compiled: OnceLock::new() },
            None => Form::Glob,
        };
        Self { source, form }
    }

    /// Whether the text matches: a glob must cover all of it, a regular expression may match inside.
    pub fn matches(&self, text: &str) -> bool {
        match &self.form {
            Form::Glob => glob(self.source.as_bytes(), text.as_bytes(), Slash::Ordinary),
            Form::Regex { body, compiled } => regex_matches(body, compiled, text),
        }
    }

    /// Whether the path matches. `*` and `?` stop at `/`, `**` crosses it; `a/**` is also the folder `a` itself, which
    /// can be moved with all that is in it. A relative glob is compared with the path below `root` and, like a
    /// `.gitignore` line without a slash, with the last component. A regular expression sees the same forms of the
    /// path as a glob, also with `/` at the end, and the path as it is.
    pub fn matches_path(&self, path: &str, root: Option<&str>) -> bool {
        let normal = normalized(path);
        let below = root.and_then(|root| below(&normal, &normalized(root)));
        let candidates = [Some(normal.as_str()), below];
        let mut candidates = candidates.into_iter().flatten();
        match &self.form {
            Form::Regex { body, compiled } => {
                // `^production\/` is also about the folder itself.
                let fits = |text: &str| {
                    regex_matches(body, compiled, text)
                        || body.contains('/')
                            && !text.ends_with('/')
                            && regex_matches(body, compiled, &format!("{text}/"))
                };
                fits(path) || candidates.any(fits)
            }
            Form::Glob => {
                let pattern = self.source.strip_prefix("./").unwrap_or(&self.source);
                let folder = pattern.strip_suffix("/**").filter(|folder| !folder.is_empty());
                candidates.any(|text| {
                    let fits = |pattern: &str| glob(pattern.as_bytes(), text.as_bytes(), Slash::Divides);
                    fits(pattern)
                        || folder.is_some_and(fits)
                        || (!pattern.contains('/')
                            && text.rsplit('/').next().is_some_and(|last| {
                                glob(pattern.as_bytes(), last.as_bytes(), Slash::Divides)
                            }))
                })
            }
        }
    }

    /// Whether the pattern begins with a negative look-ahead (`^(?!Read$)`).
    pub fn is_negated(&self) -> bool {
        matches!(&self.form, Form::Regex { body, .. } if Negation::parse(body).is_some())
    }

    /// Whether the look-ahead rejects this text.
    pub fn refuses(&self, text: &str) -> bool {
        match &self.form {
            Form::Glob => false,
            Form::Regex { body, compiled } => {
                compile(body, compiled).is_some_and(|compiled| compiled.refuses(text))
            }
        }
    }

    /// Whether it is a regular expression.
    pub fn is_regex(&self) -> bool {
        matches!(self.form, Form::Regex { .. })
    }

    /// Whether a pattern with this source could match, without parsing it. A regular expression could match wherever
    /// its certain part occurs.
    pub fn might_match(source: &str, text: &str) -> bool {
        match regex_body(source) {
            Some(body) => text.contains(certain_part(body)),
            None => glob(source.as_bytes(), text.as_bytes(), Slash::Ordinary),
        }
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// The text itself, if the pattern has no wildcard: such a pattern can be compared with known names.
    pub fn literal(&self) -> Option<&str> {
        match self.form {
            Form::Glob if !self.source.contains(['*', '?', '[']) => Some(&self.source),
            Form::Glob | Form::Regex { .. } => None,
        }
    }
}

#[cfg(feature = "cache")]
impl From<String> for Pattern {
    fn from(source: String) -> Self {
        Self::from_checked(source)
    }
}

#[cfg(feature = "cache")]
impl From<Pattern> for String {
    fn from(pattern: Pattern) -> Self {
        pattern.source
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pattern({})", self.source)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

/// The text between the slashes of `/…/`, if that is what it is. An absolute path such as `/etc/` is one
/// word between slashes too; users who mean a path write a glob (`/etc/**`).
fn regex_body(source: &str) -> Option<&str> {
    source.strip_prefix('/')?.strip_suffix('/').filter(|body| !body.is_empty())
}

fn regex_matches(body: &str, compiled: &OnceLock<Compiled>, text: &str) -> bool {
    // Compiling costs more than everything else that is done for a hook, and most commands are not `git push`.
    if compiled.get().is_none() && !text.contains(certain_part(body)) {
        return false;
    }
    compile(body, compiled).is_some_and(|compiled| compiled.is_match(text))
}

/// `parse` compiled this body once, so it compiles again; if it did not, nothing may match by accident.
fn compile<'c>(body: &str, compiled: &'c OnceLock<Compiled>) -> Option<&'c Compiled> {
    if compiled.get().is_none() {
        let made = Compiled::new(body).ok()?;
        return Some(compiled.get_or_init(|| made));
    }
    compiled.get()
}

/// A part that every text has that this expression matches: the longest run of plain letters outside of all
/// groups that no alternative gets round. Empty if that cannot be seen at a glance.
fn certain_part(body: &str) -> &str {
    // Within brackets everything means something else, and flags can reach back and forth.
    if body.contains('[') || body.contains("(?") {
        return "";
    }
    let bytes = body.as_bytes();
    let (mut best, mut depth, mut at) = ("", 0usize, 0usize);
    while let Some(byte) = bytes.get(at) {
        let start = at;
        match byte {
            b'|' if depth == 0 => return "",
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            // How often what came before it is repeated.
            b'{' => at = body[at..].find('}').map_or(bytes.len(), |length| at + length),
            b'\\' => match bytes.get(at + 1) {
                Some(next) if next.is_ascii_punctuation() || b"bBdDsSwW".contains(next) => at += 1,
                // A letter by its number, and whatever else may come.
                Some(_) | None => return "",
            },
            plain if depth == 0 && is_plain(*plain) => {
                at += bytes[at..].iter().take_while(|byte| is_plain(**byte)).count();
                // The last one may be there or not, even with a `+`, which can be repeated no times itself.
                let optional = matches!(bytes.get(at), Some(b'?' | b'*' | b'+' | b'{'));
                let run = &body[start..at - usize::from(optional)];
                best = if run.len() > best.len() { run } else { best };
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    best
}

/// Whether a letter has no special meaning.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b" _-/=:,;&<>\"'~@#%!".contains(&byte)
}

/// Whether `*` may run across a `/`.
#[derive(Clone, Copy, PartialEq)]
enum Slash {
    Ordinary,
    Divides,
}

/// Matches byte by byte with one remembered star per kind, so that time is bounded by the product of the
/// lengths whatever the pattern (no exponential blow-up on `*a*a*a*`).
fn glob(pattern: &[u8], text: &[u8], slash: Slash) -> bool {
    let (mut p, mut t) = (0usize, 0usize);
    // Where to go on when a comparison fails: after the star, and one byte further in the text.
    let mut star: Option<(usize, usize)> = None;
    let mut deep: Option<(usize, usize)> = None;
    loop {
        if p < pattern.len() && pattern[p] == b'*' {
            if slash == Slash::Divides && pattern.get(p + 1) == Some(&b'*') {
                p += 2;
                // `**/` also matches no directory at all.
                if pattern.get(p) == Some(&b'/') && (t == 0 || text.get(t.wrapping_sub(1)) == Some(&b'/')) {
                    p += 1;
                }
                deep = Some((p, t));
                star = None;
            } else {
                p += 1;
                star = Some((p, t));
            }
            continue;
        }
        if t == text.len() && p == pattern.len() {
            return true;
        }
        if t < text.len()
            && let Some(next) = one(pattern, p, text[t], slash)
        {
            p = next;
            t += next_char_bytes(pattern, p, text, t);
            continue;
        }
        if let Some((after, from)) = star
            && from < text.len()
            && !(slash == Slash::Divides && text[from] == b'/')
        {
            star = Some((after, from + 1));
            (p, t) = (after, from + 1);
            continue;
        }
        if let Some((after, from)) = deep
            && from < text.len()
        {
            // After `**/` the rest must begin at the start of a component.
            let mut from = from + 1;
            if after > 0 && pattern[after - 1] == b'/' {
                while from < text.len() && text[from - 1] != b'/' {
                    from += 1;
                }
                if from == text.len() && text.last() != Some(&b'/') {
                    return false;
                }
            }
            deep = Some((after, from));
            star = None;
            (p, t) = (after, from);
            continue;
        }
        return false;
    }
}

/// Matches one byte against the pattern at `p`; returns where the pattern goes on.
fn one(pattern: &[u8], p: usize, byte: u8, slash: Slash) -> Option<usize> {
    let divides = slash == Slash::Divides && byte == b'/';
    match pattern.get(p)? {
        b'?' => (!divides).then_some(p + 1),
        b'[' => match class(pattern, p) {
            Some((end, negated, members)) => {
                let inside = in_class(members, byte);
                (inside != negated && !divides).then_some(end)
            }
            // An unclosed bracket is an ordinary character.
            None => (byte == b'[').then_some(p + 1),
        },
        literal => (*literal == byte).then_some(p + 1),
    }
}

/// `?` and `[…]` match a whole character, not one of its bytes.
fn next_char_bytes(pattern: &[u8], after: usize, text: &[u8], t: usize) -> usize {
    let wild = after > 0 && matches!(pattern[after - 1], b'?' | b']');
    if !wild || text[t] < 0xC0 {
        return 1;
    }
    1 + text[t + 1..].iter().take_while(|byte| **byte & 0xC0 == 0x80).count()
}

fn class(pattern: &[u8], open: usize) -> Option<(usize, bool, &[u8])> {
    let mut start = open + 1;
    let negated = matches!(pattern.get(start), Some(b'!' | b'^'));
    if negated {
        start += 1;
    }
    // A `]` directly after the opening is a member.
    let close = pattern.iter().enumerate().skip(start + 1).find(|(_, byte)| **byte == b']')?.0;
    Some((close + 1, negated, &pattern[start..close]))
}

fn in_class(members: &[u8], byte: u8) -> bool {
    let mut i = 0;
    while i < members.len() {
        if i + 2 < members.len() && members[i + 1] == b'-' {
            if (members[i]..=members[i + 2]).contains(&byte) {
                return true;
            }
            i += 3;
        } else {
            if members[i] == byte {
                return true;
            }
            i += 1;
        }
    }
    false
}

fn below<'a>(path: &'a str, root: &str) -> Option<&'a str> {
    path.strip_prefix(root)?.strip_prefix('/')
}

#[cfg(test)]
mod tests;
