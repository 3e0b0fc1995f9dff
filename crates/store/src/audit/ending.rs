//! Compares the end of a trail with its head.

use super::boot;
use super::chain::Tip;
use super::head::{Head, Known};
use super::lost;
use super::seal::Key;
use super::verify::Condition;
use super::walk::Walk;

/// Compares the end of an unbroken chain with the head. `boot` is the present boot id.
pub(crate) fn judge(walk: &Walk<'_>, head: Option<&Head>, key: Option<&Key>, boot: &str) -> Condition {
    let tip = &walk.tip;
    let last = tip.seq.max(1);
    let unproven = |what: &str| {
        broken(tip, last, format!("the head {what}, so nothing shows that this is the last record"))
    };
    match head {
        None | Some(Head::Blank) if tip.seq == 0 => Condition::Empty,
        None => unproven("is missing"),
        Some(Head::Blank) => unproven("is empty"),
        Some(Head::Unreadable) => unproven("cannot be read"),
        Some(Head::Newer { version }) => {
            broken(tip, last, format!("the head is of version {version}: of a later program, or changed"))
        }
        Some(Head::At(known)) if key.is_some_and(|key| !known.is_by(key)) => {
            unproven("has a wrong mac (it was changed, or the key was replaced)")
        }
        Some(Head::At(known)) => compare(walk, known, boot),
    }
}

fn compare(walk: &Walk<'_>, known: &Known, boot: &str) -> Condition {
    let (tip, named) = (&walk.tip, &known.tip);
    let last = tip.seq.max(1);
    let intact = |ahead: u64| Condition::Intact { records: tip.seq, last_hash: tip.hash.clone(), ahead };
    let same = |named: &Tip| *named == *tip || Some(named) == walk.before_rotation.as_ref();
    if !known.is_sealed() && walk.has_macs() {
        broken(tip, last, "the head is of version 1, but there are records with macs".to_owned())
    } else if same(named) {
        if tip.seq == 0 { Condition::Empty } else { intact(0) }
    } else if named.seq > tip.seq && boot::is_restart(&known.boot, boot) {
        Condition::Lost { seq: tip.due(), what: lost::in_words(tip, named) }
    } else if named.seq > tip.seq {
        broken(
            tip,
            tip.due(),
            format!("the end is missing: the head says that {} is the last record", named.seq),
        )
    } else if named.seq == tip.seq {
        broken(tip, last, "it is not the last record the head names: it or the head was changed".to_owned())
    } else if !walk.at_head && *named != Tip::start() {
        broken(tip, named.seq.max(1), "the head names another record of this number".to_owned())
    } else if walk.macs.checked > 0 && known.is_sealed() {
        intact(tip.seq - named.seq)
    } else {
        let what = "it is after the end the head names: its writer was stopped, or it was added by hand; \
                    the next record to be written adopts it";
        broken(tip, named.seq.saturating_add(1), what.to_owned())
    }
}

/// The line of a record that is in no file is its line in the current file.
fn broken(tip: &Tip, seq: u64, what: String) -> Condition {
    let line = seq.saturating_sub(tip.first).saturating_add(1);
    Condition::Broken { seq, file: "trail.jsonl".to_owned(), line, what }
}
