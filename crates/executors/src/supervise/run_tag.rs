//! The tag that marks the processes of a run.

use std::ffi::OsStr;
use std::hash::{BuildHasher, Hasher, RandomState};
#[cfg(target_os = "linux")]
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The variable that carries the tags.
pub(crate) const VARIABLE: &str = "TENTER_RUN";
/// Separates two tags.
const SEPARATOR: u8 = b':';
/// A tag begins with the random number of the process that made it, in this many hexadecimal digits …
const PROCESS_DIGITS: usize = 16;
/// … and ends with the number of the run there.
const RUN_DIGITS: usize = 8;
/// Kills every process with the tag `$1` in its environment, and those that they start meanwhile.
#[cfg(target_os = "linux")]
const KILL_TAGGED: &str = r#"for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    left=$(grep -lsF -e "$1" /proc/[0-9]*/environ)
    test -n "$left" || exit
    for file in $left; do
        pid=${file#/proc/}
        kill -s KILL "${pid%/environ}"
    done
done"#;

/// The tag of one run. Everything that the run starts inherits it.
///
/// A hook may start an agent whose hooks another tenter runs. The tags of that one follow (`outer:inner`), so that the
/// end of the outer run ends the inner ones too.
#[derive(Clone, Debug)]
pub(crate) struct RunTag {
    outer: String,
    own: String,
}

/// Which run the environment of a process names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg(target_os = "linux")]
pub(super) enum TagMatch {
    ThisRun,
    /// Another run of this process.
    SiblingRun,
    /// A run of another process, or a long-lived process.
    OtherRun,
    /// The process was never tagged, or cleared its environment.
    Untagged,
}

impl RunTag {
    /// A new tag, behind those that this process carries itself.
    pub(crate) fn nested_in(outer: Option<&OsStr>) -> Self {
        let outer = outer.and_then(OsStr::to_str).unwrap_or_default();
        let tags: Vec<&str> = outer.split(char::from(SEPARATOR)).filter(|tag| is_tag(tag)).collect();
        let run = RUNS.fetch_add(1, Ordering::Relaxed);
        Self {
            outer: tags.join(":"),
            own: format!("{:0PROCESS_DIGITS$x}{run:0RUN_DIGITS$x}", process_number()),
        }
    }

    /// The value of [`VARIABLE`] for the hook.
    pub(crate) fn value(&self) -> String {
        self.followed_by(&self.own)
    }

    /// The value of [`VARIABLE`] for a process of tenter that belongs to no run.
    #[cfg(target_os = "linux")]
    pub(crate) fn value_outside(&self, name: &str) -> String {
        self.followed_by(name)
    }

    /// Reads an environment in the form of `/proc/…/environ`.
    #[cfg(target_os = "linux")]
    pub(super) fn match_environment(&self, environment: &[u8]) -> TagMatch {
        let mut found = TagMatch::Untagged;
        for variable in environment.split(|byte| *byte == 0) {
            let value = variable.strip_prefix(VARIABLE.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
            let Some(value) = value else { continue };
            let tags = || value.split(|byte| *byte == SEPARATOR);
            let process = &self.own.as_bytes()[..PROCESS_DIGITS];
            found = if tags().any(|one| one == self.own.as_bytes()) {
                return TagMatch::ThisRun;
            } else if tags().any(|one| one.starts_with(process)) {
                TagMatch::SiblingRun
            } else {
                TagMatch::OtherRun
            };
        }
        found
    }

    fn followed_by(&self, last: &str) -> String {
        if self.outer.is_empty() { last.to_owned() } else { format!("{}:{last}", self.outer) }
    }
}

/// A shell that runs a script with the tag and another argument, and then kills all tagged processes. It has a group
/// of its own, because a kill of the group of tenter must not kill it too.
#[cfg(target_os = "linux")]
pub(super) fn cleanup_shell(name: &str, script: &str, tag: &RunTag, argument: &str) -> Command {
    use std::os::unix::process::CommandExt;

    let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &format!("{script}\n{KILL_TAGGED}"), &format!("tenter-{name}"), &tag.own, argument]);
    command.env_clear().env("PATH", path).env(VARIABLE, tag.value_outside(name));
    command.stderr(Stdio::null()).current_dir("/").process_group(0);
    command
}

/// The number of runs that have begun in this process.
static RUNS: AtomicU32 = AtomicU32::new(0);

fn process_number() -> u64 {
    static NUMBER: OnceLock<u64> = OnceLock::new();
    // The seed of the standard library's hash tables is random enough for a name.
    *NUMBER.get_or_init(|| RandomState::new().build_hasher().finish())
}

fn is_tag(text: &str) -> bool {
    text.len() == PROCESS_DIGITS + RUN_DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn environment(value: &str) -> Vec<u8> {
        format!("PATH=/bin\0{VARIABLE}={value}\0HOME=/root\0").into_bytes()
    }

    #[test]
    fn process_matches_the_tag_of_its_run() {
        let (one, two) = (RunTag::nested_in(None), RunTag::nested_in(None));
        assert_eq!(one.match_environment(&environment(&one.value())), TagMatch::ThisRun);
        assert_eq!(one.match_environment(&environment(&two.value())), TagMatch::SiblingRun);
        assert_eq!(one.match_environment(&environment("0123456789abcdef00000000")), TagMatch::OtherRun);
        assert_eq!(one.match_environment(&environment("")), TagMatch::OtherRun);
        assert_eq!(one.match_environment(b"PATH=/bin\0XTENTER_RUN=1\0TENTER_RUNS=1\0"), TagMatch::Untagged);
        assert_eq!(one.match_environment(b""), TagMatch::Untagged);
        let quoted = format!("NOTE={VARIABLE}={}\0", one.value());
        assert_eq!(one.match_environment(quoted.as_bytes()), TagMatch::Untagged);
    }

    #[test]
    fn nested_run_carries_both_tags() {
        let outer = RunTag::nested_in(None);
        let inner = RunTag::nested_in(Some(OsStr::new(&outer.value())));
        let environment_of_inner = environment(&inner.value());
        assert_eq!(
            (outer.match_environment(&environment_of_inner), inner.match_environment(&environment_of_inner)),
            (TagMatch::ThisRun, TagMatch::ThisRun)
        );
        assert_ne!(inner.match_environment(&environment(&outer.value())), TagMatch::ThisRun);
    }

    #[test]
    fn invalid_outer_tags_are_dropped() {
        let tag = RunTag::nested_in(Some(OsStr::new("0123456789abcdef00000000:; rm -rf /:short::")));
        assert_eq!(tag.value(), format!("0123456789abcdef00000000:{}", tag.own));
    }
}
