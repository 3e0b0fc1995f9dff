//! Long lists of words, written as text.

/// Splits a text at its spaces when it is compiled. The build fails if it does not have `N` words.
pub const fn word_list<const N: usize>(mut text: &'static str) -> [&'static str; N] {
    let (mut all, mut count) = ([""; N], 0);
    loop {
        let mut end = 0;
        while end < text.len() && text.as_bytes()[end] != b' ' {
            end += 1;
        }
        let (word, rest) = text.split_at(end);
        all[count] = word;
        count += 1;
        if rest.is_empty() {
            break;
        }
        text = rest.split_at(1).1;
    }
    assert!(count == N, "another number of words");
    all
}
