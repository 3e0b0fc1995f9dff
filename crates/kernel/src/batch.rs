//! Batches several injections into one message with a section for each.

use tenter_contract::{ContextMessage, Form, Injection, Outcome, Source};

/// A text for an agent that has one channel, and how many bytes of each injection are in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batched {
    /// The text.
    pub text: String,
    /// In the order of the injections, without tenter's own headings and notes.
    pub bytes: Vec<usize>,
}

/// One text with all injections, as far as their limits allow. A single injection has no heading.
pub fn batch(injections: &[(&Source, &Injection)]) -> Option<Batched> {
    if injections.is_empty() {
        return None;
    }
    let sections: Vec<Section<'_>> = injections.iter().map(|(by, it)| Section::new(by, it)).collect();
    let text = joined(&sections, Extent::Given);
    Some(Batched { text, bytes: sections.iter().map(|section| section.bytes(None)).collect() })
}

/// All of their texts, also beyond the limit of one text.
pub fn whole(injections: &[(&Source, &Injection)]) -> String {
    let sections: Vec<Section<'_>> = injections.iter().map(|(by, it)| Section::new(by, it)).collect();
    joined(&sections, Extent::Whole)
}

/// The same in no more than `limit` characters: a fair beginning of each injection, and where all of it is.
pub fn shortened(injections: &[(&Source, &Injection)], limit: usize, whole: Option<&str>) -> Batched {
    let sections: Vec<Section<'_>> = injections.iter().map(|(by, it)| Section::new(by, it)).collect();
    let sizes: Vec<usize> = sections.iter().map(|section| units(section.content)).collect();
    let (all, missing) = in_all(injections);
    let (more, held) =
        if missing { ("more than ", "what was kept of it is") } else { ("", "the whole text is") };
    let place = whole.map(|path| format!("; {held} in {path}")).unwrap_or_default();
    let note = |kept: usize| format!("\n\n… [{kept} of {more}{all} bytes{place}]");
    let room = limit.saturating_sub(units(&note(all)));
    let nothing: Vec<usize> = vec![0; sections.len()];
    let headed = sections.iter().filter(|_| sections.len() > 1);
    let frame =
        units(&joined(&sections, Extent::Shares(&nothing))) + headed.map(Section::digits).sum::<usize>();
    let shares = fair_shares(&sizes, room.saturating_sub(frame));
    let text = joined(&sections, Extent::Shares(&shares));
    if units(&text) > room {
        // The headings alone are too long, so no part can be counted for a hook.
        let text = format!("{}{}", beginning(&text, room), note(0));
        return Batched { text, bytes: vec![0; sections.len()] };
    }
    let bytes: Vec<usize> =
        sections.iter().zip(&shares).map(|(section, share)| section.bytes(Some(*share))).collect();
    let texts = sections.iter().zip(&bytes).filter(|(section, _)| !section.is_line);
    let kept: usize = texts.map(|(_, bytes)| bytes).sum();
    Batched { text: format!("{text}{}", note(kept)), bytes }
}

/// The kept bytes of all texts, without lines in their place, and whether more was not kept.
pub fn in_all(injections: &[(&Source, &Injection)]) -> (usize, bool) {
    let texts = injections.iter().filter(|(_, it)| !matches!(it.form, Form::Unchanged(_)));
    let kept = texts.clone().map(|(_, it)| it.whole_bytes().saturating_sub(it.missing())).sum();
    (kept, texts.into_iter().any(|(_, it)| it.missing() > 0))
}

/// One message for all injections of the same role, place and ephemerality, in the order of the first of each.
pub fn messages(outcome: &Outcome) -> Vec<ContextMessage> {
    grouped(outcome.injections())
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

/// One injection with its frame.
struct Section<'i> {
    by: &'i Source,
    before: String,
    /// The part within its limit.
    content: &'i str,
    /// All of it that was kept.
    whole: &'i str,
    after: &'static str,
    /// The note after it, unless it is cut here.
    tail: String,
    /// A line that names its hook itself.
    is_line: bool,
    /// Its kept bytes.
    kept: usize,
    /// Whether there was more.
    missing: bool,
}

/// How much of each section.
#[derive(Clone, Copy)]
enum Extent<'s> {
    /// The part within the limit.
    Given,
    /// A share of that for each, in characters.
    Shares(&'s [usize]),
    /// All that is here.
    Whole,
}

impl<'i> Section<'i> {
    fn new(by: &'i Source, injection: &'i Injection) -> Self {
        if let Form::Unchanged(_) = injection.form {
            let before = injection.given(by).into_owned();
            let kept = before.len();
            let (content, whole, after, tail) = ("", "", "", String::new());
            return Self { by, before, content, whole, after, tail, is_line: true, kept, missing: false };
        }
        let (before, after) = injection.frame();
        Self {
            by,
            before,
            content: &injection.content,
            whole: injection.whole_content(),
            after,
            tail: injection.tail(),
            is_line: false,
            kept: injection.whole_bytes().saturating_sub(injection.missing()),
            missing: injection.missing() > 0,
        }
    }

    /// The bytes of it, cut or not.
    fn bytes(&self, share: Option<usize>) -> usize {
        let content = share.map_or(self.content, |share| beginning(self.content, share));
        self.before.len() + content.len() + self.after.len()
    }

    /// How much longer its heading may get with the delivered size.
    fn digits(&self) -> usize {
        if self.is_line { 0 } else { self.kept.to_string().len() }
    }

    fn heading(&self, given: usize) -> String {
        let size = match (self.missing, self.kept) {
            (false, kept) if kept == given => given.to_string(),
            (false, kept) => format!("{given} of {kept}"),
            (true, kept) => format!("{given} of more than {kept}"),
        };
        format!("From {} ({size} bytes):\n", self.by)
    }
}

/// All sections, as far as wanted.
fn joined(sections: &[Section<'_>], extent: Extent<'_>) -> String {
    let room = sections.iter().map(|section| section.bytes(None) + section.tail.len() + 64).sum();
    let mut text = String::with_capacity(room);
    if sections.len() > 1 {
        text.push_str("Hook feedback:");
    }
    for (at, section) in sections.iter().enumerate() {
        let (content, tail) = match extent {
            Extent::Given => (section.content, section.tail.as_str()),
            Extent::Shares(shares) => (beginning(section.content, shares.get(at).copied().unwrap_or(0)), ""),
            Extent::Whole => (section.whole, ""),
        };
        if sections.len() > 1 {
            text.push_str("\n\n");
            if !section.is_line {
                text.push_str(&section.heading(section.before.len() + content.len() + section.after.len()));
            }
        }
        for part in [&section.before, content, section.after, tail] {
            text.push_str(part);
        }
    }
    text
}

/// Small texts stay whole; the others share the rest equally.
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
        let total: usize = short.bytes.iter().sum();
        assert!(total <= short.text.len(), "{total} of {}", short.text.len());
        short.text
    }

    #[test]
    fn sections_have_headings_with_sizes() {
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
    fn one_message_per_role_and_place() {
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
    fn small_texts_stay_whole() {
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
    fn text_is_cut_between_characters() {
        let note = "\n\n… [8 of 24 bytes; the whole text is in /c]";
        assert_eq!(shorten(&["🦀🦀🦀🦀🦀🦀"], 45 + 5), format!("🦀🦀{note}"));
    }

    proptest! {
        #[test]
        fn batch_stays_within_the_limit(texts in proptest::collection::vec(".{0,400}", 1..12), limit in 60usize..800) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let short = shorten(&texts, limit);
            prop_assert!(units(&short) <= limit, "{} > {limit}", units(&short));
            prop_assert!(short.ends_with("; the whole text is in /c]"));
        }
    }
}
