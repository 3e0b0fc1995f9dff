//! The words of a command line that may name a file: as they stand there, and as the shell would read them.

use std::collections::BTreeSet;

/// Lines within lines (`sh -c "sh -c '…'"`) are looked through so deep.
const DEEPEST: usize = 4;

/// Rather a word too many: whatever could be a path between the shell's signs is looked at, and whatever
/// stands between quotes as well, which may have spaces in it. The whole comes along.
pub(super) fn of(line: &str) -> Vec<String> {
    let apart = |c: char| c.is_whitespace() || ";|&()<>{}$`=,:'\"".contains(c);
    let spoken = spoken(line);
    let whole = std::iter::once(line).chain(line.split(['\'', '"']));
    let pieces = spoken.iter().flat_map(|word| word.split(apart));
    let words = whole.chain(line.split(apart)).chain(pieces).chain(spoken.iter().map(String::as_str));
    let unique: BTreeSet<String> = words.filter(|word| !word.is_empty()).map(str::to_owned).collect();
    unique.into_iter().collect()
}

/// The words in their order, without their quotes, and those of lines that are one word of another line.
pub(super) fn spoken(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    speak(line, DEEPEST, &mut words);
    words
}

fn speak(line: &str, levels: usize, words: &mut Vec<String>) {
    let is_line = |word: &str| word.contains(|c: char| c.is_whitespace() || ";|&()<>`'\"\\".contains(c));
    for word in unquoted(line) {
        let inner = (levels > 0 && word != line && is_line(&word)).then(|| word.clone());
        words.push(word);
        if let Some(inner) = inner {
            speak(&inner, levels - 1, words);
        }
    }
}

/// Splits a line as the shell does: `scri"pts/c".sh` is one word, and so is `scripts/c\.sh`.
fn unquoted(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    let mut signs = line.chars();
    while let Some(sign) = signs.next() {
        let Some(word) = words.last_mut() else { break };
        match (quote, sign) {
            (Some(open), _) if open == sign => quote = None,
            (Some('\''), _) => word.push(sign),
            (_, '\\') => word.extend(signs.next().filter(|next| *next != '\n')),
            (None, '\'' | '"') => quote = Some(sign),
            (None, _) if sign.is_whitespace() || ";|&()<>`".contains(sign) => words.push(String::new()),
            _ => word.push(sign),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// What may be glued to an option: of `-fscripts/c.awk` every end, as nobody knows where its value begins.
pub(super) fn glued(word: &str) -> impl Iterator<Item = &str> {
    let option = word.strip_prefix('-').unwrap_or_default();
    option.char_indices().skip(1).map(|(at, _)| &option[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_the_shell_reads_them() {
        for (line, word) in [
            ("sh scri\"pts/c\".sh", "scripts/c.sh"),
            ("sh scripts/c\\.sh", "scripts/c.sh"),
            ("sh 'my scripts'/c.sh", "my scripts/c.sh"),
            ("sh scri\\\npts/c.sh", "scripts/c.sh"),
            ("sh -c 'sh scri\"pts/c\".sh'", "scripts/c.sh"),
            ("sh -c \"sh -c 'sh scri\\\"pts/c\\\".sh'\"", "scripts/c.sh"),
            ("echo \"$(sh scripts/c.sh)\"", "scripts/c.sh"),
            ("A=scripts/c.sh; sh $A", "scripts/c.sh"),
            ("cat<scripts/c.sh", "scripts/c.sh"),
        ] {
            assert!(of(line).iter().any(|found| found == word), "{line}: {:?}", of(line));
        }
    }

    #[test]
    fn every_end_of_an_option_may_be_its_value() {
        assert_eq!(glued("-fa/b").collect::<Vec<_>>(), ["a/b", "/b", "b"]);
        assert_eq!(glued("fa").count() + glued("-").count() + glued("-f").count(), 0);
    }
}
