//! Replies of hooks with `cache`: `cache/replies/`, one file per cache key.
//!
//! A file gets its name only when it is complete. It contains the hash of its key, so that a renamed file is a miss, and
//! a hash of the rest, so that damage is a miss. Its JSON names all fields, so that a reply of another build is a miss.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tenter_contract::ports::ReplyCache;
use tenter_contract::{HookReply, Timestamp};

use crate::StateFolder;
use crate::audit::redact::Redactor;
use crate::hex::sha256;
use crate::json;
use crate::place::{if_found, read_plain, write_whole};

/// A longer reply is not cached.
const MAX_BYTES: usize = 2 * 1024 * 1024;
/// With more files the older half is removed.
const MAX_FILES: usize = 512;

/// The cached replies of a state folder. Creating the value touches no file.
#[derive(Clone, Debug)]
pub struct ReplyFolder {
    state: StateFolder,
    folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct CacheEntry {
    key: String,
    at: Timestamp,
    reply: HookReply,
}

impl ReplyFolder {
    /// The replies in this folder, which need not exist.
    pub fn new(state: &StateFolder) -> Self {
        Self { state: state.clone(), folder: state.path().join("cache/replies") }
    }

    fn write(&self, name: &str, reply: &HookReply, now: Timestamp) -> io::Result<()> {
        let entry = CacheEntry { key: name.to_owned(), at: now, reply: reply.clone() };
        let body = serde_json::to_vec(&entry)?;
        if body.len() > MAX_BYTES || holds_secret(&body) {
            return Ok(());
        }
        let (path, bytes) = (self.folder.join(name), [sha256(&body).as_bytes(), &body].concat());
        if if_found(write_whole(&path, &bytes))?.is_none() {
            self.state.make_folder(&self.folder)?;
            write_whole(&path, &bytes)?;
        }
        self.remove_old()
    }

    /// Removes the older half if there are too many.
    fn remove_old(&self) -> io::Result<()> {
        let paths: Vec<PathBuf> = fs::read_dir(&self.folder)?.flatten().map(|entry| entry.path()).collect();
        if paths.len() <= MAX_FILES {
            return Ok(());
        }
        let changed = |path: &Path| path.metadata().and_then(|about| about.modified()).ok();
        let mut aged: Vec<_> = paths.into_iter().map(|path| (changed(&path), path)).collect();
        aged.sort();
        for (_, path) in aged.iter().take(MAX_FILES / 2) {
            // Another process may have removed it.
            drop(fs::remove_file(path));
        }
        Ok(())
    }
}

/// A reply with a secret is not cached: the file would outlive the session, and the hook can run again.
fn holds_secret(body: &[u8]) -> bool {
    Redactor::default().text(&String::from_utf8_lossy(body)).is_some()
}

impl ReplyCache for ReplyFolder {
    fn find(&self, key: &str, ttl: Duration, now: Timestamp) -> Option<HookReply> {
        let name = sha256(key.as_bytes());
        let bytes = read_plain(&self.folder.join(&name)).ok()?;
        let (hash, body) = bytes.split_at_checked(64)?;
        if hash != sha256(body).as_bytes() {
            return None;
        }
        let entry: CacheEntry = json::typed(body).ok()?;
        // A reply from the future is a miss: the clock was set back.
        let age = Duration::from_millis(now.unix_ms.checked_sub(entry.at.unix_ms)?);
        (entry.key == name && age < ttl).then_some(entry.reply)
    }

    fn keep(&self, key: &str, reply: &HookReply, now: Timestamp) {
        // If it cannot be written, the hook runs again.
        drop(self.write(&sha256(key.as_bytes()), reply, now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use tenter_contract::*;

    fn reply() -> HookReply {
        let map = |value: Value| value.as_object().cloned().unwrap();
        HookReply {
            verdict: Verdict::Ask(ApprovalPrompt {
                prompt: "Deploy?".to_owned(),
                options: vec![tenter_contract::Choice::named("Allow once")],
                timeout: Some(Duration::from_secs(5)),
                default: Policy::Allow,
            }),
            effects: vec![
                Effect::Inject(Injection::text("context")),
                Effect::Inject(Injection {
                    content: "beginning".to_owned(),
                    role: Role::User,
                    strategy: Strategy::ToolResult,
                    ephemeral: true,
                    key: Some("k".to_owned()),
                    repeat: Repeat::Never,
                    foreign: Some("https://example.com".to_owned()),
                    origin: Origin::Printed { missing: 3 },
                    form: Form::Beginning(Shortened {
                        bytes: 19,
                        digest: 7,
                        all: WholeText::At("/f".to_owned()),
                    }),
                }),
                Effect::Rewrite(Rewrite::ToolInput(Patch::Merge(map(json!({"command": null}))))),
                Effect::Rewrite(Rewrite::Data(Patch::Replace(map(json!({"a": 1}))))),
                Effect::Rewrite(Rewrite::ToolOutput(OutputPatch::Merge(json!("x")))),
                Effect::Rewrite(Rewrite::ToolOutput(OutputPatch::Replace(json!([1])))),
                Effect::Rewrite(Rewrite::Prompt("p".to_owned())),
                Effect::Notify(Message { text: "t".to_owned(), level: Level::Warning }),
                Effect::SuppressOutput,
            ],
        }
    }

    fn at(seconds: u64) -> Timestamp {
        Timestamp::from_unix_ms(seconds * 1000)
    }

    const TTL: Duration = Duration::from_secs(10);

    #[test]
    fn reply_is_found_by_its_key_until_its_ttl_ends() {
        let home = tempfile::tempdir().unwrap();
        let replies = ReplyFolder::new(&StateFolder::new(home.path().join("state")));
        assert_eq!(replies.find("key", TTL, at(100)), None);
        replies.keep("key", &reply(), at(100));
        for (key, now, found) in [
            ("key", 100, true),
            ("key", 109, true),
            ("key", 110, false),
            ("key", 99, false),
            ("kez", 100, false),
        ] {
            assert_eq!(replies.find(key, TTL, at(now)), found.then(reply), "{key} at {now}");
        }
    }

    #[test]
    fn damaged_or_renamed_file_is_a_miss() {
        let home = tempfile::tempdir().unwrap();
        let replies = ReplyFolder::new(&StateFolder::new(home.path().join("state")));
        let place = |key: &str| replies.folder.join(sha256(key.as_bytes()));
        replies.keep("key", &reply(), at(100));
        fs::copy(place("key"), place("other")).unwrap();
        assert_eq!(replies.find("other", TTL, at(100)), None);
        let whole = fs::read(place("key")).unwrap();
        for byte in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[byte] ^= 1;
            fs::write(place("key"), &damaged).unwrap();
            assert_eq!(replies.find("key", TTL, at(100)), None, "byte {byte}");
            fs::write(place("key"), &whole[..byte]).unwrap();
            assert_eq!(replies.find("key", TTL, at(100)), None, "cut at {byte}");
        }
    }

    #[test]
    fn reply_with_a_secret_is_not_cached() {
        let home = tempfile::tempdir().unwrap();
        let replies = ReplyFolder::new(&StateFolder::new(home.path().join("state")));
        let reason = format!("use ghp_{}", "a1B2".repeat(9));
        let reply = HookReply { verdict: Verdict::Deny { reason }, ..HookReply::default() };
        replies.keep("key", &reply, at(100));
        assert_eq!(replies.find("key", TTL, at(100)), None);
        assert!(!replies.folder.exists());
    }

    #[test]
    fn older_half_is_removed_above_the_limit() {
        let home = tempfile::tempdir().unwrap();
        let replies = ReplyFolder::new(&StateFolder::new(home.path().join("state")));
        for number in 0..=MAX_FILES {
            replies.keep(&number.to_string(), &HookReply::default(), at(100));
        }
        assert_eq!(fs::read_dir(&replies.folder).unwrap().count(), MAX_FILES / 2 + 1);
        assert!(replies.find(&MAX_FILES.to_string(), TTL, at(100)).is_some(), "the newest stays");
    }
}
