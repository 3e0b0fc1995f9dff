//! `^(?!A)(?!B)rest`: negative look-aheads at the beginning of a regular expression. The engine has no look-around,
//! and this much of it is two expressions: the text must not match `^(?:A|B)`, and must match `^rest`.

/// The prefixes that a text must not have, and the expression that must match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Negation<'b> {
    /// The insides of the look-aheads.
    pub refused: Vec<&'b str>,
    /// The expression behind them.
    pub rest: &'b str,
}

impl<'b> Negation<'b> {
    /// Parses an expression that begins with `^(?!`. `None` for any other form: an alternative after `|` outside of
    /// all groups would not be negated.
    pub fn parse(body: &'b str) -> Option<Self> {
        let (mut refused, mut rest) = (Vec::new(), body.strip_prefix('^')?);
        while let Some(inside) = rest.strip_prefix("(?!") {
            let end = scan(inside, |byte, depth| byte == b')' && depth == 0)?;
            refused.push(&inside[..end]);
            rest = &inside[end + 1..];
        }
        if refused.is_empty() {
            return None;
        }
        let repeated = rest.starts_with(['?', '*', '+', '{']);
        let alternative = scan(rest, |byte, depth| byte == b'|' && depth == 0).is_some();
        (!repeated && !alternative).then_some(Self { refused, rest })
    }

    /// The expression that must not match.
    pub fn refusal(&self) -> String {
        format!("^(?:{})", self.refused.join("|"))
    }

    /// The expression that must match.
    pub fn remainder(&self) -> String {
        format!("^{}", self.rest)
    }
}

/// The position of the first byte that is wanted, outside of brackets and not escaped.
fn scan(text: &str, wanted: impl Fn(u8, usize) -> bool) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut depth, mut class) = (0, 0_usize, false);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b']' => class = false,
            _ if class => {}
            found if wanted(*found, depth) => return Some(at),
            b'[' => {
                class = true;
                // A `]` right behind the opening is a member.
                at += usize::from(bytes.get(at + 1) == Some(&b'^'));
                at += usize::from(bytes.get(at + 1) == Some(&b']'));
            }
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_leading_look_aheads_are_negations() {
        for (body, expected) in [
            ("^(?!Read$).*", Some((vec!["Read$"], ".*"))),
            ("^(?!(Read|Glob)$)", Some((vec!["(Read|Glob)$"], ""))),
            ("^(?!a)(?!b|c)x(y|z)", Some((vec!["a", "b|c"], "x(y|z)"))),
            (r"^(?![)]|\))x", Some((vec![r"[)]|\)"], "x"))),
            ("^(?!Read$).*|Bash", None),
            ("(?!Read$).*", None),
            ("^(?!Read$)?x", None),
            ("^(?!Read", None),
            ("^Read", None),
            ("", None),
        ] {
            let found = Negation::parse(body).map(|it| (it.refused, it.rest));
            assert_eq!(found, expected, "{body}");
        }
    }
}
