//! The folders that a payload names: the agent's, its project's, its workspaces'.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use tenter_contract::json_text::without_lone_surrogates;

/// A payload above this size is not searched for folders.
const LARGEST_SEARCHED: usize = 8 * 1024 * 1024;

/// No list of folders is longer.
const LONGEST_LIST: usize = 64;

/// Every folder among the fields of a payload and in lists of its fields.
pub(super) fn folders_in(payload: &[u8]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    if payload.len() <= LARGEST_SEARCHED && read(payload, &mut found).is_err() {
        read_mended(payload, &mut found);
    }
    found
}

fn read(payload: &[u8], found: &mut Vec<PathBuf>) -> serde_json::Result<()> {
    serde_json::Deserializer::from_slice(payload).deserialize_map(Fields { found })
}

/// Adapters read such payloads too: bytes that are no UTF-8, halves of surrogate pairs.
#[cold]
#[inline(never)]
fn read_mended(payload: &[u8], found: &mut Vec<PathBuf>) {
    let text = String::from_utf8_lossy(payload);
    let text = without_lone_surrogates(text.trim_start_matches('\u{feff}'));
    // A payload that cannot be read names no folder beyond those before the mistake.
    let _ = read(text.as_bytes(), found);
}

/// The fields of a payload. Only their values are kept, and of these only folders: payloads may be large.
struct Fields<'f> {
    found: &'f mut Vec<PathBuf>,
}

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while fields.next_key::<IgnoredAny>()?.is_some() {
            fields.next_value_seed(Field { found: self.found, lists: 1 })?;
        }
        Ok(())
    }
}

/// One value, with the number of lists that may be around a folder in it.
struct Field<'f> {
    found: &'f mut Vec<PathBuf>,
    lists: usize,
}

impl<'de> DeserializeSeed<'de> for Field<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        value.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Field<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        if text.starts_with('/') && Path::new(text).is_dir() {
            self.found.push(PathBuf::from(text));
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<(), A::Error> {
        if let Some(lists) = self.lists.checked_sub(1) {
            for _ in 0..LONGEST_LIST {
                if values.next_element_seed(Field { found: self.found, lists })?.is_none() {
                    return Ok(());
                }
            }
        }
        while values.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_found_in_fields_and_lists() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
        for name in ["cwd", "one", "two", "deep"] {
            std::fs::create_dir(at(name)).unwrap();
        }
        std::fs::write(at("file"), "").unwrap();
        let fields = format!(
            r#""n": 1, "f": -1.5, "b": true, "z": null, "cwd": "{}", "file": "{}", "gone": "{}", "all": ["{}", 2, ["{}"], "{}"], "tool_input": {{"path": "{}"}}"#,
            at("cwd"),
            at("file"),
            at("gone"),
            at("one"),
            at("deep"),
            at("two"),
            at("deep"),
        );
        let wanted: Vec<PathBuf> = ["cwd", "one", "two"].map(|name| PathBuf::from(at(name))).into();
        assert_eq!(folders_in(format!("{{{fields}}}").as_bytes()), wanted);
        // What adapters read is searched too, and so is the beginning of a payload that breaks off.
        for payload in [
            format!("\u{feff}{{{fields}}}"),
            format!(r#"{{"prompt": "half \ud83d", {fields}}}"#),
            format!("{{{fields}, \"rest\": "),
        ] {
            let mut found = folders_in(payload.as_bytes());
            found.dedup();
            assert!(found.starts_with(&wanted), "{payload}: {found:?}");
        }
        let mut bytes = br#"{"prompt": "no UTF-8: "#.to_vec();
        bytes.extend([0xff]);
        bytes.extend(format!("\", {fields}}}").bytes());
        assert_eq!(folders_in(&bytes), wanted);
        for other in ["", "[]", "\"/\"", "7"] {
            assert_eq!(folders_in(other.as_bytes()), Vec::<PathBuf>::new(), "{other}");
        }
    }
}
