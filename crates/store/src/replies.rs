//! What hooks with `cache` said: `cache/replies/`, one file per question.
//!
//! A file gets its name only when it is complete. It carries the whole hash of its key, so that a name that was
//! moved is not found, and a hash of the rest, so that damage is a miss.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tenter_contract::ports::ReplyCache;
use tenter_contract::{
    Effect, HookReply, Level, Message, OutputPatch, Patch, Policy, Query, Rewrite, Timestamp, Verdict,
};
use tenter_protocol::v1::inquiry::ChoiceV1;

use crate::StateFolder;
use crate::audit::redact::Redactor;
use crate::hex::sha256;
use crate::injection::InjectionWire;
use crate::json;
use crate::place::{open_plain, open_to_read, our_file};

/// No reply is longer; one that is is not kept.
const LARGEST: usize = 2 * 1024 * 1024;
/// So many are kept; then the older half goes.
const MOST: usize = 512;

/// The replies of a state folder. Making one touches nothing.
#[derive(Clone, Debug)]
pub struct ReplyFolder {
    state: StateFolder,
    folder: PathBuf,
}

impl ReplyFolder {
    /// The replies in this folder, which need not exist.
    pub fn new(state: &StateFolder) -> Self {
        Self { state: state.clone(), folder: state.path().join("cache/replies") }
    }

    fn write(&self, name: &str, reply: &HookReply, now: Timestamp) -> io::Result<()> {
        let body = serde_json::to_vec(&Wire::of(name, reply, now))?;
        if body.len() > LARGEST || holds_secret(&body) {
            return Ok(());
        }
        let beside = self.folder.join(format!("draft-{}-{}", std::process::id(), &name[..16]));
        let mut options = our_file();
        options.write(true).create(true).truncate(true);
        let mut file = match open_plain(&options, &beside) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
                self.state.make_folder(&self.folder)?;
                open_plain(&options, &beside)?
            }
            opened => opened?,
        };
        file.write_all(sha256(&body).as_bytes())?;
        file.write_all(&body)?;
        fs::rename(&beside, self.folder.join(name))?;
        self.tidy()
    }

    /// Removes the older half if there are too many.
    fn tidy(&self) -> io::Result<()> {
        let paths: Vec<PathBuf> = fs::read_dir(&self.folder)?.flatten().map(|entry| entry.path()).collect();
        if paths.len() <= MOST {
            return Ok(());
        }
        let changed = |path: &Path| path.metadata().and_then(|about| about.modified()).ok();
        let mut aged: Vec<_> = paths.into_iter().map(|path| (changed(&path), path)).collect();
        aged.sort();
        for (_, path) in aged.iter().take(MOST / 2) {
            // Another process may have been here first.
            drop(fs::remove_file(path));
        }
        Ok(())
    }
}

/// A reply with a secret is not kept: the file would outlive the session, and the hook can be asked again.
fn holds_secret(body: &[u8]) -> bool {
    Redactor::default().text(&String::from_utf8_lossy(body)).is_some()
}

impl ReplyCache for ReplyFolder {
    fn find(&self, key: &str, ttl: Duration, now: Timestamp) -> Option<HookReply> {
        let name = sha256(key.as_bytes());
        let mut file = open_to_read(&self.folder.join(&name)).ok()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        let (hash, body) = bytes.split_at_checked(64)?;
        if hash != sha256(body).as_bytes() {
            return None;
        }
        let wire: Wire = json::typed(body).ok()?;
        // A clock that was set back makes nothing younger.
        let age = Duration::from_millis(now.unix_ms.checked_sub(wire.at)?);
        (wire.key == name && age < ttl).then(|| wire.reply.reply()).flatten()
    }

    fn keep(&self, key: &str, reply: &HookReply, now: Timestamp) {
        // Only a memory: what cannot be kept is asked again.
        drop(self.write(&sha256(key.as_bytes()), reply, now));
    }
}

#[derive(Serialize, Deserialize)]
struct Wire {
    key: String,
    at: u64,
    #[serde(flatten)]
    reply: ReplyWire,
}

/// A reply, as it is written down for a program of the same build.
#[derive(Serialize, Deserialize)]
pub struct ReplyWire {
    verdict: VerdictWire,
    effects: Vec<EffectWire>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum VerdictWire {
    Abstain,
    Allow { reason: Option<String> },
    Ask { prompt: String, options: Vec<ChoiceV1>, timeout: Option<Duration>, default_allows: bool },
    Deny { reason: String },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum EffectWire {
    Inject(InjectionWire),
    Input { whole: bool, change: Map<String, Value> },
    Output { whole: bool, change: Value },
    Prompt(String),
    Data { whole: bool, change: Map<String, Value> },
    Tell { text: String, level: String },
    SuppressOutput,
    StopAgent(String),
}

impl Wire {
    fn of(key: &str, reply: &HookReply, now: Timestamp) -> Self {
        Self { key: key.to_owned(), at: now.unix_ms, reply: ReplyWire::of(reply) }
    }
}

impl ReplyWire {
    /// Writes a reply down.
    pub fn of(reply: &HookReply) -> Self {
        let verdict = match &reply.verdict {
            Verdict::Abstain => VerdictWire::Abstain,
            Verdict::Allow { reason } => VerdictWire::Allow { reason: reason.clone() },
            Verdict::Ask(Query { prompt, options, timeout, default }) => VerdictWire::Ask {
                prompt: prompt.clone(),
                options: options.iter().map(ChoiceV1::of).collect(),
                timeout: *timeout,
                default_allows: *default == Policy::Allow,
            },
            Verdict::Deny { reason } => VerdictWire::Deny { reason: reason.clone() },
        };
        let effects = reply.effects.iter().map(effect_wire).collect();
        Self { verdict, effects }
    }

    /// Reads it, if it says nothing that this version does not know.
    pub fn reply(self) -> Option<HookReply> {
        let verdict = match self.verdict {
            VerdictWire::Abstain => Verdict::Abstain,
            VerdictWire::Allow { reason } => Verdict::Allow { reason },
            VerdictWire::Ask { prompt, options, timeout, default_allows } => {
                let default = if default_allows { Policy::Allow } else { Policy::Deny };
                let options = options.iter().map(ChoiceV1::choice).collect();
                Verdict::Ask(Query { prompt, options, timeout, default })
            }
            VerdictWire::Deny { reason } => Verdict::Deny { reason },
        };
        let effects = self.effects.into_iter().map(effect).collect::<Option<_>>()?;
        Some(HookReply { verdict, effects })
    }
}

fn effect_wire(effect: &Effect) -> EffectWire {
    let patch = |patch: &Patch| match patch {
        Patch::Merge(change) => (false, change.clone()),
        Patch::Replace(change) => (true, change.clone()),
    };
    match effect {
        Effect::Inject(injection) => EffectWire::Inject(InjectionWire::of(injection)),
        Effect::Rewrite(Rewrite::ToolInput(change)) => {
            let (whole, change) = patch(change);
            EffectWire::Input { whole, change }
        }
        Effect::Rewrite(Rewrite::Data(change)) => {
            let (whole, change) = patch(change);
            EffectWire::Data { whole, change }
        }
        Effect::Rewrite(Rewrite::ToolOutput(OutputPatch::Merge(change))) => {
            EffectWire::Output { whole: false, change: change.clone() }
        }
        Effect::Rewrite(Rewrite::ToolOutput(OutputPatch::Replace(change))) => {
            EffectWire::Output { whole: true, change: change.clone() }
        }
        Effect::Rewrite(Rewrite::Prompt(prompt)) => EffectWire::Prompt(prompt.clone()),
        Effect::Tell(Message { text, level }) => {
            EffectWire::Tell { text: text.clone(), level: level.as_str().to_owned() }
        }
        Effect::SuppressOutput => EffectWire::SuppressOutput,
        Effect::StopAgent { reason } => EffectWire::StopAgent(reason.clone()),
    }
}

fn effect(wire: EffectWire) -> Option<Effect> {
    let patch = |whole, change| if whole { Patch::Replace(change) } else { Patch::Merge(change) };
    Some(match wire {
        EffectWire::Inject(wire) => Effect::Inject(wire.injection()?),
        EffectWire::Input { whole, change } => Effect::Rewrite(Rewrite::ToolInput(patch(whole, change))),
        EffectWire::Data { whole, change } => Effect::Rewrite(Rewrite::Data(patch(whole, change))),
        EffectWire::Output { whole: true, change } => {
            Effect::Rewrite(Rewrite::ToolOutput(OutputPatch::Replace(change)))
        }
        EffectWire::Output { whole: false, change } => {
            Effect::Rewrite(Rewrite::ToolOutput(OutputPatch::Merge(change)))
        }
        EffectWire::Prompt(prompt) => Effect::Rewrite(Rewrite::Prompt(prompt)),
        EffectWire::Tell { text, level } => Effect::Tell(Message { text, level: Level::parse(&level)? }),
        EffectWire::SuppressOutput => Effect::SuppressOutput,
        EffectWire::StopAgent(reason) => Effect::StopAgent { reason },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use tenter_contract::{Form, Injection, Origin, Repeat, Role, Shortened, Strategy, WholeText};

    fn reply() -> HookReply {
        let map = |value: Value| value.as_object().cloned().unwrap();
        HookReply {
            verdict: Verdict::Ask(Query {
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
                Effect::Tell(Message { text: "t".to_owned(), level: Level::Warning }),
                Effect::SuppressOutput,
            ],
        }
    }

    fn at(seconds: u64) -> Timestamp {
        Timestamp::from_unix_ms(seconds * 1000)
    }

    const TTL: Duration = Duration::from_secs(10);

    #[test]
    fn a_reply_is_found_whole_under_its_own_key_until_its_time_is_over() {
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
    fn every_damage_and_every_exchange_is_a_miss() {
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
    fn a_reply_with_a_secret_is_not_kept() {
        let home = tempfile::tempdir().unwrap();
        let replies = ReplyFolder::new(&StateFolder::new(home.path().join("state")));
        let reason = format!("use ghp_{}", "a1B2".repeat(9));
        let reply = HookReply { verdict: Verdict::Deny { reason }, ..HookReply::default() };
        replies.keep("key", &reply, at(100));
        assert_eq!(replies.find("key", TTL, at(100)), None);
        assert!(!replies.folder.exists());
    }

    #[test]
    fn there_are_never_more_than_so_many() {
        let home = tempfile::tempdir().unwrap();
        let replies = ReplyFolder::new(&StateFolder::new(home.path().join("state")));
        for number in 0..=MOST {
            replies.keep(&number.to_string(), &HookReply::default(), at(100));
        }
        assert_eq!(fs::read_dir(&replies.folder).unwrap().count(), MOST / 2 + 1);
        assert!(replies.find(&MOST.to_string(), TTL, at(100)).is_some(), "the newest stays");
    }
}
