//! Where something may begin that has to be hidden: two bytes rule out almost every place, and every tool call comes
//! through here.

use super::patterns::BEGINS;

/// A value of the environment may begin here.
pub(super) const VALUE: u16 = 1 << 15;
/// What is marked as private may.
pub(super) const TAG: u16 = 1 << 14;
/// A form may; one bit for each pair of bytes.
pub(super) const FORM: u16 = TAG - 1;

/// What may begin with each byte; what is in [`SECOND`] for the byte that follows, does.
#[derive(Debug)]
pub(super) struct Begins([u16; 256]);

const FIRST: [u16; 256] = table(true);
static SECOND: [u16; 256] = table(false);

const fn table(first: bool) -> [u16; 256] {
    let mut table = [if first { 0 } else { VALUE }; 256];
    let mut form = 0;
    while form < BEGINS.len() {
        let bytes = if first { BEGINS[form].0 } else { BEGINS[form].1 };
        let any = bytes.is_empty();
        let mut at = 0;
        while at < if any { table.len() } else { bytes.len() } {
            table[if any { at } else { bytes[at] as usize }] |= 1 << form;
            at += 1;
        }
        form += 1;
    }
    if first {
        table[b'<' as usize] |= TAG;
    } else {
        table[b'p' as usize] |= TAG;
        table[b'P' as usize] |= TAG;
    }
    table
}

impl Begins {
    /// Also where values begin with these bytes; a value is longer than one.
    pub(super) fn with_values(firsts: impl Iterator<Item = u8>) -> Self {
        let mut table = FIRST;
        for byte in firsts {
            table[usize::from(byte)] |= VALUE;
        }
        Self(table)
    }

    /// The places from there on, and what may begin at each.
    pub(super) fn candidates<'a>(
        &'a self,
        text: &'a [u8],
        from: usize,
    ) -> impl Iterator<Item = (usize, u16)> + 'a {
        let pairs = text.get(from..).unwrap_or_default().windows(2).enumerate();
        pairs.filter_map(move |(at, pair)| {
            let begins = self.0[usize::from(pair[0])] & SECOND[usize::from(pair[1])];
            (begins != 0).then_some((from + at, begins))
        })
    }
}
