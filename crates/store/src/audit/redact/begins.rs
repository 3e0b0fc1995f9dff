//! Candidates for secrets: two bytes exclude almost every place of a text, because every tool call is searched.

use super::rules::TOKENS;

/// A value of the environment may begin here.
pub(super) const VALUE: u64 = 1 << 63;
/// A text marked as private may begin here.
pub(super) const TAG: u64 = 1 << 62;
/// A form may begin here; one bit for each first byte.
pub(super) const FORM: u64 = TAG - 1;

/// The first two bytes of forms that are not in the table of tokens; an empty second means any.
const FORMS: [(&[u8], &[u8]); 16] = [
    (b"e", b"y"),
    (b"-", b"-pPaAbwuUkdsSh"),
    (b"Bb", b"EeAa"),
    (b":=.", b""),
    (b"%", b"234567"),
    (b"Q", b"~"),
    (b"Pp", b"Aa"),
    (b"Aa", b"Ww"),
    (b"Ii", b"Dd"),
    (b"\\", b"ux/\\\n\r"),
    (b"&", b"q#"),
    (b"<", b"<"),
    (b"|", b""),
    (b"!", b"A"),
    (b"A", b"Z"),
    (b"Kk", b"Ee"),
];

/// The bits of each first byte; [`SECOND`] has those of the byte behind it.
#[derive(Debug)]
pub(super) struct Begins([u64; 256]);

const TABLES: ([u64; 256], [u64; 256]) = tables();
const FIRST: [u64; 256] = TABLES.0;
static SECOND: [u64; 256] = TABLES.1;

const fn tables() -> ([u64; 256], [u64; 256]) {
    let (mut first, mut second) = ([0; 256], [VALUE; 256]);
    let mut bits = 0;
    let mut number = 0;
    while number < TOKENS.len() {
        let begin = TOKENS[number].begin.as_bytes();
        (first, bits) = with_bit(first, bits, begin[0]);
        second[begin[1] as usize] |= first[begin[0] as usize];
        number += 1;
    }
    let mut form = 0;
    while form < FORMS.len() {
        let (firsts, seconds) = FORMS[form];
        let mut at = 0;
        while at < firsts.len() {
            (first, bits) = with_bit(first, bits, firsts[at]);
            let bit = first[firsts[at] as usize];
            let any = seconds.is_empty();
            let mut next = 0;
            while next < if any { 256 } else { seconds.len() } {
                second[if any { next } else { seconds[next] as usize }] |= bit;
                next += 1;
            }
            at += 1;
        }
        form += 1;
    }
    first[b'<' as usize] |= TAG;
    second[b'p' as usize] |= TAG;
    second[b'P' as usize] |= TAG;
    (first, second)
}

/// Gives a byte a bit of its own, unless it has one.
const fn with_bit(mut first: [u64; 256], bits: u32, byte: u8) -> ([u64; 256], u32) {
    if first[byte as usize] != 0 {
        return (first, bits);
    }
    assert!(bits < 62, "there are more first bytes than bits");
    first[byte as usize] = 1 << bits;
    (first, bits + 1)
}

impl Begins {
    /// Adds values that begin with these bytes; they are longer than one byte.
    pub(super) fn with_values(firsts: impl Iterator<Item = u8>) -> Self {
        let mut table = FIRST;
        for byte in firsts {
            table[usize::from(byte)] |= VALUE;
        }
        Self(table)
    }

    /// The candidates from there on, with their bits.
    pub(super) fn candidates<'a>(
        &'a self,
        text: &'a [u8],
        from: usize,
    ) -> impl Iterator<Item = (usize, u64)> + 'a {
        let pairs = text.get(from..).unwrap_or_default().windows(2).enumerate();
        pairs.filter_map(move |(at, pair)| {
            let begins = self.0[usize::from(pair[0])] & SECOND[usize::from(pair[1])];
            (begins != 0).then_some((from + at, begins))
        })
    }
}
