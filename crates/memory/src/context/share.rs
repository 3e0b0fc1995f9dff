//! Who gets how much of the budget: every section a share by its weight, no item more than a quarter of its section's,
//! and what is left over goes around among those who have more to say. The text is never longer than it may be.

use super::alike::Wording;
use super::items::Item;
use super::text::{cut, tokens};
use super::{Assembled, Cited};

/// A part of a context.
pub(super) struct Section {
    pub(super) heading: &'static str,
    /// What stands between two of its items.
    pub(super) between: &'static str,
    /// How much it gets beside the others.
    pub(super) weight: usize,
    /// Best first.
    pub(super) items: Vec<Item>,
    /// At most so many of them.
    pub(super) most: usize,
}

/// What stands around all sections.
pub(super) struct Around {
    pub(super) title: String,
    pub(super) footer: &'static str,
}

/// Between title, sections and footer.
const GAP: &str = "\n\n";

/// The text; nothing at all if no item is left for it.
pub(super) fn compose(around: &Around, mut sections: Vec<Section>, max_tokens: usize) -> Assembled {
    merge(&mut sections);
    sections.retain(|section| !section.items.is_empty());
    let wanted: usize = sections.iter().map(|section| section.items.len()).sum();
    let said = [around.title.as_str(), around.footer];
    let headings = sections.iter().map(|section| section.heading);
    let fixed: usize = said.into_iter().chain(headings).map(|text| length(text) + GAP.len()).sum();
    let Some(room) = (max_tokens * 4).checked_sub(fixed) else { return Assembled::default() };

    let given = give(&sections, room);
    let mut blocks = vec![around.title.clone()];
    let mut cited = Vec::new();
    for (section, texts) in sections.iter().zip(&given).filter(|(_, texts)| !texts.is_empty()) {
        let lines: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
        blocks.push(format!("{}\n{}", section.heading, lines.join(section.between)));
        let items = texts.iter().map(|(at, _)| &section.items[*at]).filter(|item| item.is_given);
        cited.extend(items.map(|item| Cited { source: item.source, id: item.id.clone() }));
    }
    let shown: usize = given.iter().map(Vec::len).sum();
    if shown == 0 {
        return Assembled { left_out: wanted, ..Assembled::default() };
    }
    blocks.push(around.footer.to_owned());
    let markdown = blocks.join(GAP);
    Assembled { token_count: tokens(&markdown), markdown, left_out: wanted - shown, cited }
}

/// Of items that say nearly the same only the first stays. Earlier sections, and earlier items of one, are the better.
fn merge(sections: &mut [Section]) {
    let mut kept: Vec<Wording> = Vec::new();
    for section in sections {
        section.items.retain(|item| {
            let wording = Wording::of(&item.body);
            let new = !kept.iter().any(|other| other.is_like(&wording));
            if new {
                kept.push(wording);
            }
            new
        });
    }
}

/// What each section gives, by the numbers of its items.
fn give(sections: &[Section], room: usize) -> Vec<Vec<(usize, String)>> {
    let total: usize = sections.iter().map(|section| section.weight).sum();
    let shares: Vec<usize> = sections.iter().map(|section| room * section.weight / total.max(1)).collect();
    let mut given: Vec<Vec<(usize, String)>> = vec![Vec::new(); sections.len()];
    let mut next = vec![0; sections.len()];
    let mut left = room;
    // Everybody his own first.
    for (at, section) in sections.iter().enumerate() {
        let mut own = shares[at];
        while given[at].len() < section.most
            && let Some(item) = section.items.get(next[at])
        {
            if let Some(text) = text_of(item, shares[at]) {
                let cost = length(&text) + length(section.between);
                if cost > own {
                    break;
                }
                own -= cost;
                left -= cost;
                given[at].push((next[at], text));
            }
            next[at] += 1;
        }
    }
    // Then one after the other, as long as anybody has more.
    let has_more = |at: usize, given: &[(usize, String)], next: usize| {
        given.len() < sections[at].most && next < sections[at].items.len()
    };
    while (0..sections.len()).any(|at| has_more(at, &given[at], next[at])) {
        for at in 0..sections.len() {
            if !has_more(at, &given[at], next[at]) {
                continue;
            }
            if let Some(text) = text_of(&sections[at].items[next[at]], shares[at]) {
                let cost = length(&text) + length(sections[at].between);
                if cost <= left {
                    left -= cost;
                    given[at].push((next[at], text));
                }
            }
            next[at] += 1;
        }
    }
    given
}

/// The item as it is given: whole, or cut to a quarter of its section's share.
fn text_of(item: &Item, share: usize) -> Option<String> {
    let room = (share / 4).checked_sub(length(&item.citation))?;
    cut(&item.body, room / 4, &item.id).map(|body| body + &item.citation)
}

/// In characters, since tokens are estimated from them.
fn length(text: &str) -> usize {
    text.chars().count()
}
