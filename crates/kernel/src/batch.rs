//! Several injections become one message, in which each can be told apart.

use tenter_contract::{ContextMessage, Effect, Form, Injection, Outcome, Source};

/// A text for an agent that has one channel, and how many bytes of each injection are in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batched {
    /// The text.
    pub text: String,
    /// In the order of the injections, without the lines that tell them apart.
    pub bytes: Vec<usize>,
}

/// All of it. A single injection goes as it is.
pub fn batch(injections: &[(&Source, &Injection)]) -> Option<Batched> {
    if injections.is_empty() {
        return None;
    }
    let sections: Vec<Section<'_>> = injections.iter().map(|(by, it)| Section::of(by, it)).collect();
    let text = joined(&sections, &[]);
    Some(Batched { text, bytes: sections.iter().map(|section| section.bytes(None)).collect() })
}

/// The same in no more than `limit` characters: a fair beginning of each injection, and where all of it is.
pub fn shortened(injections: &[(&Source, &Injection)], limit: usize, whole: Option<&str>) -> Batched {
    let sections: Vec<Section<'_>> = injections.iter().map(|(by, it)| Section::of(by, it)).collect();
    let sizes: Vec<usize> = sections.iter().map(|section| units(section.content)).collect();
    let all: usize = sizes.iter().sum();
    let place = whole.map(|path| format!("; the whole text is in {path}")).unwrap_or_default();
    let note = |kept: usize| format!("\n\n… [{kept} of {all} characters{place}]");
    let room = limit.saturating_sub(units(&note(all)));
    let nothing: Vec<usize> = vec![0; sections.len()];
    let headed = sections.iter().filter(|_| sections.len() > 1);
    let frame = units(&joined(&sections, &nothing)) + headed.map(Section::digits).sum::<usize>();
    let shares = fair_shares(&sizes, room.saturating_sub(frame));
    let text = joined(&sections, &shares);
    if units(&text) > room {
        // So many hooks that their names alone are too much. Nobody can say any more what is whose.
        let text = format!("{}{}", beginning(&text, room), note(0));
        return Batched { text, bytes: vec![0; sections.len()] };
    }
    let kept = sections.iter().zip(&shares).map(|(section, share)| units(beginning(section.content, *share)));
    let text = format!("{text}{}", note(kept.sum()));
    let bytes = sections.iter().zip(&shares).map(|(section, share)| section.bytes(Some(*share))).collect();
    Batched { text, bytes }
}

/// One message for all injections of the same role, place and ephemerality, in the order of the first of each.
pub fn messages(outcome: &Outcome) -> Vec<ContextMessage> {
    grouped(outcome.effects.iter().filter_map(|(by, effect)| match effect {
        Effect::Inject(injection) => Some((by, injection)),
        Effect::Rewrite(_) | Effect::Tell(_) | Effect::SuppressOutput => None,
    }))
}

fn grouped<'i>(injections: impl IntoIterator<Item = (&'i Source, &'i Injection)>) -> Vec<ContextMessage> {
    let mut groups: Vec<Vec<(&Source, &Injection)>> = Vec::new();
    let alike =
        |a: &Injection, b: &Injection| (a.role, a.strategy, a.ephemeral) == (b.role, b.strategy, b.ephemeral);
    for (by, injection) in injections {
        match groups.iter_mut().find(|group| alike(group[0].1, injection)) {
            Some(group) => group.push((by, injection)),
            None => groups.push(vec![(by, injection)]),
        }
    }
    let message = |group: Vec<(&Source, &Injection)>| {
        let Batched { text, bytes } = batch(&group)?;
        let (_, first) = group.first()?;
        Some(ContextMessage {
            role: first.role,
            strategy: first.strategy,
            ephemeral: first.ephemeral,
            content: text,
            parts: group.iter().map(|(by, _)| (*by).clone()).zip(bytes).collect(),
        })
    };
    groups.into_iter().filter_map(message).collect()
}

/// The length as the agents we know count it: in units of UTF-16.
pub fn units(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}

/// One injection, with what stands around it whether it is cut or not.
struct Section<'i> {
    by: &'i Source,
    before: String,
    content: &'i str,
    after: &'static str,
    /// It is a line that names its hook itself.
    is_line: bool,
}

impl<'i> Section<'i> {
    fn of(by: &'i Source, injection: &'i Injection) -> Self {
        match injection.form {
            Form::Unchanged(_) => {
                let line = injection.given(by).into_owned();
                Self { by, before: line, content: "", after: "", is_line: true }
            }
            Form::Whole | Form::Beginning(_) => {
                let (before, after) = injection.frame();
                Self { by, before, content: &injection.content, after, is_line: false }
            }
        }
    }

    /// The bytes of it, cut or not.
    fn bytes(&self, share: Option<usize>) -> usize {
        let content = share.map_or(self.content, |share| beginning(self.content, share));
        self.before.len() + content.len() + self.after.len()
    }

    /// How much longer its heading may get when it is known how much of it is given.
    fn digits(&self) -> usize {
        if self.is_line { 0 } else { self.bytes(None).to_string().len() }
    }

    fn heading(&self, share: Option<usize>) -> String {
        let (given, all) = (self.bytes(share), self.bytes(None));
        let size = if given == all { all.to_string() } else { format!("{given} of {all}") };
        format!("From {} ({size} bytes):\n", self.by)
    }
}

/// All sections, each cut to its share if there are shares.
fn joined(sections: &[Section<'_>], shares: &[usize]) -> String {
    let room = sections.iter().map(|section| section.bytes(None) + section.before.len() + 64).sum();
    let mut text = String::with_capacity(room);
    if sections.len() > 1 {
        text.push_str("Hook feedback:");
    }
    for (at, section) in sections.iter().enumerate() {
        let share = shares.get(at).copied();
        if sections.len() > 1 {
            text.push_str("\n\n");
            if !section.is_line {
                text.push_str(&section.heading(share));
            }
        }
        text.push_str(&section.before);
        text.push_str(share.map_or(section.content, |share| beginning(section.content, share)));
        text.push_str(section.after);
    }
    text
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
        let short = shortened(&pairs, limit, Some("/c"));
        let said: usize = short.bytes.iter().sum();
        assert!(said <= short.text.len(), "{said} of {}", short.text.len());
        short.text
    }

    #[test]
    fn each_kind_of_injection_has_its_section_and_its_size() {
        let by = Source::Hook(HookId::new(Layer::User, "h"));
        let lint = Injection::text("1 problem");
        let same = Injection { form: Form::Unchanged(None), ..Injection::text("never seen") };
        let page = Injection { foreign: Some("https://example.com".to_owned()), ..Injection::text("ä") };
        let Batched { text, bytes } = batch(&[(&by, &lint), (&by, &same), (&by, &page)]).unwrap();
        let framed = "<tenter-data source=\"https://example.com\" trust=\"foreign\">\nä\n</tenter-data>";
        let size = framed.len();
        assert_eq!(
            text,
            format!(
                "Hook feedback:\n\nFrom h (9 bytes):\n1 problem\n\nFrom h: unchanged since the last report\n\nFrom h ({size} bytes):\n{framed}"
            )
        );
        assert_eq!(bytes, [9, "From h: unchanged since the last report".len(), size]);
        assert_eq!(batch(&[(&by, &page)]).unwrap().text, framed);
        let short = shortened(&[(&by, &page), (&by, &Injection::text("x".repeat(500)))], 300, None);
        assert!(short.text.contains(framed), "{}", short.text);
        assert!(
            short.text.contains(&format!("From h ({} of 500 bytes):\n", short.bytes[1])),
            "{}",
            short.text
        );
    }

    #[test]
    fn messages_are_one_per_role_place_and_ephemerality() {
        let by = |name: &str| Source::Hook(HookId::new(Layer::User, name));
        let (a, b, c) = (by("a"), by("b"), by("c"));
        let user = Injection { role: tenter_contract::Role::User, ..Injection::text("u") };
        let (one, two) = (Injection::text("1"), Injection::text("22"));
        let all = grouped([(&a, &one), (&b, &user), (&c, &two)]);
        let texts: Vec<&str> = all.iter().map(|message| message.content.as_str()).collect();
        assert_eq!(texts, ["Hook feedback:\n\nFrom a (1 bytes):\n1\n\nFrom c (2 bytes):\n22", "u"]);
        assert_eq!(all[0].parts, [(a.clone(), 1), (c.clone(), 2)]);
        assert_eq!(all[1].parts, [(b.clone(), 1)]);
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
