//! Checks the state folder: owner, permissions, free space, and the trail.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::statvfs;
use rustix::process::geteuid;
use tenter_host::Places;
use tenter_store::StateFolder;
use tenter_store::audit::verify::{Condition, KeyFile, Verification, verify};

use crate::commands::doctor::check::{Check, Grade, typed};
use crate::commands::doctor::writing;
use crate::listing::counted;

const STATE: &str = "state";
const TRAIL: &str = "trail";

/// The size of one file of the trail.
const LITTLE_ROOM: u64 = 64 * 1024 * 1024;

pub(crate) fn check(places: &Places) -> Vec<Check> {
    let Some(folder) = &places.state_folder else {
        return vec![Check::problem(STATE, "there is no folder for state", "eval export HOME=~$(id -un)")];
    };
    let mut checks = of_folder(folder);
    // With such a key the trail is not verified.
    if let Some(exposed) = private(TRAIL, &folder.join("audit/key")) {
        checks.push(exposed);
        return checks;
    }
    match verify(&StateFolder::new(folder.clone()).witnessed_in(places.config_folder.as_deref())) {
        Ok(verification) => checks.extend(of_trail(&verification, folder)),
        // A problem above explains the error.
        Err(_) if checks.iter().any(|check| check.grade == Grade::Problem) => {}
        Err(error) => checks.push(Check::problem(TRAIL, error.to_string(), "tenter audit verify")),
    }
    checks
}

fn of_folder(folder: &Path) -> Vec<Check> {
    let shown = folder.display();
    let mut checks: Vec<Check> = private(STATE, folder).into_iter().collect();
    if fs::metadata(folder).map_or(true, |found| is_ours(&found)) {
        checks.extend(writing::check(STATE, folder));
    }
    if checks.is_empty() && !folder.exists() {
        return vec![Check::ok(STATE, format!("{shown} does not exist yet; the first event creates it"))];
    }
    if let Ok(room) = statvfs(folder) {
        let free = room.f_bavail.saturating_mul(room.f_frsize);
        if free < LITTLE_ROOM {
            let finding = format!("only {} MiB are free where {shown} lies", free / 1024 / 1024);
            checks.push(Check::warning(STATE, finding, format!("df -h {}", typed(folder))));
        }
    }
    if checks.is_empty() {
        checks.push(Check::ok(STATE, format!("{shown} is private, writable and has free space")));
    }
    checks
}

/// Whether another user owns this, or may read it.
fn private(about: &'static str, path: &Path) -> Option<Check> {
    let found = fs::metadata(path).ok()?;
    let shown = path.display();
    if !is_ours(&found) {
        let finding = format!("{shown} belongs to another user, so that nothing is recorded");
        return Some(Check::problem(about, finding, format!("sudo chown -R \"$(id -u)\" {}", typed(path))));
    }
    let finding = format!("other users can access {shown} (mode {:o})", found.mode() & 0o777);
    (found.mode() & 0o077 != 0).then(|| Check::problem(about, finding, format!("chmod go= {}", typed(path))))
}

fn is_ours(found: &Metadata) -> bool {
    found.uid() == geteuid().as_raw()
}

fn of_trail(verification: &Verification, folder: &Path) -> Vec<Check> {
    let away = |path: &Path| format!("cat {0}/why; mv {0} ~/", typed(path));
    let audit = typed(&folder.join("audit"));
    let mut checks: Vec<Check> = Vec::new();
    let unchecked = verification.macs.unchecked;
    checks.extend(match &verification.trail {
        // A chain alone proves nothing; reported below.
        Condition::Intact { .. } if unchecked > 0 => None,
        Condition::Empty if !verification.gone.is_empty() => None,
        Condition::Empty => Some(Check::ok(TRAIL, "nothing is recorded yet")),
        Condition::Intact { records, .. } => {
            Some(Check::ok(TRAIL, format!("intact, {}", counted(*records, "record"))))
        }
        Condition::Lost { what, .. } => Some(Check::problem(TRAIL, what.as_str(), "tenter audit verify")),
        Condition::Broken { seq, what, .. } => Some(Check::problem(
            TRAIL,
            format!("broken at record {seq}: {what}"),
            format!("cp -a {audit} ~/audit-to-look-at; tenter audit verify"),
        )),
    });
    let damaged = verification.key == KeyFile::Damaged;
    if unchecked > 0 || damaged {
        let finding = format!(
            "the key is {}, so the macs of {} cannot be checked; if no backup has {}/audit/key, begin a new trail",
            if damaged { "damaged, and nothing is recorded" } else { "missing" },
            counted(unchecked, "record"),
            folder.display()
        );
        checks.push(Check::problem(TRAIL, finding, format!("mv {audit} ~/audit-without-key")));
    }
    let files: Vec<String> = verification.witnesses.iter().map(|path| typed(path)).collect();
    let mut problem = |finding: String, repair: String| checks.push(Check::problem(TRAIL, finding, repair));
    for gone in &verification.gone {
        problem(gone.in_words(), format!("tenter audit verify; rm {}", files.join(" ")));
    }
    for path in &verification.unusable_witnesses {
        let finding = "is no file that tenter can write, so a removed trail would not be missed";
        problem(format!("{} {finding}", path.display()), format!("mv {} ~/", typed(path)));
    }
    for path in &verification.quarantined {
        problem(format!("a damaged trail was quarantined: {}", path.display()), away(path));
    }
    for path in &verification.lost {
        problem(format!("records were lost in a power cut: {}", path.display()), away(path));
    }
    checks.extend(verification.spilled.iter().map(|path| {
        Check::ok(TRAIL, format!("records wait in {}; the next event adds them", path.display()))
    }));
    checks
}
