//! The text of a matcher: `Write|Edit`, `mcp__*`, `Bash(git push|npm publish)`, `/^mcp__/`.

use std::fmt;

use tenter_contract::{Matcher, Pattern, PatternError, Selector};

use crate::fields::Field;
use crate::problem::{Finding, ProblemKind};
use crate::values;

/// Why a text is no matcher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatcherError {
    /// An empty piece between two `|`, before the first or behind the last.
    BlankPiece,
    /// A parenthesis that is not closed, or not opened.
    Unbalanced,
    /// Text behind the closing parenthesis.
    TextBehindCall {
        /// The value there.
        text: String,
    },
    /// `(git push)`: no tool before the parenthesis.
    NoTool,
    /// `Bash()` or `Bash(a||b)`: no command inside.
    NoCommand,
    /// `^(Bash|Write)$`: a regular expression without its slashes.
    BareRegex {
        /// With slashes.
        instead: String,
    },
    /// A regular expression that is none.
    BadPattern {
        /// What the engine says.
        detail: String,
    },
}

impl MatcherError {
    pub(crate) fn hint(&self) -> String {
        let hint = match self {
            Self::BareRegex { instead } => return format!("write it between slashes: `{instead}`"),
            Self::BlankPiece => "put one name on each side of every `|`; `*` alone matches every tool",
            Self::Unbalanced => "close every parenthesis: `Bash(git push|npm publish)`",
            Self::TextBehindCall { .. } => "put `|` behind the parenthesis: `Bash(git push)|Write`",
            Self::NoTool => "put a tool before the parenthesis: `Bash(git push)`",
            Self::NoCommand => "put the beginning of a command between the parentheses, or leave them out",
            Self::BadPattern { detail } => crate::values::pattern::hint(detail),
        };
        hint.to_owned()
    }
}

impl fmt::Display for MatcherError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BlankPiece => f.write_str("has an empty piece"),
            Self::Unbalanced => f.write_str("has a parenthesis without its partner"),
            Self::TextBehindCall { text } => write!(f, "has `{text}` behind a closing parenthesis"),
            Self::NoTool => f.write_str("has a parenthesis without a tool before it"),
            Self::NoCommand => f.write_str("has parentheses without a command in them"),
            Self::BareRegex { .. } => f.write_str("looks like a regular expression"),
            Self::BadPattern { detail } => {
                write!(f, "has a regular expression that cannot be used ({detail})")
            }
        }
    }
}

pub(super) fn read(field: &Field<'_>) -> Result<Matcher, Finding> {
    parse(values::text(field)?).map_err(|reason| field.problem(ProblemKind::BadMatcher { reason }))
}

/// `/…/` around the whole is one regular expression, in which `|` and parentheses are its own.
fn parse(text: &str) -> Result<Matcher, MatcherError> {
    let text = text.trim();
    if text.is_empty() || text == "*" {
        return Ok(Matcher::default());
    }
    if text.len() > 2 && text.starts_with('/') && text.ends_with('/') {
        return Ok(Matcher { selectors: vec![Selector::Name(pattern(text)?)] });
    }
    let selectors = split(text).and_then(|pieces| pieces.into_iter().map(selector).collect());
    let selectors = selectors.map_err(|error| bare_regex(text).unwrap_or(error))?;
    Ok(Matcher { selectors })
}

/// What is wrong with a text that is no matcher and that only a regular expression can be: it has anchors, or a group
/// where a matcher has the name of a tool.
fn bare_regex(text: &str) -> Option<MatcherError> {
    let group = text.starts_with('(') && text.ends_with(')') && text.contains('|');
    let written = text.starts_with('^') || text.ends_with('$') || text.contains(".*") || text.contains("(?");
    if !(group || written) {
        return None;
    }
    let instead = if group { format!("/^{text}$/") } else { format!("/{text}/") };
    pattern(&instead).ok().map(|_| MatcherError::BareRegex { instead })
}

fn selector(piece: &str) -> Result<Selector, MatcherError> {
    let Some((tool, rest)) = piece.split_once('(') else {
        return if piece.is_empty() {
            Err(MatcherError::BlankPiece)
        } else {
            pattern(piece).map(Selector::Name)
        };
    };
    let (inside, behind) = rest.rsplit_once(')').ok_or(MatcherError::Unbalanced)?;
    if !behind.is_empty() {
        return Err(MatcherError::TextBehindCall { text: behind.trim().to_owned() });
    }
    if matches!(tool.trim(), "" | "^") {
        return Err(MatcherError::NoTool);
    }
    let commands = split(inside)?.into_iter().map(words).collect::<Result<_, _>>()?;
    Ok(Selector::Call { tool: pattern(tool.trim())?, commands })
}

/// A command matches by the words it begins with, so `:*` behind them, as in `Bash(pytest:*)` of Claude
/// Code's permission rules, says nothing more.
fn words(command: &str) -> Result<Vec<Pattern>, MatcherError> {
    let command = command.strip_suffix(":*").unwrap_or(command);
    let words: Vec<Pattern> = command.split_whitespace().map(pattern).collect::<Result<_, _>>()?;
    if words.is_empty() { Err(MatcherError::NoCommand) } else { Ok(words) }
}

/// The pieces between `|` outside parentheses, without the space around them.
fn split(text: &str) -> Result<Vec<&str>, MatcherError> {
    let (mut pieces, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1).ok_or(MatcherError::Unbalanced)?,
            '|' if depth == 0 => {
                pieces.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    pieces.push(text[start..].trim());
    if depth == 0 { Ok(pieces) } else { Err(MatcherError::Unbalanced) }
}

fn pattern(source: &str) -> Result<Pattern, MatcherError> {
    Pattern::parse(source).map_err(|PatternError { detail }| MatcherError::BadPattern { detail })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(pattern: &str) -> Selector {
        Selector::Name(Pattern::parse(pattern).unwrap())
    }

    fn call(tool: &str, commands: &[&[&str]]) -> Selector {
        let parsed = |text: &&str| Pattern::parse(text).unwrap();
        Selector::Call {
            tool: parsed(&tool),
            commands: commands.iter().map(|words| words.iter().map(parsed).collect()).collect(),
        }
    }

    #[test]
    fn a_matcher_is_split_outside_parentheses() {
        for (text, expected) in [
            ("", vec![]),
            ("*", vec![]),
            ("  ", vec![]),
            ("Bash", vec![name("Bash")]),
            ("Write | Edit", vec![name("Write"), name("Edit")]),
            ("mcp__*|shell", vec![name("mcp__*"), name("shell")]),
            ("/^(Write|Edit)$/", vec![name("/^(Write|Edit)$/")]),
            ("Bash(git push|npm publish)", vec![call("Bash", &[&["git", "push"], &["npm", "publish"]])]),
            ("Bash(pytest:*)|Write", vec![call("Bash", &[&["pytest"]]), name("Write")]),
            ("Bash(git push:*)", vec![call("Bash", &[&["git", "push"]])]),
            ("*(rm -rf)", vec![call("*", &[&["rm", "-rf"]])]),
            ("Bash(*)", vec![call("Bash", &[&["*"]])]),
            ("Bash (rm)", vec![call("Bash", &[&["rm"]])]),
            ("/", vec![name("/")]),
        ] {
            assert_eq!(parse(text).map(|matcher| matcher.selectors), Ok(expected), "`{text}`");
        }
    }

    #[test]
    fn invalid_matcher_gives_a_reason() {
        for (text, expected) in [
            ("Write|", MatcherError::BlankPiece),
            ("|", MatcherError::BlankPiece),
            ("Write||Edit", MatcherError::BlankPiece),
            ("Bash(git", MatcherError::Unbalanced),
            ("Bash)", MatcherError::Unbalanced),
            (")(", MatcherError::Unbalanced),
            ("Bash(git)x", MatcherError::TextBehindCall { text: "x".to_owned() }),
            ("(git)", MatcherError::NoTool),
            ("^(Bash|Write)$", MatcherError::BareRegex { instead: "/^(Bash|Write)$/".to_owned() }),
            ("(Bash|Write)", MatcherError::BareRegex { instead: "/^(Bash|Write)$/".to_owned() }),
            ("^(?:Bash|Edit)", MatcherError::BareRegex { instead: "/^(?:Bash|Edit)/".to_owned() }),
            ("mcp__(a|b)__.*", MatcherError::BareRegex { instead: "/mcp__(a|b)__.*/".to_owned() }),
            ("(Multi)?Edit$", MatcherError::BareRegex { instead: "/(Multi)?Edit$/".to_owned() }),
            ("Bash()", MatcherError::NoCommand),
            ("Bash(:*)", MatcherError::NoCommand),
            ("Bash(git||npm)", MatcherError::NoCommand),
        ] {
            assert_eq!(parse(text), Err(expected), "`{text}`");
        }
        assert!(matches!(parse("/(/"), Err(MatcherError::BadPattern { .. })));
    }
}
