//! Decodes the values of a payload: first their types, then their bytes.

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Nothing,
    Whole(i64),
    Fraction(f64),
    Text(String),
    Bytes,
}

impl Value {
    pub(super) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    pub(super) fn whole(&self) -> Option<i64> {
        if let Self::Whole(number) = self { Some(*number) } else { None }
    }

    /// A real number; SQLite stores one without a fraction as an integer.
    #[expect(clippy::cast_precision_loss, reason = "it was a fraction before it was stored")]
    pub(super) fn fraction(&self) -> Option<f64> {
        match self {
            Self::Fraction(number) => Some(*number),
            Self::Whole(number) => Some(*number as f64),
            _ => None,
        }
    }
}

/// The values of a payload; none if it is no record. Invalid UTF-8 in a text is replaced.
pub(super) fn values(payload: &[u8]) -> Option<Vec<Value>> {
    let (header, _) = varint(payload)?;
    let header = usize::try_from(header).ok()?;
    let mut types = payload.get(varint_length(payload)?..header)?;
    let mut body = payload.get(header..)?;
    let mut values = Vec::new();
    while !types.is_empty() {
        let (kind, rest) = varint(types)?;
        types = rest;
        let length = match kind {
            0 | 8 | 9 => 0,
            1..=4 => usize::try_from(kind).ok()?,
            5 => 6,
            6 | 7 => 8,
            10 | 11 => return None,
            _ => usize::try_from((kind - 12) / 2).ok()?,
        };
        let bytes = body.get(..length)?;
        body = &body[length..];
        values.push(match kind {
            0 => Value::Nothing,
            1..=6 => Value::Whole(whole(bytes)),
            7 => Value::Fraction(f64::from_bits(whole(bytes).cast_unsigned())),
            8 => Value::Whole(0),
            9 => Value::Whole(1),
            _ if kind % 2 == 0 => Value::Bytes,
            _ => Value::Text(String::from_utf8_lossy(bytes).into_owned()),
        });
    }
    Some(values)
}

fn whole(bytes: &[u8]) -> i64 {
    let sign = bytes.first().is_some_and(|first| *first >= 0x80);
    bytes.iter().fold(if sign { -1 } else { 0 }, |number, byte| (number << 8) | i64::from(*byte))
}

pub(super) fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut number = 0_u64;
    for (at, byte) in bytes.iter().enumerate().take(9) {
        if at == 8 {
            return Some(((number << 8) | u64::from(*byte), &bytes[9..]));
        }
        number = (number << 7) | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((number, &bytes[at + 1..]));
        }
    }
    None
}

fn varint_length(bytes: &[u8]) -> Option<usize> {
    varint(bytes).map(|(_, rest)| bytes.len() - rest.len())
}
