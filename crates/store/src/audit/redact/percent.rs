//! Secrets in addresses: `sk%2Dant%2D…`. A text with percent signs is looked through once more without them.

/// A text without its percent signs, and where each of its bytes stood.
pub(super) struct Decoded {
    pub(super) bytes: Vec<u8>,
    places: Vec<usize>,
}

impl Decoded {
    /// The text decoded once; none if there is nothing to decode.
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        Self::step(text, &|at| at)
    }

    /// The same, decoded once more.
    pub(super) fn again(&self) -> Option<Self> {
        Self::step(&self.bytes, &|at| self.places[at])
    }

    fn step(text: &[u8], place: &dyn Fn(usize) -> usize) -> Option<Self> {
        let mut first = None;
        let (mut bytes, mut places) = (Vec::new(), Vec::new());
        let mut at = 0;
        while at < text.len() {
            let decoded = if text[at] == b'%' { byte_at(text, at) } else { None };
            if decoded.is_some() && first.is_none() {
                first = Some(at);
                bytes.reserve(text.len());
                places.reserve(text.len());
            }
            bytes.push(decoded.unwrap_or(text[at]));
            places.push(place(at));
            at += if decoded.is_some() { 3 } else { 1 };
        }
        places.push(place(text.len().saturating_sub(1)) + usize::from(!text.is_empty()));
        first.map(|_| Self { bytes, places })
    }

    /// Where a piece of it stands in the text.
    pub(super) fn place(&self, begin: usize, end: usize) -> (usize, usize) {
        (self.places[begin], self.places[end])
    }
}

/// The visible byte that is written as `%2D` here.
pub(super) fn byte_at(text: &[u8], at: usize) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let value = digit(*text.get(at + 1)?)? * 16 + digit(*text.get(at + 2)?)?;
    u8::try_from(value).ok().filter(|byte| (0x20..0x7f).contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_lead_back_to_the_text() {
        let text = b"a%2Db%252Dc%zz%";
        let once = Decoded::of(text).unwrap();
        assert_eq!(once.bytes, b"a-b%2Dc%zz%");
        let twice = once.again().unwrap();
        assert_eq!(twice.bytes, b"a-b-c%zz%");
        assert_eq!(twice.place(1, 2), (1, 4));
        assert_eq!(twice.place(3, 4), (5, 10));
        assert_eq!(twice.place(0, twice.bytes.len()), (0, text.len()));
        assert!(twice.again().is_none() && Decoded::of(b"100% of %d").is_none());
    }
}
