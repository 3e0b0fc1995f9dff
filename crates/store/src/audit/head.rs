//! The head file: one line that states where the trail ends. Its inode is the lock of the trail, so it is never renamed
//! and never replaced.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use serde::Deserialize;

use super::chain::Tip;
use super::seal::{Key, Mac};

/// The length of every head, so that overwriting one leaves no mix of both. It has room for the longest numbers.
pub(crate) const WIDTH: usize = 320;
/// The length of heads of version 1.
const WIDTH_V1: usize = 160;
/// The bytes that are read; no version of a head is longer.
const LONGEST: usize = 1024;
/// The version of the format. Version 1 had neither `first`, `boot` nor `mac`; it is still read, and the next append
/// replaces it.
const VERSION: u64 = 2;

/// The content of a head file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Head {
    /// It was just created.
    Blank,
    /// The trail ends here.
    At(Known),
    /// It has a later version, whose trail this program must not judge.
    Newer {
        /// The version.
        version: u64,
    },
    /// It is not a head.
    Unreadable,
}

/// The end of a trail as its last writer left it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) tip: Tip,
    /// The boot id when it was written; empty if unknown.
    pub(crate) boot: String,
    /// The line without the spaces at its end; none for version 1, which has no mac.
    sealed: Option<Vec<u8>>,
}

impl Known {
    /// Whether it has a mac.
    pub(crate) fn is_sealed(&self) -> bool {
        self.sealed.is_some()
    }

    /// Whether a writer with this key wrote it; true for version 1, which does not show it.
    pub(crate) fn is_by(&self, key: &Key) -> bool {
        self.sealed.as_ref().is_none_or(|line| key.check(line) == Mac::Good)
    }
}

/// Reads the head and its bytes. The caller checks its mac.
pub(crate) fn read(file: &File) -> io::Result<(Head, Vec<u8>)> {
    let mut bytes = vec![0; LONGEST + 1];
    let length = file.read_at(&mut bytes, 0)?;
    bytes.truncate(length);
    Ok((parse(&bytes), bytes))
}

/// Overwrites the head and returns its bytes.
pub(crate) fn write(file: &File, tip: &Tip, boot: &str, key: &Key) -> io::Result<Vec<u8>> {
    let mut line = Vec::with_capacity(WIDTH);
    line.extend_from_slice(json(tip, boot).as_bytes());
    key.seal(&mut line);
    let line = padded(line, WIDTH);
    file.write_all_at(&line, 0)?;
    Ok(line)
}

#[derive(Deserialize)]
struct HeadLine<'a> {
    seq: u64,
    #[serde(borrow)]
    hash: Cow<'a, str>,
    first: u64,
    offset: u64,
    #[serde(borrow)]
    boot: Cow<'a, str>,
}

#[derive(Deserialize)]
struct HeadLineV1<'a> {
    seq: u64,
    #[serde(borrow)]
    hash: Cow<'a, str>,
    offset: u64,
}

#[derive(Deserialize)]
struct VersionOnly {
    v: u64,
}

fn json(Tip { seq, hash, first, offset }: &Tip, boot: &str) -> String {
    format!(
        r#"{{"v":{VERSION},"seq":{seq},"hash":"{hash}","first":{first},"offset":{offset},"boot":"{boot}"}}"#
    )
}

fn json_v1(Tip { seq, hash, first: _, offset }: &Tip) -> String {
    format!(r#"{{"v":1,"seq":{seq},"hash":"{hash}","offset":{offset}}}"#)
}

fn padded(mut line: Vec<u8>, width: usize) -> Vec<u8> {
    line.resize(width - 1, b' ');
    line.push(b'\n');
    line
}

pub(crate) fn parse(bytes: &[u8]) -> Head {
    if bytes.is_empty() {
        return Head::Blank;
    }
    let version = serde_json::from_slice::<VersionOnly>(bytes).map_or(0, |found| found.v);
    let known = match version {
        VERSION => known(bytes),
        1 => known_v1(bytes),
        newer if newer > VERSION => return Head::Newer { version: newer },
        _ => None,
    };
    known.map_or(Head::Unreadable, Head::At)
}

/// A head counts only if it is spelled exactly as tenter spells it, so that no change of its spaces is missed. Of the mac
/// only the place is checked here.
fn known(bytes: &[u8]) -> Option<Known> {
    let HeadLine { seq, hash, first, offset, boot } = serde_json::from_slice(bytes).ok()?;
    let tip = Tip { seq, hash: hash.into_owned(), first, offset };
    let boot = boot.into_owned();
    let line = bytes.trim_ascii_end();
    let spelled = json(&tip, &boot);
    let same = line.starts_with(spelled.trim_end_matches('}').as_bytes())
        && line.len() == spelled.len() + MAC
        && padded(line.to_vec(), WIDTH) == bytes;
    same.then(|| Known { tip, boot, sealed: Some(line.to_vec()) })
}

/// The length of a mac with its field.
const MAC: usize = 73;

#[cold]
fn known_v1(bytes: &[u8]) -> Option<Known> {
    let HeadLineV1 { seq, hash, offset } = serde_json::from_slice(bytes).ok()?;
    let tip = Tip { seq, hash: hash.into_owned(), first: 1, offset };
    let same = padded(json_v1(&tip).into_bytes(), WIDTH_V1) == bytes;
    same.then(|| Known { tip, boot: String::new(), sealed: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOOT: &str = "0b1c2d3e-0000-4000-8000-123456789abc";

    fn longest() -> Tip {
        Tip { seq: u64::MAX, hash: "a".repeat(64), first: u64::MAX, offset: u64::MAX }
    }

    fn written(tip: &Tip, boot: &str) -> String {
        let file = tempfile::tempfile().unwrap();
        write(&file, tip, boot, &Key::new([1; 32])).unwrap();
        let mut bytes = [0; 1000];
        let length = file.read_at(&mut bytes, 0).unwrap();
        String::from_utf8(bytes[..length].to_vec()).unwrap()
    }

    #[test]
    fn heads_have_one_length_and_are_read_back() {
        for (tip, boot) in [(Tip::start(), ""), (Tip::start(), BOOT), (longest(), BOOT)] {
            let line = written(&tip, boot);
            assert_eq!(line.len(), WIDTH);
            let Head::At(known) = parse(line.as_bytes()) else { panic!("{line}") };
            assert_eq!((&known.tip, known.boot.as_str(), known.is_sealed()), (&tip, boot, true));
            assert_eq!((known.is_by(&Key::new([1; 32])), known.is_by(&Key::new([2; 32]))), (true, false));
        }
    }

    #[test]
    fn head_in_another_spelling_is_unreadable() {
        let good = written(&Tip::start(), BOOT);
        let rows = [
            ("cut off", good[..good.len() - 1].to_owned()),
            ("too long", format!("{good} ")),
            ("a tab among the spaces", good.replacen("  ", " \t", 1)),
            ("another order", good.replacen(r#""v":2,"seq":0"#, r#""seq":0,"v":2"#, 1)),
            ("a version before the first", good.replacen(r#""v":2"#, r#""v":0"#, 1)),
            ("the first version with a mac", good.replacen(r#""v":2"#, r#""v":1"#, 1)),
            ("garbage", "x".to_owned()),
        ];
        for (name, text) in rows {
            assert_eq!(parse(text.as_bytes()), Head::Unreadable, "{name}");
        }
    }

    #[test]
    fn head_without_a_mac_has_no_writer() {
        let good = written(&Tip::start(), BOOT);
        let bare = padded(json(&Tip::start(), BOOT).into_bytes(), WIDTH);
        assert_eq!(parse(&bare), Head::Unreadable);
        let renamed = good.replacen(r#""mac""#, r#""mad""#, 1);
        let Head::At(known) = parse(renamed.as_bytes()) else { panic!("{renamed}") };
        assert!(!known.is_by(&Key::new([1; 32])));
    }

    #[test]
    fn first_version_is_still_read() {
        let line = format!("{:<159}\n", json_v1(&Tip { seq: 3, ..Tip::start() }));
        let Head::At(known) = parse(line.as_bytes()) else { panic!("{line}") };
        assert_eq!(known, Known { tip: Tip { seq: 3, ..Tip::start() }, boot: String::new(), sealed: None });
        assert!(known.is_by(&Key::new([1; 32])) && !known.is_sealed());
    }

    #[test]
    fn later_version_is_known_by_its_number() {
        assert_eq!(parse(br#"{"v":3,"mac":"x"}"#), Head::Newer { version: 3 });
        assert_eq!(parse(b""), Head::Blank);
    }
}
