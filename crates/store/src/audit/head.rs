//! The head file: one line that says where the trail ends. Its inode is the lock of the trail, so it is
//! never renamed and never replaced.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use serde::{Deserialize, Serialize};

use super::chain::Tip;

/// Every head has this length, so that one written over another leaves no mix of both. The longest numbers
/// leave some room.
const WIDTH: usize = 160;
/// How much of a head is looked at; what is longer is no head of any version.
const LONGEST: usize = 1024;
/// Version of this form.
const VERSION: u64 = 1;

/// What a head file says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Head {
    /// Nothing: it was only just made.
    Blank,
    /// The trail ends here.
    At(Tip),
    /// It is of a later version, whose trail an older program must not judge.
    Newer {
        /// Which version.
        version: u64,
    },
    /// No head looks like this.
    Unreadable,
}

/// Reads and judges the head.
pub(crate) fn read(file: &File) -> io::Result<Head> {
    let mut bytes = [0; LONGEST + 1];
    let length = file.read_at(&mut bytes, 0)?;
    Ok(parse(&bytes[..length]))
}

/// Writes the head in its place.
pub(crate) fn write(file: &File, tip: &Tip) -> io::Result<()> {
    file.write_all_at(render(tip).as_bytes(), 0)
}

#[derive(Serialize, Deserialize)]
struct HeadLine<'a> {
    v: u64,
    seq: u64,
    #[serde(borrow)]
    hash: std::borrow::Cow<'a, str>,
    offset: u64,
}

#[derive(Deserialize)]
struct VersionOnly {
    v: u64,
}

fn render(tip: &Tip) -> String {
    let Tip { seq, hash, offset } = tip;
    let json = format!(r#"{{"v":{VERSION},"seq":{seq},"hash":"{hash}","offset":{offset}}}"#);
    format!("{json:<width$}\n", width = WIDTH - 1)
}

/// A head counts only if it is spelled exactly as we would spell it: else a change among the spaces would
/// go unseen.
fn parse(bytes: &[u8]) -> Head {
    if bytes.is_empty() {
        return Head::Blank;
    }
    match serde_json::from_slice::<VersionOnly>(bytes) {
        Ok(VersionOnly { v }) if v > VERSION => return Head::Newer { version: v },
        Ok(_) | Err(_) => {}
    }
    let Ok(HeadLine { v: _, seq, hash, offset }) = serde_json::from_slice(bytes) else {
        return Head::Unreadable;
    };
    let tip = Tip { seq, hash: hash.into_owned(), offset };
    if render(&tip).as_bytes() == bytes { Head::At(tip) } else { Head::Unreadable }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn longest() -> Tip {
        Tip { seq: u64::MAX, hash: "a".repeat(64), offset: u64::MAX }
    }

    #[test]
    fn every_head_has_the_same_length_and_is_read_back() {
        for tip in [Tip::start(), longest()] {
            let line = render(&tip);
            assert_eq!(line.len(), WIDTH);
            assert_eq!(parse(line.as_bytes()), Head::At(tip));
        }
    }

    #[test]
    fn a_head_that_we_would_not_write_is_none() {
        let good = render(&Tip::start());
        let rows = [
            ("cut off", good[..good.len() - 1].to_owned()),
            ("too long", format!("{good} ")),
            ("a tab among the spaces", good.replacen("  ", " \t", 1)),
            ("another order", good.replacen(r#""v":1,"seq":0"#, r#""seq":0,"v":1"#, 1)),
            ("a version before the first", good.replacen(r#""v":1"#, r#""v":0"#, 1)),
            ("garbage", "x".to_owned()),
        ];
        for (name, text) in rows {
            assert_eq!(parse(text.as_bytes()), Head::Unreadable, "{name}");
        }
    }

    #[test]
    fn a_later_version_is_known_by_its_number() {
        assert_eq!(parse(br#"{"v":2,"mac":"x"}"#), Head::Newer { version: 2 });
        assert_eq!(parse(b""), Head::Blank);
    }
}
