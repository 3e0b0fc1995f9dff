//! A record without its place. It is serialized before the trail is locked; under the lock it only gets its number, link
//! and mac.

use std::io;

use serde::Serialize;

use super::seal::{Key, Mac};

/// The beginning of a line without a place.
const PLACELESS: &str = r#"{"v":1,"seq":0,"prev":"","#;

/// The bytes of a record after its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Draft(Vec<u8>);

impl Draft {
    /// Serializes a record of version 1 without number, link and mac.
    pub(crate) fn new(record: &impl Serialize) -> io::Result<Self> {
        Self::from_placeless(&serde_json::to_vec(record)?)
    }

    /// The bytes that do not depend on the place.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Parses a line of [`Self::without_place`], if it was made with this key.
    pub(crate) fn from_spilled(line: &[u8], key: &Key) -> io::Result<Self> {
        if key.check(line) != Mac::Good {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "its mac is missing or wrong"));
        }
        let mut record = Self::from_placeless(line)?;
        record.0.truncate(record.0.len() - SEAL);
        record.0.push(b'}');
        Ok(record)
    }

    /// The same record with an id, which identifies it if it is read twice.
    pub(crate) fn with_id(&self, id: &str) -> Self {
        Self([ID, id.as_bytes(), b"\",", &self.0].concat())
    }

    /// The id, if it has one.
    pub(crate) fn id(&self) -> Option<&[u8]> {
        parse_id(&self.0)
    }

    fn from_placeless(line: &[u8]) -> io::Result<Self> {
        let rest = line.strip_prefix(PLACELESS.as_bytes());
        let rest =
            rest.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "it does not begin as a record"))?;
        Ok(Self(rest.to_vec()))
    }

    /// The line at its place.
    pub(crate) fn place(&self, seq: u64, prev: &str, key: &Key) -> Vec<u8> {
        self.line(&format!(r#"{{"v":1,"seq":{seq},"prev":"{prev}","#), key)
    }

    /// The line of a spill file. Its mac shows that tenter wrote it.
    pub(crate) fn without_place(&self, key: &Key) -> Vec<u8> {
        self.line(PLACELESS, key)
    }

    fn line(&self, begin: &str, key: &Key) -> Vec<u8> {
        let mut line = Vec::with_capacity(begin.len() + self.0.len() + SEAL);
        line.extend_from_slice(begin.as_bytes());
        line.extend_from_slice(&self.0);
        key.seal(&mut line);
        line
    }
}

/// The id of a line of the trail, if it has one, right behind the link.
pub(crate) fn id_of(line: &[u8]) -> Option<&[u8]> {
    let link = line.windows(PREV.len()).position(|window| window == PREV)?;
    parse_id(line.get(link + PREV.len() + LINK..)?)
}

fn parse_id(fields: &[u8]) -> Option<&[u8]> {
    let id = fields.strip_prefix(ID)?;
    id.split(|byte| *byte == b'"').next()
}

const ID: &[u8] = br#""id":""#;
const PREV: &[u8] = br#","prev":""#;
/// The length of a link, with the quote and the comma behind it.
const LINK: usize = 66;
/// The length of a mac with its field, closing brace included.
const SEAL: usize = 74;

#[cfg(test)]
mod tests {
    use tenter_protocol::v1::record::RecordV1;

    use super::*;

    fn record() -> RecordV1 {
        RecordV1 { v: 1, event: "tool:pre".to_owned(), ..RecordV1::default() }
    }

    #[test]
    fn placed_draft_is_the_record_with_place_and_mac() {
        let key = Key::new([1; 32]);
        let line = Draft::new(&record()).unwrap().place(7, "abc", &key);
        assert_eq!(key.check(&line), Mac::Good);
        let found: RecordV1 = serde_json::from_slice(&line).unwrap();
        let mac = found.mac.clone();
        assert_eq!(found, RecordV1 { v: 1, seq: 7, prev: "abc".to_owned(), mac, ..record() });
        assert_eq!(serde_json::to_vec(&found).unwrap(), line, "a mac is the last field");
    }

    #[test]
    fn id_is_found_in_draft_and_line() {
        let key = Key::new([1; 32]);
        let (plain, named) =
            (Draft::new(&record()).unwrap(), Draft::new(&record()).unwrap().with_id("7-8-1"));
        assert_eq!((plain.id(), named.id()), (None, Some(&b"7-8-1"[..])));
        let hash = crate::hex::sha256(b"");
        let (plain, named) = (plain.place(1, &hash, &key), named.place(1, &hash, &key));
        assert_eq!((id_of(&plain), id_of(&named), id_of(b"{}")), (None, Some(&b"7-8-1"[..]), None));
        let found: RecordV1 = serde_json::from_slice(&named).unwrap();
        assert_eq!(found.id.as_deref(), Some("7-8-1"));
    }

    #[test]
    fn spilled_record_comes_back_unchanged() {
        let (key, other) = (Key::new([1; 32]), Key::new([2; 32]));
        let draft = Draft::new(&record()).unwrap();
        let line = draft.without_place(&key);
        assert_eq!(Draft::from_spilled(&line, &key).unwrap(), draft);
        for (name, line, key) in [
            ("another key", line.clone(), &other),
            ("a record of the trail", draft.place(1, "", &key), &key),
            ("no mac", br#"{"v":1,"seq":0,"prev":"","event":"x"}"#.to_vec(), &key),
            ("nothing", Vec::new(), &key),
        ] {
            assert!(Draft::from_spilled(&line, key).is_err(), "{name}");
        }
    }
}
