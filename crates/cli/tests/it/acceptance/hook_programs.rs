//! Agents call `tenter-hook`, which executes `tenter` when it needs the full program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use crate::world::{MESSAGE, REASON, Ran, World, bash};

const SMALL: &str = env!("CARGO_BIN_EXE_tenter-hook");
const FULL: &str = env!("CARGO_BIN_EXE_tenter");

fn hooks(name: &str) -> String {
    format!("version: 1\nhooks:\n  tool:pre:\n    - {{ name: {name}, deny: \"no\" }}\n")
}

/// Writes the hook file with an old modification time, so that tenter-hook uses the compiled hooks.
fn write_old_hooks(world: &World, text: &str, seconds_ago: u64) {
    world.write_hooks("yaml", text);
    let path = world.config().join("tenter/hooks.yaml");
    let then = SystemTime::now() - Duration::from_secs(seconds_ago);
    fs::File::options().write(true).open(path).unwrap().set_modified(then).unwrap();
}

/// A folder with these programs in it, and the small one there.
fn folder(world: &World, name: &str, programs: &[&str]) -> PathBuf {
    let folder = world.home().join(name);
    fs::create_dir_all(&folder).unwrap();
    for program in programs {
        fs::copy(program, folder.join(Path::new(program).file_name().unwrap())).unwrap();
    }
    folder.join("tenter-hook")
}

/// Each call has its own id, because a repeated call runs its hooks once.
fn call(world: &World, program: &Path, command: &str) -> Ran {
    world.sh_with(&format!("exec '{}' claude", program.display()), &bash(command))
}

#[test]
fn both_programs_give_same_reply() {
    let world = World::with_hooks(&hooks("guard"));
    let (small, full) =
        (world.claude(&bash("ls")).run(), world.tenter(&["hook", "claude"]).stdin(bash("ls")).run());
    assert_eq!(small.stdout, full.stdout);
    assert_eq!(small.field(REASON), "Operation denied by guard: no");
}

#[test]
fn missing_full_program_keeps_last_hooks() {
    let world = World::new();
    write_old_hooks(&world, &hooks("guard"), 60);
    let both = folder(&world, "both", &[SMALL, FULL]);
    assert_eq!(call(&world, &both, "ls 1").field(REASON), "Operation denied by guard: no");

    let alone = folder(&world, "alone", &[SMALL]);
    let unchanged = call(&world, &alone, "ls 2");
    assert_eq!(unchanged.field(REASON), "Operation denied by guard: no");
    assert_eq!(unchanged.field(MESSAGE), "", "a notice without a change");

    write_old_hooks(&world, "version: 1\nhooks: {}\n", 30);
    let changed = call(&world, &alone, "ls 3");
    assert_eq!(changed.field(REASON), "Operation denied by guard: no");
    assert!(changed.field(MESSAGE).contains("have changed, and this build cannot read them"), "{changed:?}");
    assert_eq!(call(&world, &both, "ls 4").stdout, "", "the full program reads the new hooks");
}

#[test]
fn full_program_is_found_in_same_folder() {
    let world = World::with_hooks(&hooks("guard"));
    let real = folder(&world, "real", &[SMALL, FULL]);
    let elsewhere = world.home().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    fs::write(elsewhere.join("tenter"), "#!/bin/sh\necho impostor\n").unwrap();
    std::os::unix::fs::symlink(&real, elsewhere.join("tenter-hook")).unwrap();
    let line =
        format!("chmod +x '{0}/tenter'; PATH='{0}':$PATH exec '{0}/tenter-hook' claude", elsewhere.display());
    assert_eq!(world.sh_with(&line, &bash("ls")).field(REASON), "Operation denied by guard: no");
}

#[test]
fn mismatched_builds_are_detected() {
    let world = World::with_hooks(&hooks("guard"));
    let line = format!("TENTER_HANDED_OVER=\"other $$ 0\" exec '{FULL}' hook claude");
    let ran = world.sh_with(&line, &bash("ls"));
    assert_eq!(ran.field(REASON), "Operation denied by guard: no");
    assert!(ran.field(MESSAGE).contains("tenter-hook is of build other"), "{ran:?}");
    let inherited = "TENTER_HANDED_OVER='other 1 0'";
    let unrelated = world.sh_with(&format!("{inherited} exec '{FULL}' hook claude"), &bash("ls -l"));
    assert_eq!(unrelated.field(MESSAGE), "", "the notice belongs to another process");
}

/// The agent's timeout counts from the start of the first program.
#[test]
fn time_before_exec_counts() {
    let world = World::with_hooks(
        "version: 1\nhooks:\n  tool:pre:\n    - { name: slow, command: \"true\", on_failure: deny }\n",
    );
    let line = format!("TENTER_HANDED_OVER=\"x $$ 0\" exec '{FULL}' hook claude --within 2s");
    let late = world.sh_with(&line, &bash("ls"));
    assert!(late.field(REASON).starts_with("Operation denied by slow: "), "{late:?}");
    let line = format!("exec '{FULL}' hook claude --within 2s");
    assert_eq!(world.sh_with(&line, &bash("ls -l")).stdout, "");
}

#[test]
fn full_program_prints_help_and_usage_errors() {
    let world = World::new();
    let both = folder(&world, "both", &[SMALL, FULL]);
    let typo = world.sh_with(&format!("exec '{}' cluade", both.display()), "{}");
    assert_eq!(typo.code, Some(1));
    assert!(typo.stderr.contains("did you mean `claude`?"), "{typo:?}");
    let alone = folder(&world, "alone", &[SMALL]);
    let alone = world.sh_with(&format!("exec '{}' cluade", alone.display()), "{}");
    assert_eq!(alone.code, Some(1));
    assert!(alone.stderr.contains("`tenter init`"), "{alone:?}");
}

/// Code that slows down the start is not linked at all. `nm` comes with the linker that every Rust installation
/// has.
#[test]
fn small_program_links_no_parser_or_network() {
    let symbols = |program: &str| {
        let listed = Command::new("nm").arg(program).output().unwrap();
        assert!(listed.status.success(), "{listed:?}");
        String::from_utf8_lossy(&listed.stdout).into_owned()
    };
    let (small, full) = (symbols(SMALL), symbols(FULL));
    for library in ["granit_parser", "toml_parser", "clap_builder", "ed25519_dalek", "ureq", "rustls"] {
        assert!(full.contains(library), "{library} is not looked for by its right name");
        assert!(!small.contains(library), "{library} is in tenter-hook");
    }
}
