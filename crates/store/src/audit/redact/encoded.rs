//! Secrets in URLs, nested JSON and HTML: `sk%2Dant`, `sk\u002dant`, `https:\/\/`, `&quot;`. A text with such escapes is
//! decoded and searched again. A line that continues behind a backslash is one line.

/// A text without its escapes, and the position of each byte in the original.
pub(super) struct Decoded {
    pub(super) bytes: Vec<u8>,
    places: Vec<usize>,
}

impl Decoded {
    /// Decodes a text once; none if it has no escapes.
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
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
            let decoded = byte_at(text, at);
            if decoded.is_some() && first.is_none() {
                first = Some(at);
                bytes.reserve(text.len());
                places.reserve(text.len());
            }
            bytes.push(decoded.map_or(text[at], |(byte, _)| byte));
            places.push(place(at));
            at += decoded.map_or(1, |(_, length)| length);
        }
        places.push(place(text.len().saturating_sub(1)) + usize::from(!text.is_empty()));
        first.map(|_| Self { bytes, places })
    }

    /// The position of a part in the original text.
    pub(super) fn place(&self, begin: usize, end: usize) -> (usize, usize) {
        (self.places[begin], self.places[end])
    }
}

/// The byte of an escape `%2D`, `\u002d`, `\x2d`, `\/` or `&quot;` at this place, and the length of the escape.
pub(super) fn byte_at(text: &[u8], at: usize) -> Option<(u8, usize)> {
    let rest = &text[at..];
    match rest.first()? {
        b'%' => Some((visible(rest.get(1..3)?)?, 3)),
        b'\\' => match rest.get(1)? {
            b'u' => Some((visible(rest.get(2..6)?.strip_prefix(b"00")?)?, 6)),
            b'x' => Some((visible(rest.get(2..4)?)?, 4)),
            b'/' => Some((b'/', 2)),
            b'\n' => Some((b' ', 2)),
            b'\r' if rest.get(2) == Some(&b'\n') => Some((b' ', 3)),
            _ => None,
        },
        b'&' => HTML.iter().find(|(name, _)| rest.starts_with(name)).map(|(name, byte)| (*byte, name.len())),
        _ => None,
    }
}

/// Whether JSON has an escape for [`byte_at`] here, or a continued line.
pub(super) fn may_begin_at(json: &[u8], at: usize) -> bool {
    json[at..].starts_with(br"\\\n") || byte_at(json, at).is_some()
}

const HTML: [(&[u8], u8); 5] =
    [(b"&quot;", b'"'), (b"&#34;", b'"'), (b"&#39;", b'\''), (b"&#x27;", b'\''), (b"&#x2F;", b'/')];

/// The visible byte of two hexadecimal digits.
fn visible(digits: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let value = digit(*digits.first()?)? * 16 + digit(*digits.get(1)?)?;
    u8::try_from(value).ok().filter(|byte| (0x20..0x7f).contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_lead_back_to_the_text() {
        let text = b"a%2Db%252Dc%zz%";
        let once = Decoded::parse(text).unwrap();
        assert_eq!(once.bytes, b"a-b%2Dc%zz%");
        let twice = once.again().unwrap();
        assert_eq!(twice.bytes, b"a-b-c%zz%");
        assert_eq!(twice.place(1, 2), (1, 4));
        assert_eq!(twice.place(3, 4), (5, 10));
        assert_eq!(twice.place(0, twice.bytes.len()), (0, text.len()));
        assert!(twice.again().is_none() && Decoded::parse(b"100% of %d").is_none());
        let escapes = Decoded::parse(br"a\u002db\x2dc\/d&quot;e\n").unwrap();
        assert_eq!(escapes.bytes, br#"a-b-c/d"e\n"#);
        assert_eq!(escapes.place(1, 2), (1, 7));
    }
}
