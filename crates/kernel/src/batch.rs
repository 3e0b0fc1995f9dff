//! Several injections become one message, in which each can be told apart.

use tenter_contract::{Injection, Source};

/// The text for an agent that has one channel. A single injection goes as it is.
pub fn batch(injections: &[(&Source, &Injection)]) -> Option<String> {
    if injections.is_empty() {
        return None;
    }
    Some(framed(injections, |_, content| content.to_owned()))
}

/// The same in no more than `limit` characters: a fair beginning of each injection, and where all of it is.
pub fn shortened(injections: &[(&Source, &Injection)], limit: usize, whole: Option<&str>) -> String {
    let sizes: Vec<usize> = injections.iter().map(|(_, injection)| units(&injection.content)).collect();
    let all: usize = sizes.iter().sum();
    let place = whole.map(|path| format!("; the whole text is in {path}")).unwrap_or_default();
    let note = |kept: usize| format!("\n\n… [{kept} of {all} characters{place}]");
    let room = limit.saturating_sub(units(&note(all)));
    let frame = units(&framed(injections, |_, _| String::new()));
    let shares = fair_shares(&sizes, room.saturating_sub(frame));
    let text = framed(injections, |at, content| beginning(content, shares[at]).to_owned());
    let kept = injections.iter().zip(&shares).map(|((_, one), share)| units(beginning(&one.content, *share)));
    // So many hooks that their names alone are too much.
    format!("{}{}", beginning(&text, room), note(kept.sum()))
}

/// The length as the agents we know count it: in units of UTF-16.
pub fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

fn framed(injections: &[(&Source, &Injection)], content: impl Fn(usize, &str) -> String) -> String {
    match injections {
        [(_, only)] => content(0, &only.content),
        several => {
            let sections = several.iter().enumerate().map(|(at, (by, injection))| {
                let bytes = injection.content.len();
                format!("\n\nFrom {by} ({bytes} bytes):\n{}", content(at, &injection.content))
            });
            std::iter::once("Hook feedback:".to_owned()).chain(sections).collect()
        }
    }
}

/// What is small stays whole; the rest shares equally what is left.
fn fair_shares(sizes: &[usize], room: usize) -> Vec<usize> {
    let mut by_size: Vec<usize> = (0..sizes.len()).collect();
    by_size.sort_by_key(|at| sizes[*at]);
    let mut shares = vec![0; sizes.len()];
    let mut left = room;
    for (done, at) in by_size.into_iter().enumerate() {
        shares[at] = sizes[at].min(left / (sizes.len() - done));
        left -= shares[at];
    }
    shares
}

/// As many whole characters as fit.
fn beginning(text: &str, room: usize) -> &str {
    let mut used = 0;
    let end = text.char_indices().find(|(_, char)| {
        used += char.len_utf16();
        used > room
    });
    end.map_or(text, |(at, _)| &text[..at])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tenter_contract::{HookId, Layer};

    use super::*;

    fn shorten(texts: &[&str], limit: usize) -> String {
        let by = Source::Hook(HookId::new(Layer::User, "h"));
        let injections: Vec<Injection> = texts.iter().map(|text| Injection::text(*text)).collect();
        let pairs: Vec<(&Source, &Injection)> = injections.iter().map(|one| (&by, one)).collect();
        shortened(&pairs, limit, Some("/c"))
    }

    #[test]
    fn what_is_small_stays_whole_and_the_rest_shares() {
        for (sizes, room, expected) in [
            (&[5, 100, 100][..], 65, &[5, 30, 30][..]),
            (&[100, 5, 50], 85, &[40, 5, 40]),
            (&[100, 5, 30], 85, &[50, 5, 30]),
            (&[10], 4, &[4]),
            (&[10, 10], 0, &[0, 0]),
        ] {
            assert_eq!(fair_shares(sizes, room), expected, "{sizes:?} in {room}");
        }
    }

    #[test]
    fn one_text_is_cut_between_characters() {
        let note = "\n\n… [4 of 12 characters; the whole text is in /c]";
        assert_eq!(shorten(&["🦀🦀🦀🦀🦀🦀"], 50 + 5), format!("🦀🦀{note}"));
    }

    proptest! {
        #[test]
        fn nothing_is_longer_than_the_limit(texts in proptest::collection::vec(".{0,400}", 1..12), limit in 60usize..800) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let short = shorten(&texts, limit);
            prop_assert!(units(&short) <= limit, "{} > {limit}", units(&short));
            prop_assert!(short.ends_with("; the whole text is in /c]"));
        }
    }
}
