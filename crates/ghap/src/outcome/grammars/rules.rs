//! Lines of a runner's output as rows of a table: a pattern, and its effect on the reading.

use super::Reading;

#[derive(Clone, Copy)]
pub(super) enum Effect {
    Count,
    Well,
    Failed,
    FailedWith,
    FailedWithFirst,
    Breaks,
    Empty,
    NeverBegan,
    /// The text of the first `*` is the name of a test that failed.
    Fails,
}

/// Reads each line by `special`, and by the first rule that matches if `special` returns false.
pub(super) fn scan<'a>(
    lines: impl Iterator<Item = &'a str>,
    rules: &[(&str, Effect)],
    special: impl FnMut(&mut Reading, &'a str) -> bool,
) -> Reading {
    scan_into(Reading::default(), lines, rules, special)
}

pub(super) fn scan_into<'a>(
    mut reading: Reading,
    lines: impl Iterator<Item = &'a str>,
    rules: &[(&str, Effect)],
    mut special: impl FnMut(&mut Reading, &'a str) -> bool,
) -> Reading {
    for line in lines {
        if special(&mut reading, line) {
            continue;
        }
        let matching = rules.iter().find_map(|(pattern, effect)| Some((capture(pattern, line)?, effect)));
        if let Some((name, effect)) = matching {
            reading.apply(*effect, line, name);
        }
    }
    reading
}

pub(in super::super) fn matches_any(line: &str, patterns: &[&str]) -> bool {
    patterns.iter().any(|pattern| capture(pattern, line).is_some())
}

/// The text that the first `*` of a pattern matches.
fn capture<'a>(pattern: &str, line: &'a str) -> Option<&'a str> {
    let mut parts = pattern.split('*');
    let rest = line.strip_prefix(parts.next()?)?;
    let Some(last) = parts.next_back() else { return rest.is_empty().then_some(rest) };
    let mut rest = rest.strip_suffix(last)?;
    let mut first = None;
    for part in parts {
        let (before, after) = rest.split_once(part)?;
        first = first.or(Some(before));
        rest = after;
    }
    Some(first.unwrap_or(rest))
}

impl Reading {
    fn apply(&mut self, effect: Effect, line: &str, name: &str) {
        match effect {
            Effect::Count => {
                self.close(line);
                self.count_all(line);
            }
            Effect::Well => {
                self.well = true;
                self.close(line);
            }
            Effect::Failed => self.failed = true,
            Effect::FailedWith => self.fail_with(line),
            Effect::FailedWithFirst => self.fail_with_first(line),
            Effect::Breaks => self.breaks(line),
            Effect::Empty => self.empty = true,
            Effect::NeverBegan => self.never_began(line),
            Effect::Fails => self.fails(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pattern_captures_its_first_star() {
        for (pattern, line, expected) in [
            ("OK", "OK", Some("")),
            ("OK", "OK (1)", None),
            ("test * ... FAILED", "test a::b ... FAILED", Some("a::b")),
            ("No rule*", "No rule to make", Some(" to make")),
            ("a*b*c", "a1b2c", Some("1")),
            ("* error MSB1003: *", "MSBUILD : error MSB1003: x", Some("MSBUILD :")),
            ("a*a", "a", None),
        ] {
            assert_eq!(capture(pattern, line), expected, "{pattern} {line}");
        }
    }
}
