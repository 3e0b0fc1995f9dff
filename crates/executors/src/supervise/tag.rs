//! The mark by which a process is known to belong to a run.

use std::ffi::OsStr;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The variable that carries the marks.
pub(crate) const VARIABLE: &str = "TENTER_RUN";
/// Lines of shell that kill every process with the mark `$1` in its environment, and what those start meanwhile.
#[cfg(target_os = "linux")]
pub(super) const KILL_MARKED: &str = r#"for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    left=$(grep -lsF -e "$1" /proc/[0-9]*/environ)
    test -n "$left" || exit
    for file in $left; do
        pid=${file#/proc/}
        kill -s KILL "${pid%/environ}"
    done
done"#;
/// What stands between two marks.
const SEPARATOR: u8 = b':';
/// A mark begins with the random number of the process that made it, in this many hexadecimal digits …
const PROCESS_DIGITS: usize = 16;
/// … and ends with the number of the run there.
const RUN_DIGITS: usize = 8;

/// The mark of one run. Everything that the run starts inherits it.
///
/// A hook may start an agent whose hooks another tenter runs. The marks of that one follow ours (`outer:inner`),
/// so that whoever ends the outer run ends the inner ones too.
#[derive(Clone, Debug)]
pub(crate) struct Tag {
    outer: String,
    own: String,
}

/// What a process says about where it belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg(target_os = "linux")]
pub(super) enum Mark {
    /// It belongs to this run.
    Ours,
    /// It belongs to another run of this process.
    Siblings,
    /// It belongs to a run of another process, or was started to outlive one.
    Others,
    /// It says nothing: it was never marked, or threw its environment away.
    Missing,
}

impl Tag {
    /// A new mark, behind those that we carry ourselves.
    pub(crate) fn below(outer: Option<&OsStr>) -> Self {
        let outer = outer.and_then(OsStr::to_str).unwrap_or_default();
        let marks: Vec<&str> = outer.split(char::from(SEPARATOR)).filter(|mark| is_mark(mark)).collect();
        let run = RUNS.fetch_add(1, Ordering::Relaxed);
        Self {
            outer: marks.join(":"),
            own: format!("{:0PROCESS_DIGITS$x}{run:0RUN_DIGITS$x}", this_process()),
        }
    }

    /// The value of [`VARIABLE`] for the hook.
    pub(crate) fn value(&self) -> String {
        self.followed_by(&self.own)
    }

    /// The value of [`VARIABLE`] for a process of ours that belongs to no run.
    #[cfg(target_os = "linux")]
    pub(crate) fn value_outside(&self, name: &str) -> String {
        self.followed_by(name)
    }

    /// The mark alone.
    #[cfg(target_os = "linux")]
    pub(super) fn own(&self) -> &str {
        &self.own
    }

    /// What a process says with its environment, given as the system shows it.
    #[cfg(target_os = "linux")]
    pub(super) fn look_at(&self, environment: &[u8]) -> Mark {
        let mut mark = Mark::Missing;
        for variable in environment.split(|byte| *byte == 0) {
            let value = variable.strip_prefix(VARIABLE.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
            let Some(value) = value else { continue };
            let marks = || value.split(|byte| *byte == SEPARATOR);
            let process = &self.own.as_bytes()[..PROCESS_DIGITS];
            mark = if marks().any(|one| one == self.own.as_bytes()) {
                return Mark::Ours;
            } else if marks().any(|one| one.starts_with(process)) {
                Mark::Siblings
            } else {
                Mark::Others
            };
        }
        mark
    }

    fn followed_by(&self, last: &str) -> String {
        if self.outer.is_empty() { last.to_owned() } else { format!("{}:{last}", self.outer) }
    }
}

/// So many runs have begun in this process.
static RUNS: AtomicU32 = AtomicU32::new(0);

fn this_process() -> u64 {
    static NUMBER: OnceLock<u64> = OnceLock::new();
    // What keeps the hash tables of the standard library unpredictable is random enough for a name.
    *NUMBER.get_or_init(|| RandomState::new().build_hasher().finish())
}

fn is_mark(text: &str) -> bool {
    text.len() == PROCESS_DIGITS + RUN_DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn environment(value: &str) -> Vec<u8> {
        format!("PATH=/bin\0{VARIABLE}={value}\0HOME=/root\0").into_bytes()
    }

    #[test]
    fn a_process_is_known_by_the_mark_of_its_run_and_by_no_other() {
        let (one, two) = (Tag::below(None), Tag::below(None));
        assert_eq!(one.look_at(&environment(&one.value())), Mark::Ours);
        assert_eq!(one.look_at(&environment(&two.value())), Mark::Siblings);
        assert_eq!(one.look_at(&environment("0123456789abcdef00000000")), Mark::Others);
        assert_eq!(one.look_at(&environment("")), Mark::Others);
        assert_eq!(one.look_at(b"PATH=/bin\0XTENTER_RUN=1\0TENTER_RUNS=1\0"), Mark::Missing);
        assert_eq!(one.look_at(b""), Mark::Missing);
        let quoted = format!("NOTE={VARIABLE}={}\0", one.value());
        assert_eq!(one.look_at(quoted.as_bytes()), Mark::Missing);
    }

    #[test]
    fn a_run_inside_a_run_carries_both_marks() {
        let outer = Tag::below(None);
        let inner = Tag::below(Some(OsStr::new(&outer.value())));
        let seen = environment(&inner.value());
        assert_eq!((outer.look_at(&seen), inner.look_at(&seen)), (Mark::Ours, Mark::Ours));
        assert_ne!(inner.look_at(&environment(&outer.value())), Mark::Ours);
    }

    #[test]
    fn what_is_no_mark_is_not_carried_on() {
        let tag = Tag::below(Some(OsStr::new("0123456789abcdef00000000:; rm -rf /:short::")));
        assert_eq!(tag.value(), format!("0123456789abcdef00000000:{}", tag.own));
    }
}
